"""What happens to friendships."""

from typing import ClassVar

import msgspec


class FriendsAdded(msgspec.Struct, frozen=True):
    """`uid` and each of these are friends now; internal."""

    event_name: ClassVar[str] = "friends_added"
    uid: str
    friends: list[str]
    at: int


class FriendsRemoved(msgspec.Struct, frozen=True):
    """`uid` and these are friends no more; internal."""

    event_name: ClassVar[str] = "friends_removed"
    uid: str
    friends: list[str]
    at: int
