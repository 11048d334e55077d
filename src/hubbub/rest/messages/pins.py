"""`/messages/{id}/pin` and `/save`: read the request, call the domain, write the answer."""

from hubbub.domain.pins import manage
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
from hubbub.records.messages.model import MessageActionNotAllowed, MessageIdNotFound
from hubbub.records.pins.model import TooManyPinnedMessages, TooManySavedMessages
from hubbub.records.users.model import UidNotFound
from hubbub.rest.messages.messages import TAG
from hubbub.rest.messages.wire.message import MessageShape, message_shape
from hubbub.rest.wire import path

PIN = "/messages/{id}/pin"
SAVE = "/messages/{id}/save"
ERRORS = (UidNotFound, MessageIdNotFound)


@operation.post(
    PIN,
    tag=TAG,
    acting=Acting.OPTIONAL,
    errors=(*ERRORS, MessageActionNotAllowed, TooManyPinnedMessages),
)
async def pin_message(call: Call, message_id: path.MessageId) -> MessageShape:
    """Pin a message for all who take part in its conversation.

    `limits.pinnedMessages` says how many may be. Sessions hear `message_pinned`. A message that
    is pinned already stays as it is.
    """
    view = await manage.pin_message(call.runtime, call.app_id, call.actor, message_id)
    return message_shape(view, with_tags=True, is_app=call.actor.is_app)


@operation.delete(PIN, tag=TAG, acting=Acting.OPTIONAL, errors=ERRORS)
async def unpin_message(call: Call, message_id: path.MessageId) -> MessageShape:
    """Unpin a message, also if another user has pinned it.

    Sessions hear `message_unpinned`. A message that is not pinned stays as it is.
    """
    view = await manage.unpin_message(call.runtime, call.app_id, call.actor, message_id)
    return message_shape(view, with_tags=True, is_app=call.actor.is_app)


@operation.post(
    SAVE,
    tag=TAG,
    acting=Acting.REQUIRED,
    errors=(*ERRORS, MessageActionNotAllowed, TooManySavedMessages),
)
async def save_message(call: Call, message_id: path.MessageId) -> MessageShape:
    """Save a message for the acting user; other users can't see this.

    `limits.savedMessages` says how many may be. `GET /messages/saved` lists them.
    """
    view = await manage.save_message(call.runtime, call.app_id, call.actor, message_id)
    return message_shape(view, with_tags=True, is_app=False)


@operation.delete(SAVE, tag=TAG, acting=Acting.REQUIRED, errors=ERRORS)
async def unsave_message(call: Call, message_id: path.MessageId) -> MessageShape:
    """Remove a message from those that the acting user has saved.

    The message itself stays. One that is not saved stays as it is.
    """
    view = await manage.unsave_message(call.runtime, call.app_id, call.actor, message_id)
    return message_shape(view, with_tags=True, is_app=False)
