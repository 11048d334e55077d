"""What happens to blocks."""

from typing import ClassVar

import msgspec


class UserBlocked(msgspec.Struct, frozen=True):
    """`uid` has blocked these, by himself or by the app."""

    event_name: ClassVar[str] = "user_blocked"
    uid: str
    blocked: list[str]
    by: str
    at: int


class UserUnblocked(msgspec.Struct, frozen=True):
    """`uid` has lifted his blocks of these, by himself or by the app."""

    event_name: ClassVar[str] = "user_unblocked"
    uid: str
    unblocked: list[str]
    by: str
    at: int
