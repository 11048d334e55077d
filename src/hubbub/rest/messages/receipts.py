"""`/messages/{id}/receipts`: read the request, call the domain, write the answer."""

from hubbub.domain.receipts.find import list_receipts
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
from hubbub.records.messages.model import MessageIdNotFound
from hubbub.records.users.model import UidNotFound
from hubbub.rest.messages.messages import TAG
from hubbub.rest.messages.wire import receipts as wire
from hubbub.rest.messages.wire.receipts import ReceiptList, receipts_shape
from hubbub.rest.wire import path


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
    query: wire.ListReceipts,
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
