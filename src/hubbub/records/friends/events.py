"""Events of friendships."""

import msgspec

from hubbub.outbox.registry import event


@event("friends_added", internal=True)
class FriendsAdded(msgspec.Struct, frozen=True):
    """User `uid` and each of these users became friends."""

    uid: str
    friends: list[str]
    at: int


@event("friends_removed", internal=True)
class FriendsRemoved(msgspec.Struct, frozen=True):
    """User `uid` and these users are no longer friends."""

    uid: str
    friends: list[str]
    at: int
