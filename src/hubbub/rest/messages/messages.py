"""`/messages` and the message lists: read the request, call the domain, write the answer."""

from msgspec import Raw
from msgspec.json import encode

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.rates import Rate, take_sends
from hubbub.domain.attachments.send import send_draft, send_drafts, with_files
from hubbub.domain.messages import find
from hubbub.domain.messages.compose import compose
from hubbub.domain.scheduled.schedule import SendTimes, schedule_message
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
from hubbub.records.attachments.model import NoMediaMessage
from hubbub.records.blocks.model import BlockedReceiver, BlockedSender
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.growing.model import TooManyGrowing
from hubbub.records.members.model import BannedMember, GroupNotJoined
from hubbub.records.messages.model import (
    BlockedByRule,
    BlockedByWebhook,
    ConversationNotAccessible,
    Draft,
    MessageIdNotFound,
    WrongThread,
)
from hubbub.records.scheduled.model import ScheduledMessage, TooManyScheduledMessages
from hubbub.records.users.model import UidNotFound
from hubbub.rest.messages.wire import send as wire
from hubbub.rest.messages.wire.history import (
    ListAllMessages,
    ListMessages,
    MessageList,
    history_shape,
)
from hubbub.rest.messages.wire.message import MessageShape, message_shape
from hubbub.rest.messages.wire.scheduled import scheduled_shape
from hubbub.rest.messages.wire.unsent import render_unsent
from hubbub.rest.wire import path

TAG = operation.Tag(
    "Messages",
    "Send, list, edit and delete messages; threads, reactions, pins, forms, receipts.",
)
GROUP_ERRORS = (GuidNotFound, GroupNotJoined, BannedMember)
DATA_CODES = (
    "ERR_EMPTY_CUSTOM_DATA",
    "ERR_EMPTY_MESSAGE_FILE",
    "ERR_EMPTY_MESSAGE_TEXT",
    "ERR_INVALID_CUSTOM_DATA",
    "ERR_INVALID_MEDIA_MESSAGE",
    "ERR_INVALID_MESSAGE_DATA",
    "ERR_INVALID_MESSAGE_TEXT",
    "ERR_INVALID_MESSAGE_TYPE",
    "ERR_INVALID_METADATA",
)
"""The codes of data that is refused."""
SEND_CODES = (
    *DATA_CODES,
    "ERR_EMPTY_MESSAGE_CATEGORY",
    "ERR_EMPTY_MESSAGE_TYPE",
    "ERR_EMPTY_RECEIVER",
    "ERR_INVALID_MESSAGE_CATEGORY",
    "ERR_INVALID_RECEIVER_TYPE",
)
"""The codes of messages that are refused."""
SEND_ERRORS = (
    WrongThread,
    BlockedSender,
    BlockedReceiver,
    BlockedByWebhook,
    BlockedByRule,
    TooManyGrowing,
    TooManyScheduledMessages,
)


@operation.post(
    "/messages",
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("createMessage",),
    rate=Rate.SEND,
    errors=(UidNotFound, *GROUP_ERRORS, MessageIdNotFound, *SEND_ERRORS),
    codes=SEND_CODES,
    takes_files=True,
)
async def send_message(call: Call, body: wire.SendMessageBody) -> wire.SentMessage:
    """Send a message to a user or a group.

    Categories are `message` (with `data.text`), `custom` (with `data.customData`) and
    `interactive` (with `data.interactiveData`). The `optional` of a form element is true unless it
    is set. A repeated `muid` of the same sender returns the first message and changes nothing.

    To upload files, send `multipart/form-data`: up to 20 parts named `file`, of 104,857,600 bytes
    together, and each field of the body as a part of its own, objects and lists as JSON. The files
    become `data.attachments`, with `width` and `height` of images and videos and a `thumbnail` of
    images. Each `url` is a signed link that is valid for at least seven days; read the message
    again for a new one.

    With `sendAt` the message is sent then, up to 366 days ahead, and nobody else sees it before.
    The answer is `{scheduledId, sendAt, …}` as of `GET /scheduled-messages/{id}`, with which it is
    changed or cancelled. Whether it may be sent is decided again at its time. With `repeat` a bot,
    or the app, sends it again and again.
    """
    return await send(call, call.actor, body)


