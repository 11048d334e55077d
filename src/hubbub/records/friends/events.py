"""Events of friendships."""

import msgspec

from hubbub.outbox.audience import NODES_ALONE, Audience, EventPlaces, Keys
from hubbub.outbox.registry import event


class FriendsEvent(msgspec.Struct, frozen=True):
    """The friendships of user `uid` with these users changed."""

    uid: str
    friends: list[str]
    at: int


def _keys(event: FriendsEvent, _: EventPlaces) -> Keys:
    return (event.uid, *event.friends)


FRIENDS = Audience(NODES_ALONE, _keys)
"""For nodes whose sessions are told of the presence of friends."""


@event("friends_added", told=FRIENDS, actor=None, internal=True)
class FriendsAdded(FriendsEvent, frozen=True):
    """User `uid` and each of these users became friends."""


@event("friends_removed", told=FRIENDS, actor=None, internal=True)
class FriendsRemoved(FriendsEvent, frozen=True):
    """User `uid` and these users are no longer friends."""
