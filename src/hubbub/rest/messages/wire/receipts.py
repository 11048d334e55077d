"""The shapes of receipts."""

from typing import Annotated, Literal

from msgspec import Meta

from hubbub.domain.receipts.find import HadBy
from hubbub.http.operation import Envelope
from hubbub.rest.messages.wire.messages import Current
from hubbub.rest.wire.shapes import Id, Shape


class ReceiptShape(Shape, kw_only=True):
    """When somebody got a message, and when he read it."""

    uid: str
    delivered_at: int | None = None
    read_at: int | None = None


class UidCursor(Shape):
    """Where a list by uid goes on, as query parameters."""

    affix: Literal["append"]
    id: str


class ReceiptsMeta(Shape):
    """About a stretch of receipts."""

    current: Current
    next: UidCursor | None = None


class Receipts(Envelope):
    """A stretch of receipts, by uid."""

    data: list[ReceiptShape]
    meta: ReceiptsMeta


class ListReceipts(Shape):
    """Which stretch of receipts: those beyond a uid."""

    limit: Annotated[int, Meta(ge=1, le=1000)] = 100
    id: Id | None = None


def receipts_shape(found: HadBy, limit: int) -> Receipts:
    """Receipts as the interface shows them."""
    following = found.next_uid
    return Receipts(
        data=[
            ReceiptShape(uid=each.uid, delivered_at=each.delivered_at, read_at=each.read_at)
            for each in found.had
        ],
        meta=ReceiptsMeta(
            current=Current(limit=limit, count=len(found.had)),
            next=UidCursor(affix="append", id=following) if following else None,
        ),
    )