async def send(call: Call, actor: Actor, body: wire.SendMessageBody) -> Raw:
    """Send the message of a body as `actor`, to one receiver or to several."""
    if body.multiple_receivers is not None and body.times() is None:
        drafts = [compose(actor, with_files(each, call.upload)) for each in body.message_inputs()]
        if call.is_by_token and call.actor.uid is not None:
            await take_sends(call.runtime, call.app_id, call.actor.uid, len(drafts) - 1)
        outcomes = await send_drafts(call.runtime, call.app_id, drafts, call.upload, render_unsent)
        return wire.sent_to_many(drafts, outcomes, is_app=call.actor.is_app)
    draft = compose(actor, with_files(body.message_input(), call.upload))
    times = body.times()
    if times is not None:
        return await keep(call, draft, times)
    view = await send_draft(call.runtime, call.app_id, draft, call.upload, render_unsent)
    if view.is_repeated:
        call.answer_headers["Idempotent-Replayed"] = "true"
    return wire.sent_message(call.app_id, view, is_app=call.actor.is_app)


async def keep(call: Call, draft: Draft, times: SendTimes) -> Raw:
    """Keep a message until it is sent; one whose muid was used is answered as it was then.

    Raises:
        NoMediaMessage: it has uploaded files.
    """
    if call.upload is not None and call.upload.files:
        raise NoMediaMessage("sendAt", "Files can't be uploaded with it: send their links.")
    kept = await schedule_message(
        call.runtime, call.app_id, draft, times, is_by_token=call.is_by_token
    )
    if isinstance(kept, ScheduledMessage):
        return Raw(encode(scheduled_shape(kept)))
    call.answer_headers["Idempotent-Replayed"] = "true"
    return wire.sent_message(call.app_id, kept, is_app=call.actor.is_app)


@operation.get(
    "/messages",
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("listMessages",),
    errors=(UidNotFound, ConversationNotAccessible),
    is_followed=True,
)
async def list_all_messages(call: Call, query: ListAllMessages) -> MessageList:
    """List messages of the app; for an acting user, those of the user's conversations.

    With `count` the answer is `[{entityType, entityId, count}]`: the number of these messages that
    the acting user has with each other user and in each group, for at most 10,000 of those; without
    an acting user, the number that each user and group has received. With `unread` and an acting
    user, these are the numbers that conversations show as `unreadMessageCount`; further filters,
    and kinds of messages that the user's role does not list, reduce them.
    """
    request = query.request_by(call.actor.uid)
    history = await find.list_all(
        call.runtime, call.app_id, call.actor, request, query.conversation_id
    )
    return await history_shape(call, history, query)


@operation.get(
    "/messages/{id}",
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("getMessage",),
    errors=(UidNotFound, MessageIdNotFound),
)
async def get_message_details(call: Call, message_id: path.MessageId) -> MessageShape:
    """Get a message.

    A user finds messages of their own conversations only. A deleted one has `deletedAt`, and
    shows its content to the app alone.
    """
    view = await find.get_message(call.runtime, call.app_id, call.actor, message_id)
    return message_shape(view, with_tags=True, is_app=call.actor.is_app)


@operation.get(
    "/users/{uid}/messages",
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("getUserMessages",),
    errors=(UidNotFound,),
    is_followed=True,
)
async def list_user_messages(call: Call, uid: path.Uid, query: ListMessages) -> MessageList:
    """List the one-to-one messages between the acting user and another user.

    Without an acting user: all one-to-one messages of that user. With `count`: their numbers by
    the other user, as in the list of all messages.
    """
    history = await find.list_with_user(call.runtime, call.app_id, call.actor, uid, query.request())
    return await history_shape(call, history, query)


@operation.get(
    "/groups/{guid}/messages",
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("getGroupMessages",),
    errors=(UidNotFound, *GROUP_ERRORS),
    is_followed=True,
)
async def list_group_messages(call: Call, guid: path.Guid, query: ListMessages) -> MessageList:
    """List the messages of a group; with `count`, their number.

    An acting user must be a member; new members see earlier messages unless
    `groups.historyForNewMembers` is off. `limit`, `id`, `sentAt` and `affix` choose the part, 100
    messages if they are absent.
    """
    history = await find.list_in_group(call.runtime, call.app_id, call.actor, guid, query.request())
    return await history_shape(call, history, query)
