"""What happens to conversations, told to the sessions of those who take part."""

from typing import ClassVar

import msgspec


class ConversationReset(msgspec.Struct, frozen=True):
    """Somebody removed it from his list; up to `upto` it is hidden from him."""

    event_name: ClassVar[str] = "conversation_reset"
    conversation: int
    uid: str
    upto: int
    at: int


class ConversationUpdated(msgspec.Struct, frozen=True):
    """Somebody's tags, or a pin of it, changed; `uid` is empty when it was the app's pin."""

    event_name: ClassVar[str] = "conversation_updated"
    conversation: int
    uid: str
    at: int


class ConversationDeleted(msgspec.Struct, frozen=True):
    """It is gone for all, up to `upto`; it may go on from there."""

    event_name: ClassVar[str] = "conversation_deleted"
    conversation: int
    upto: int
    at: int
