"""Events of messages."""

import msgspec

from hubbub.outbox.registry import event


@event("message_sent")
class MessageSent(msgspec.Struct, frozen=True, gc=False):
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


@event("messages_imported", internal=True)
class MessagesImported(msgspec.Struct, frozen=True):
    """Messages of an earlier system were stored, with ids from `first_id` to `last_id`."""

    first_id: int
    last_id: int
    at: int


@event("messages_deleted")
class MessagesDeleted(msgspec.Struct, frozen=True):
    """`by` permanently deleted these messages of their own; there are no action messages."""

    messages: list[int]
    conversation: int
    by: str
    at: int


class MessageEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Message `on` was changed; `message` is the action message that says so."""

    message: int
    on: int
    conversation: int
    by: str
    shows: bool
    """True if the action message may be its conversation's `lastMessage`."""
    at: int


@event("message_edited")
class MessageEdited(MessageEvent, frozen=True, kw_only=True):
    """The message has new content."""


@event("message_deleted")
class MessageDeleted(MessageEvent, frozen=True, kw_only=True):
    """The message was deleted; with `permanent`, only its tombstone is left."""

    permanent: bool
