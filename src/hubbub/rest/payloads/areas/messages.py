"""The payloads of triggers about messages."""

from typing import Annotated

import msgspec
from msgspec import Raw

from hubbub.http.documented import documented_as
from hubbub.records.conversations.model import GROUP
from hubbub.records.growing.events import MessageGrown
from hubbub.records.messages.events import (
    MessageDeleted,
    MessageEdited,
    MessageEvent,
    MessagesDeleted,
    MessageSent,
)
from hubbub.records.messages.model import Message, MessageView
from hubbub.records.webhooks.triggers import BEFORE_MESSAGE, USER_MENTIONED
from hubbub.rest.messages.wire.message import MessageShape
from hubbub.rest.messages.wire.page import render_usual
from hubbub.rest.payloads.areas.conversations import PayloadConversation, payload_conversation
from hubbub.rest.payloads.areas.people import PayloadUser, payload_user
from hubbub.rest.payloads.facts import Facts, Named, Payload, message_json
from hubbub.rest.payloads.samples import (
    BEN,
    NOW,
    PAIR,
    PAIR_CONVERSATION,
    message_action,
    sample_message,
    user_entity,
)
from hubbub.rest.wire.shapes import Json, Shape

MessageJson = Annotated[Raw, documented_as(MessageShape)]
"""A message that is rendered already."""


class MessagePayload(Shape, kw_only=True):
    """The data of `message_sent`, `user_mentioned` and `message_edited`.

    Of an edit, `message` is its action message, which has the edited message as `on`.
    """

    message: MessageJson


class DeletedMessagePayload(Shape, kw_only=True):
    """The data of `message_deleted`.

    `message` is the action message. Its `on` has `id`, `conversationId`, `deletedAt` and
    `deletedBy`, and no content.
    """

    message: MessageJson
    permanent: bool


class MessagesDeletedPayload(Shape, kw_only=True):
    """The data of `messages_deleted`: `by` permanently deleted messages of their own.

    There are no action messages.
    """

    conversation: PayloadConversation
    by: PayloadUser
    message_ids: list[str]
    deleted_at: int


def sent(facts: Facts, event: MessageSent | MessageGrown) -> bytes | None:
    """Return the data of `message_sent`; None if the message is gone.

    If webhooks were to be told only at the end of a message that grew, it occurs with that.
    """
    row = facts.message_row(event.message)
    # Written as bytes: this is done for every message that is sent.
    return b'{"message":%b}' % row if row is not None else None


def just_sent(app_id: str, view: MessageView) -> bytes | None:
    """Return the same from what the send has at hand; None if that does not suffice."""
    row = render_usual(app_id, view)
    return b'{"message":%b}' % row if row is not None else None


def mentioned(facts: Facts, event: MessageSent | MessageGrown) -> bytes | None:
    """Return the data of `user_mentioned`; None if the message mentions nobody, or is gone."""
    return sent(facts, event) if facts.is_mentioning(event.message) else None


def edited(facts: Facts, event: MessageEdited) -> MessagePayload | None:
    """Return the data of `message_edited`; None if the message is gone."""
    view = facts.action(event.message)
    if view is None or view.about is None or view.about.message.is_erased:
        return None
    return MessagePayload(message=message_json(view))


def deleted(facts: Facts, event: MessageDeleted) -> DeletedMessagePayload | None:
    """Return the data of `message_deleted`; None if the whole conversation is gone."""
    view = facts.action(event.message)
    if view is None:
        return None
    return DeletedMessagePayload(
        message=message_json(_with_tombstone(view, event)), permanent=event.permanent
    )


def several_deleted(facts: Facts, event: MessagesDeleted) -> MessagesDeletedPayload | None:
    """Return the data of `messages_deleted`; None if the whole conversation is gone."""
    conversation = facts.seats.conversations.get(event.conversation)
    if conversation is None:
        return None
    return MessagesDeletedPayload(
        conversation=payload_conversation(conversation.key),
        by=payload_user(facts.user(event.by)),
        message_ids=[str(id_) for id_ in event.messages],
        deleted_at=event.at,
    )


def _with_tombstone(view: MessageView, event: MessageDeleted) -> MessageView:
    """Return the action message of a deletion, about a message without its content.

    When it was deleted, and by whom, is what the event says.
    """
    about = view.about or view
    left: Message = msgspec.structs.replace(
        about.message, is_erased=True, deleted_at=event.at, deleted_by=event.by
    )
    return msgspec.structs.replace(view, about=msgspec.structs.replace(about, message=left))


def add_sent(named: Named, event: MessageSent) -> None:
    """Add the ids of a message that was sent."""
    named.shown.add(event.message)
    named.uids.add(event.sender)
    (named.guids if event.receiver_type == GROUP else named.uids).add(event.receiver)


def _add_action(named: Named, event: MessageEvent) -> None:
    named.shown.add(event.message)


def _add_several(named: Named, event: MessagesDeleted) -> None:
    named.conversations.add(event.conversation)
    named.uids.add(event.by)


PAYLOADS = (
    Payload((MessageSent,), MessagePayload, sent, add_sent),
    Payload((MessageSent,), MessagePayload, mentioned, add_sent, trigger=USER_MENTIONED),
    Payload((MessageEdited,), MessagePayload, edited, _add_action),
    Payload((MessageDeleted,), DeletedMessagePayload, deleted, _add_action),
    Payload((MessagesDeleted,), MessagesDeletedPayload, several_deleted, _add_several),
)

_EDITED = sample_message("Hello Ben!", updatedAt=NOW + 30, editedAt=NOW + 30, editedBy="anna")
_DELETED: Json = {
    "id": "101",
    "conversationId": PAIR,
    "deletedAt": NOW + 30,
    "deletedBy": "anna",
}
_MENTIONED: Json = {"ben": user_entity("ben")["entity"]}
SAMPLES: dict[str, Json] = {
    BEFORE_MESSAGE: {"action": "send", "message": sample_message()},
    "message_sent": {"message": sample_message()},
    USER_MENTIONED: {"message": sample_message("Hello <@uid:ben>", data={"mentions": _MENTIONED})},
    "message_edited": {"message": message_action("edited", _EDITED)},
    "message_deleted": {"message": message_action("deleted", _DELETED), "permanent": False},
    "messages_deleted": {
        "conversation": PAIR_CONVERSATION,
        "by": BEN,
        "messageIds": ["101", "102"],
        "deletedAt": NOW + 30,
    },
}
