"""Events of messages that rules hold."""

import msgspec

from hubbub.outbox.audience import NOBODY
from hubbub.outbox.registry import event


@event(
    "moderation_engine_blocked",
    "Rules have blocked a message, which waits for a review.",
    told=NOBODY,
    actor="sender",
    trigger="moderation",
)
class ModerationEngineBlocked(msgspec.Struct, frozen=True):
    """A message is held: only its sender sees it."""

    message: int
    sender: str
    receiver_type: str
    receiver: str
    at: int


@event(
    "moderation_manual_approved",
    "A message that rules had blocked was approved.",
    told=NOBODY,
    actor=None,
    trigger="moderation",
)
class ModerationManualApproved(msgspec.Struct, frozen=True):
    """A held message was approved, and is delivered."""

    message: int
    conversation: int
    by: str
    at: int
