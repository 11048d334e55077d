"""Events of messages that are sent later. What is sent is announced as any other message."""

import msgspec

from hubbub.outbox.audience import Audience, OfUser, user_key
from hubbub.outbox.registry import event
from hubbub.records.scheduled.model import FAILED, ScheduledMessage

SENDER: Audience[OfUser] = Audience("all sessions of its sender", user_key, tells_only=True)


@event(
    "scheduled_message_failed",
    "A message that was scheduled could not be sent at its time.",
    told=SENDER,
    actor=None,
    trigger="message",
    authors=("uid", "receiver"),
    redacted={"reason": ""},  # it may name what was written
)
class ScheduledMessageFailed(msgspec.Struct, frozen=True, kw_only=True):
    """The message of user `uid` was not sent at the time `send_at`, for a reason."""

    scheduled: str
    uid: str
    receiver_type: str
    receiver: str
    send_at: int
    code: str
    reason: str
    is_over: bool
    """False if it is repeated, and will be tried at its next time."""
    at: int


def not_sent_event(failed: ScheduledMessage, at: int) -> ScheduledMessageFailed:
    """Return the event that a message was not sent, as it is kept, at a time in seconds."""
    return ScheduledMessageFailed(
        scheduled=failed.id,
        uid=failed.sender,
        receiver_type=failed.receiver_type,
        receiver=failed.receiver,
        send_at=failed.send_at,
        code=failed.code or "",
        reason=failed.reason or "",
        is_over=failed.status == FAILED,
        at=at,
    )
