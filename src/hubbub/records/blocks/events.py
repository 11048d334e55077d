"""Events of blocks."""

import msgspec

from hubbub.outbox.registry import event


@event("user_blocked")
class UserBlocked(msgspec.Struct, frozen=True):
    """User `uid` now blocks these users; `by` is that user or the app."""

    uid: str
    blocked: list[str]
    by: str
    at: int


@event("user_unblocked")
class UserUnblocked(msgspec.Struct, frozen=True):
    """User `uid` no longer blocks these users; `by` is that user or the app."""

    uid: str
    unblocked: list[str]
    by: str
    at: int
