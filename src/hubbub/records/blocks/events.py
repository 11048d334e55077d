"""Events of blocks."""

import msgspec

from hubbub.outbox.audience import Audience, user_key
from hubbub.outbox.registry import event

THAT_USER = Audience("that user", user_key)


@event(
    "user_blocked",
    "The user blocked others.",
    told=THAT_USER,
    actor="by",
    trigger="user",
    trigger_text="A user blocked other users.",
)
class UserBlocked(msgspec.Struct, frozen=True):
    """User `uid` now blocks these users; `by` is that user or the app."""

    uid: str
    blocked: list[str]
    by: str
    at: int


@event(
    "user_unblocked",
    "The user no longer blocks others.",
    told=THAT_USER,
    actor="by",
    trigger="user",
    trigger_text="A user no longer blocks other users.",
)
class UserUnblocked(msgspec.Struct, frozen=True):
    """User `uid` no longer blocks these users; `by` is that user or the app."""

    uid: str
    unblocked: list[str]
    by: str
    at: int
