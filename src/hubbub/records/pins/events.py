"""What happens to pins. What somebody saves is his own affair, which nobody is told of."""

from typing import ClassVar

import msgspec


class PinEvent(msgspec.Struct, frozen=True, kw_only=True):
    """What both of them tell; `by` is who did it."""

    message: int
    conversation: int
    by: str
    at: int


class MessagePinned(PinEvent, frozen=True, kw_only=True):
    """The message is pinned now."""

    event_name: ClassVar[str] = "message_pinned"


class MessageUnpinned(PinEvent, frozen=True, kw_only=True):
    """The message is pinned no more."""

    event_name: ClassVar[str] = "message_unpinned"
