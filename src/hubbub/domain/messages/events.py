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
