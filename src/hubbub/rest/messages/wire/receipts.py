"""The shapes of receipts."""

from typing import Annotated, Literal

from msgspec import Meta

from hubbub.domain.receipts.find import ReceiptSlice
from hubbub.http.operation import Envelope
from hubbub.rest.wire.shapes import Id, Shape
from hubbub.rest.wire.slices import Current, SliceLimit


class ReceiptShape(Shape, kw_only=True):
    """When a message was delivered to a user, and when they read it."""

    uid: str
    delivered_at: int | None = None
    read_at: int | None = None


class UidCursor(Shape):
    """The query parameters that continue a list of receipts after a uid."""

    affix: Literal["append"]
    id: str


class ReceiptsMeta(Shape):
    """The size of a slice of receipts; `next` leads to further ones, if any."""

    current: Current
    next: UidCursor | None = None


class ReceiptList(Envelope):
    """A slice of the receipts of a message, in ascending order of uids."""

    data: list[ReceiptShape]
    meta: ReceiptsMeta


class ListReceipts(Shape):
    """The size of a slice of receipts, and the uid after which it begins."""

    limit: SliceLimit = 100
    id: Annotated[Id | None, Meta(description="The uid after which the slice begins.")] = None


def receipts_shape(found: ReceiptSlice, limit: int) -> ReceiptList:
    """Return the answer for a slice of receipts."""
    return ReceiptList(
        data=[
            ReceiptShape(uid=each.uid, delivered_at=each.delivered_at, read_at=each.read_at)
            for each in found.receipts
        ],
        meta=ReceiptsMeta(
            current=Current(limit=limit, count=len(found.receipts)),
            next=UidCursor(affix="append", id=found.next_uid) if found.next_uid else None,
        ),
    )
