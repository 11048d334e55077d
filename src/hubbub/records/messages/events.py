"""What happens to messages."""

from typing import ClassVar

import msgspec


class MessageSent(msgspec.Struct, frozen=True):
    """A message was stored; `counted` is how many of its conversation count up to it."""

    event_name: ClassVar[str] = "message_sent"
    message: int
    conversation: int
    sender: str
    receiver_type: str
    receiver: str
    counts: bool
    shows: bool
    counted: int
    at: int


class MessagesImported(msgspec.Struct, frozen=True):
    """Messages of an earlier system were stored; internal: the search index reads them."""

    event_name: ClassVar[str] = "messages_imported"
    first_id: int
    last_id: int
    at: int


class MessagesDeleted(msgspec.Struct, frozen=True):
    """`by` has deleted these of his own for good; no action messages tell of it."""

    event_name: ClassVar[str] = "messages_deleted"
    messages: list[int]
    conversation: int
    by: str
    at: int


class MessageEvent(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a message, `on`; `message` is the action message that tells of it."""

    message: int
    on: int
    conversation: int
    by: str
    shows: bool
    """Whether the action message may be its conversation's lastMessage."""
    at: int


class MessageEdited(MessageEvent, frozen=True, kw_only=True):
    """Its content is another one."""

    event_name: ClassVar[str] = "message_edited"


class MessageDeleted(MessageEvent, frozen=True, kw_only=True):
    """It shows no content any more; `permanent`: it is gone for good."""

    event_name: ClassVar[str] = "message_deleted"
    permanent: bool
