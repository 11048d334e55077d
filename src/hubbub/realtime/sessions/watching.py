"""Of whom a session is told when they become available, or offline."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from hubbub.realtime.protocol.frames import Presence
from hubbub.records.friends.events import FriendsAdded, FriendsRemoved
from hubbub.records.friends.store import list_friends_of
from hubbub.records.presence.signals import UserPresenceChanged
from hubbub.runtime import Runtime
from hubbub.storage.interface import Event


@dataclass(slots=True)
class Watched:
    """All users of the app, those of some roles, or some users."""

    is_all: bool = False
    roles: AbstractSet[str] = frozenset()
    friends: set[str] | None = None
    """The friends of the session's user, if these are meant."""

    @property
    def is_nobody(self) -> bool:
        """Return whether the session is told of nobody."""
        return not (self.is_all or self.roles or self.friends is not None)

    def includes(self, change: UserPresenceChanged) -> bool:
        """Return whether the session is told of a change."""
        is_friend = self.friends is not None and change.uid in self.friends
        return self.is_all or is_friend or change.role in self.roles

    def apply(self, uid: str, event: Event) -> None:
        """Change the friends of the session's user as an event does."""
        if self.friends is None:
            return
        match event:
            case FriendsAdded():
                self.friends |= _others(uid, event)
            case FriendsRemoved():
                self.friends -= _others(uid, event)


NOBODY = Watched()


def _others(uid: str, event: FriendsAdded | FriendsRemoved) -> set[str]:
    """Return whose friendship with a user an event is about."""
    if event.uid == uid:
        return set(event.friends)
    return {event.uid} if uid in event.friends else set()


async def find_watched(runtime: Runtime, app_id: str, uid: str, presence: Presence) -> Watched:
    """Return of whom a session is told, as its client has chosen."""
    if presence == "friends":
        friends = await runtime.database.read(
            app_id, lambda snapshot: list_friends_of(snapshot, uid), is_short=True
        )
        return Watched(friends=set(friends))
    if isinstance(presence, list):
        return Watched(roles=frozenset(each.lower() for each in presence))
    return Watched(is_all=presence == "all")
