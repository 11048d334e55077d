"""The payloads of events about conversations."""

import msgspec

from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.conversations.events import (
    ConversationDeleted,
    ConversationDelivered,
    ConversationRead,
    ConversationReset,
    ConversationsChanged,
    ConversationUnread,
    ConversationUpdated,
    MarkEvent,
)
from hubbub.records.conversations.model import GROUP, ConversationKey, conversation_id
from hubbub.records.conversations.store import APP_PINS
from hubbub.rest.payloads.areas.people import PayloadUser, payload_user
from hubbub.rest.payloads.facts import Facts, Named, Payload
from hubbub.rest.payloads.samples import BEN, PAIR_CONVERSATION
from hubbub.rest.wire.enums import ReceiverType
from hubbub.rest.wire.shapes import Json, Shape

_decode_tags = msgspec.json.Decoder(list[str]).decode


class PayloadConversation(Shape, kw_only=True):
    """A conversation: that of the group `guid`, or of the two users `uids`."""

    conversation_id: str
    conversation_type: ReceiverType
    guid: str | None = None
    uids: list[str] | None = None


class ConversationResetPayload(Shape, kw_only=True):
    """The data of `conversation_reset`: `by` removed the conversation from their list.

    They do not see its messages up to `lastMessageId` any more; other participants do.
    """

    conversation: PayloadConversation
    by: PayloadUser
    last_message_id: str


class ConversationUpdatedPayload(Shape, kw_only=True):
    """The data of `conversation_updated`: `by` changed their tags or their pin.

    The tags, and the time of the pin, are those that `by` has now. If `by` is `app_system`, it is
    the pin of the app, which everybody sees.
    """

    conversation: PayloadConversation
    by: PayloadUser
    tags: list[str] | None = None
    pinned_at: int | None = None


class ConversationDeletedPayload(Shape, kw_only=True):
    """The data of `conversation_deleted`: `by` deleted it for all participants.

    Its messages up to `lastMessageId` are gone; new ones may follow.
    """

    conversation: PayloadConversation
    by: PayloadUser
    last_message_id: str


class ConversationMarkPayload(Shape, kw_only=True):
    """The data of `conversation_read` and `conversation_unread`: how far `by` has read.

    Both values are absolute, as of the event. `lastReadMessageId` is `0` if nothing is read.
    """

    conversation: PayloadConversation
    by: PayloadUser
    last_read_message_id: str
    unread_message_count: str


class ConversationDeliveredPayload(Shape, kw_only=True):
    """The data of `conversation_delivered`: `by` has all up to `lastDeliveredMessageId`."""

    conversation: PayloadConversation
    by: PayloadUser
    last_delivered_message_id: str


class ConversationsChangedPayload(Shape, kw_only=True):
    """The data of `conversations_changed`: earlier messages were imported into conversations.

    `count` is how many conversations the event is about; not all need be those of the receiver.
    """

    count: int


def payload_conversation(key: ConversationKey) -> PayloadConversation:
    """Return a conversation as payloads show it."""
    kind, left, right = key
    return PayloadConversation(
        conversation_id=conversation_id(key),
        conversation_type=kind,  # type: ignore[arg-type]  # one of the two, as stored
        guid=left if kind == GROUP else None,
        uids=None if kind == GROUP else [left, right],
    )


def reset(facts: Facts, event: ConversationReset) -> ConversationResetPayload | None:
    """Return the data of `conversation_reset`; None if the conversation is gone."""
    conversation = facts.seats.conversations.get(event.conversation)
    if conversation is None:
        return None
    return ConversationResetPayload(
        conversation=payload_conversation(conversation.key),
        by=payload_user(facts.user(event.uid)),
        last_message_id=str(event.upto),
    )


def updated(facts: Facts, event: ConversationUpdated) -> ConversationUpdatedPayload | None:
    """Return the data of `conversation_updated`; None if `uid` takes no part in it any more."""
    number, seats = event.conversation, facts.seats
    conversation, seat = (
        seats.conversations.get(number),
        seats.participants.get((number, event.uid)),
    )
    if conversation is None or (seat is None and event.uid != APP_PINS):
        return None
    return ConversationUpdatedPayload(
        conversation=payload_conversation(conversation.key),
        by=payload_user(facts.user(event.uid or SYSTEM_UID)),
        tags=_decode_tags(seat.tags) or None if seat else None,
        pinned_at=seats.pinned_at(number, event.uid),
    )


