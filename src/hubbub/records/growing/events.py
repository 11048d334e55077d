"""Events of messages that grow. What is appended meanwhile is no event."""

import msgspec

from hubbub.outbox.audience import PARTICIPANTS_OF_MESSAGE
from hubbub.outbox.registry import event


@event(
    "message_grown",
    "A message that grew has ended.",
    told=PARTICIPANTS_OF_MESSAGE,
    content="message",
    actor="by",
    trigger="message",
)
class MessageGrown(msgspec.Struct, frozen=True, kw_only=True):
    """The message has its whole text; `by` ended it, `app_system` if nobody appended for long."""

    message: int
    conversation: int
    counts: bool
    status: str
    appends: int
    notifies: bool
    """Whether webhooks are told only now that the message was sent."""
    by: str
    at: int


@event(
    "message_stop_requested",
    "A participant asks that a message stops growing.",
    told=PARTICIPANTS_OF_MESSAGE,
    actor="by",
    trigger="message",
)
class MessageStopRequested(msgspec.Struct, frozen=True, kw_only=True):
    """`by` asked the sender of a message to end it."""

    message: int
    conversation: int
    by: str
    at: int
