"""`/messages/{id}/receipts`: read the request, call the domain, write the answer."""

from typing import Annotated, Literal

from msgspec import Meta

from hubbub.domain.receipts.find import ReceiptSlice, list_receipts
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting, Envelope
from hubbub.records.messages.model import MessageIdNotFound
from hubbub.records.users.model import UidNotFound
from hubbub.rest.messages.messages import TAG
from hubbub.rest.wire import path
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


@operation.get(
    "/messages/{id}/receipts",
    tag=TAG,
    acting=Acting.OPTIONAL,
    errors=(UidNotFound, MessageIdNotFound),
    is_own=True,
)
async def list_message_receipts(
    call: Call,
    message_id: path.MessageId,
    query: ListReceipts,
) -> ReceiptList:
    """List the receipts of a message by uid: when it was delivered to a user, and read.

    In a group, each member who has the message has a row. Groups with more members online than
    `limits.groupReceiptOnline` write no receipts.
    """
    after = query.id.lower() if query.id else ""
    found = await list_receipts(
        call.runtime, call.app_id, call.actor, message_id, after=after, limit=query.limit
    )
    return receipts_shape(found, query.limit)