def deleted(facts: Facts, event: ConversationDeleted) -> ConversationDeletedPayload | None:
    """Return the data of `conversation_deleted`; None if the event's conversation is not known."""
    key = _key_of(facts, event)
    if key is None:
        return None
    return ConversationDeletedPayload(
        conversation=payload_conversation(key),
        by=payload_user(facts.user(event.by or SYSTEM_UID)),
        last_message_id=str(event.upto),
    )


def _key_of(facts: Facts, event: ConversationDeleted) -> ConversationKey | None:
    if event.kind:
        return event.kind, event.left_id, event.right_id
    conversation = facts.seats.conversations.get(event.conversation)  # an event of an older version
    return conversation.key if conversation is not None else None


def marked(facts: Facts, event: MarkEvent) -> ConversationMarkPayload | None:
    """Return the data of `conversation_read` and `_unread`; None if the conversation is gone."""
    conversation = facts.seats.conversations.get(event.conversation)
    if conversation is None:
        return None
    counted = conversation.counted if event.counted is None else event.counted
    return ConversationMarkPayload(
        conversation=payload_conversation(conversation.key),
        by=payload_user(facts.user(event.uid)),
        last_read_message_id=str(event.read_id),
        unread_message_count=str(max(0, counted - event.read_count - event.own)),
    )


def delivered(facts: Facts, event: ConversationDelivered) -> ConversationDeliveredPayload | None:
    """Return the data of `conversation_delivered`; None if the conversation is gone."""
    conversation = facts.seats.conversations.get(event.conversation)
    if conversation is None:
        return None
    return ConversationDeliveredPayload(
        conversation=payload_conversation(conversation.key),
        by=payload_user(facts.user(event.uid)),
        last_delivered_message_id=str(event.upto),
    )


def changed(_: Facts, event: ConversationsChanged) -> ConversationsChangedPayload:
    """Return the data of `conversations_changed`."""
    return ConversationsChangedPayload(count=event.count)


def _add_nothing(_: Named, __: ConversationsChanged) -> None:
    """Name no id: the event says all that is shown."""


def _add_ids(named: Named, event: MarkEvent | ConversationDelivered | ConversationReset) -> None:
    named.conversations.add(event.conversation)
    named.uids.add(event.uid)


def _add_updated(named: Named, event: ConversationUpdated) -> None:
    named.conversations.add(event.conversation)
    named.uids.add(event.uid)
    named.seats.add((event.conversation, event.uid))


def _add_deleted(named: Named, event: ConversationDeleted) -> None:
    named.conversations.add(event.conversation)
    named.uids.add(event.by)


PAYLOADS = (
    Payload((ConversationRead, ConversationUnread), ConversationMarkPayload, marked, _add_ids),
    Payload((ConversationDelivered,), ConversationDeliveredPayload, delivered, _add_ids),
    Payload((ConversationReset,), ConversationResetPayload, reset, _add_ids),
    Payload((ConversationUpdated,), ConversationUpdatedPayload, updated, _add_updated),
    Payload((ConversationDeleted,), ConversationDeletedPayload, deleted, _add_deleted),
    Payload((ConversationsChanged,), ConversationsChangedPayload, changed, _add_nothing),
)

_BY_BEN: Json = {"conversation": PAIR_CONVERSATION, "by": BEN}
_MARK: Json = {**_BY_BEN, "lastReadMessageId": "101", "unreadMessageCount": "0"}
SAMPLES: dict[str, Json] = {
    "conversation_read": _MARK,
    "conversation_unread": {**_MARK, "lastReadMessageId": "100", "unreadMessageCount": "1"},
    "conversation_delivered": {**_BY_BEN, "lastDeliveredMessageId": "101"},
    "conversation_reset": {**_BY_BEN, "lastMessageId": "101"},
    "conversation_updated": {**_BY_BEN, "tags": ["family"]},
    "conversation_deleted": {**_BY_BEN, "lastMessageId": "101"},
    "conversations_changed": {"count": 12},
}
