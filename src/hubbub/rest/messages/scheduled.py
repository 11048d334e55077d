"""`/scheduled-messages`: read the request, call the domain, write the answer."""

from hubbub.domain.access.rates import Rate
from hubbub.domain.scheduled import manage
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.lists import make_rows
from hubbub.http.operation import Acting
from hubbub.kernel.errors import BadInput
from hubbub.records.messages.model import MessageActionNotAllowed, MessageIdNotFound, ThreadNesting
from hubbub.records.scheduled.model import ScheduledMessageNotFound
from hubbub.records.users.model import UidNotFound
from hubbub.rest.messages.messages import DATA_CODES, GROUP_ERRORS, SEND_ERRORS
from hubbub.rest.messages.wire.scheduled import (
    ListScheduled,
    ScheduledShape,
    scheduled_shape,
)
from hubbub.rest.messages.wire.send import Data, SentReply, sent_message
from hubbub.rest.messages.wire.unsent import render_unsent
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Listing, Shape, SuccessMessage, Tags, Timestamp, page_answer


class ChangeScheduled(Shape, kw_only=True):
    """The changes of a message that is sent later; what is absent stays as it is."""

    send_at: Timestamp | None = None
    data: Data = None
    tags: Tags | None = None

    def change(self) -> manage.ScheduledChange:
        """Return what is changed.

        Raises:
            BadInput: the data is no object.
        """
        if self.data is not None and not isinstance(self.data, dict):
            raise BadInput.field(
                "data", "The data must be an object.", code="ERR_INVALID_MESSAGE_DATA"
            )
        tags = None if self.tags is None else tuple(dict.fromkeys(self.tags))
        return manage.ScheduledChange(self.send_at, self.data, tags)


TAG = operation.Tag(
    "Scheduled Messages",
    "Messages that are sent later; `POST /messages` with `sendAt` makes one.",
)
ALL, ONE = "/scheduled-messages", "/scheduled-messages/{id}"


@operation.get(ALL, tag=TAG, acting=Acting.OPTIONAL, is_own=True, errors=(UidNotFound,))
async def list_scheduled_messages(call: Call, query: ListScheduled) -> Listing[ScheduledShape]:
    """List the messages that wait for their time, and those that could not be sent, by their times.

    An acting user sees their own, the app all. One that was sent is not here any more. One that
    could not be sent is kept for 30 days.
    """
    page = await manage.list_own_scheduled(
        call.runtime, call.app_id, call.actor, query.statuses(), query.request()
    )
    return page_answer(page, await make_rows(call, page.items, scheduled_shape))


@operation.get(
    ONE,
    tag=TAG,
    acting=Acting.OPTIONAL,
    is_own=True,
    errors=(UidNotFound, ScheduledMessageNotFound),
)
async def get_scheduled_message(call: Call, scheduled_id: path.ScheduledId) -> ScheduledShape:
    """Get a message that is sent later.

    Somebody else's is not found, nor is one that was sent or cancelled.
    """
    found = await manage.get_scheduled(call.runtime, call.app_id, call.actor, scheduled_id)
    return scheduled_shape(found)


@operation.patch(
    ONE,
    tag=TAG,
    acting=Acting.OPTIONAL,
    is_own=True,
    errors=(UidNotFound, ScheduledMessageNotFound),
    codes=DATA_CODES,
)
async def change_scheduled_message(
    call: Call, scheduled_id: path.ScheduledId, body: ChangeScheduled
) -> ScheduledShape:
    """Change when a message is sent, or what it says.

    One that could not be sent is tried again at the new `sendAt`.
    """
    changed = await manage.change_scheduled(
        call.runtime, call.app_id, call.actor, scheduled_id, body.change()
    )
    return scheduled_shape(changed)


@operation.delete(
    ONE,
    tag=TAG,
    acting=Acting.OPTIONAL,
    is_own=True,
    errors=(UidNotFound, ScheduledMessageNotFound),
)
async def cancel_scheduled_message(call: Call, scheduled_id: path.ScheduledId) -> SuccessMessage:
    """Cancel a message that is sent later.

    It is not sent after the answer. If it is not found, it may have been sent.
    """
    await manage.cancel_scheduled(call.runtime, call.app_id, call.actor, scheduled_id)
    return SuccessMessage(
        success=True, message=f"The scheduled message with id {scheduled_id} has been cancelled."
    )


@operation.post(
    ONE + "/send",
    tag=TAG,
    acting=Acting.OPTIONAL,
    is_own=True,
    rate=Rate.SEND,
    errors=(
        UidNotFound,
        ScheduledMessageNotFound,
        MessageIdNotFound,
        MessageActionNotAllowed,
        ThreadNesting,
        *GROUP_ERRORS,
        *SEND_ERRORS,
    ),
)
async def send_scheduled_message(call: Call, scheduled_id: path.ScheduledId) -> SentReply:
    """Send a message before its time, as its sender.

    If it may not be sent it stays as it is, and waits for its time.
    """
    view = await manage.send_scheduled_now(
        call.runtime, call.app_id, call.actor, scheduled_id, render_unsent
    )
    return sent_message(call.app_id, view, is_app=call.actor.is_app)
