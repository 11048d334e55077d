"""Events of messages."""

import msgspec

from hubbub.outbox.audience import (
    ALL,
    NOBODY,
    Audience,
    EventPlaces,
    Keys,
    conversation_unknown,
    pair_keys,
    participant_keys,
)
from hubbub.outbox.registry import event
from hubbub.records.conversations.model import GROUP


def _keys(event: "MessageSent", _: EventPlaces) -> Keys:
    if event.receiver_type == GROUP:
        return (event.conversation,)
    return pair_keys(event.sender, event.receiver)


def _late_message(event: "MessageSent") -> tuple[int, int] | None:
    """Return where a message is that may be hidden from members who joined since it was sent."""
    return (event.conversation, event.message) if event.late else None


@event(
    "message_sent",
    "A message was sent.",
    told=Audience(ALL, _keys, earlier=_late_message, tells_only=True),
    content="message",
    actor="sender",
    trigger="message",
)
class MessageSent(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A message was stored; `counted` is the number of countable messages up to it."""

    message: int
    conversation: int
    sender: str
    receiver_type: str
    receiver: str
    counts: bool
    shows: bool
    counted: int
    at: int
    growing: bool = False
    """True if it grows: people are notified of it, and mentions are told, at its end."""
    quiet: bool = False
    """True if webhooks are told of it at its end."""
    passed: bool = False
    """True if rules of the app have let it pass."""
    late: bool = False
    """True if it was held, and is delivered now: later messages have greater ids."""


class MessageEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Message `on` was changed; `message` is the action message that says so."""

    message: int
    on: int
    conversation: int
    by: str
    shows: bool
    """True if the action message may be its conversation's `lastMessage`."""
    at: int


def _changed_message(event: MessageEvent) -> tuple[int, int]:
    return event.conversation, event.on


PARTICIPANTS_OF_CHANGED = Audience(
    ALL, participant_keys, conversation_unknown, _changed_message, tells_only=True
)


@event(
    "message_edited",
    "A message was edited; `message` is the action message.",
    told=PARTICIPANTS_OF_CHANGED,
    content="on",
    actor="by",
    trigger="message",
    trigger_text="A message was edited.",
)
class MessageEdited(MessageEvent, frozen=True, kw_only=True):
    """The message has new content."""


@event(
    "message_deleted",
    "A message was deleted; `message` is the action message.",
    told=PARTICIPANTS_OF_CHANGED,
    actor="by",
    trigger="message",
    trigger_text="A message was deleted.",
)
class MessageDeleted(MessageEvent, frozen=True, kw_only=True):
    """The message was deleted; with `permanent`, only its tombstone is left."""

    permanent: bool


@event(
    "messages_deleted",
    "Messages were deleted permanently, without action messages.",
    told=Audience(ALL, participant_keys, conversation_unknown, tells_only=True),
    actor=None,  # a part of an erasure, whose request has an event of its own
)
class MessagesDeleted(msgspec.Struct, frozen=True):
    """`by` permanently deleted these messages of their own; there are no action messages."""

    messages: list[int]
    conversation: int
    by: str
    at: int


@event("messages_imported", told=NOBODY, actor=None, internal=True)
class MessagesImported(msgspec.Struct, frozen=True, omit_defaults=True):
    """Messages of an earlier system were stored, with ids from `first_id` to `last_id`."""

    first_id: int
    last_id: int
    at: int
    has_changed: bool = False
    """True if the message was stored before, and is now as it became in the earlier system."""
