"""The event of a reminder. Setting one is private and announces nothing."""

import msgspec

from hubbub.outbox.audience import Audience, OfUser, user_key
from hubbub.outbox.registry import event

WHO_ASKED: Audience[OfUser] = Audience(
    "all sessions of the user who has set the reminder", user_key, tells_only=True
)


@event(
    "user_reminded",
    "It is time for a reminder of a message that the user has set.",
    told=WHO_ASKED,
    actor=None,
    content="message",
)
class UserReminded(msgspec.Struct, frozen=True, kw_only=True):
    """User `uid` wanted to be reminded of the message at the time `remind_at`."""

    message: int
    conversation: int
    uid: str
    remind_at: int
    at: int
