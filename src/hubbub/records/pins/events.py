"""Events of pins. Saving a message is private and announces nothing."""

import msgspec

from hubbub.outbox.audience import PARTICIPANTS_OF_MESSAGE
from hubbub.outbox.registry import event


class PinEvent(msgspec.Struct, frozen=True, kw_only=True):
    """`by` changed the pin of a message."""

    message: int
    conversation: int
    by: str
    at: int


@event("message_pinned", "A message was pinned.", told=PARTICIPANTS_OF_MESSAGE, actor="by")
class MessagePinned(PinEvent, frozen=True, kw_only=True):
    """The message is now pinned."""


@event(
    "message_unpinned", "A message is no longer pinned.", told=PARTICIPANTS_OF_MESSAGE, actor="by"
)
class MessageUnpinned(PinEvent, frozen=True, kw_only=True):
    """The message is no longer pinned."""
