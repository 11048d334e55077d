"""Of whom a session is told when they become available, or offline."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from hubbub.domain.access.people import may_list
from hubbub.realtime.protocol.frames import Presence
from hubbub.records.friends.events import FriendsAdded, FriendsRemoved
from hubbub.records.friends.store import list_friends_of
from hubbub.records.presence.signals import UserPresenceChanged
from hubbub.records.roles.model import RoleRules
from hubbub.runtime import Runtime
from hubbub.storage.interface import Event


@dataclass(slots=True)
class Watched:
    """All users of the app, those of some roles, or some users."""

    is_all: bool = False
    roles: AbstractSet[str] = frozenset()
    is_of_friends: bool = False
    friends: set[str] | None = None
    """The friends of the session's user; None if nothing depends on them."""

    @property
    def is_nobody(self) -> bool:
        """Return whether the session is told of nobody."""
        return not (self.is_all or self.roles or self.is_of_friends)

    def includes(self, change: UserPresenceChanged, rules: RoleRules) -> bool:
        """Return whether the session of a user with these rules is told of a change."""
        friends = self.friends or ()
        if self.is_of_friends:
            return change.uid in friends
        is_meant = self.is_all or change.role in self.roles
        return is_meant and may_list(rules, change.uid, change.role, friends)

    def lacks_friends(self, rules: RoleRules) -> bool:
        """Return whether the user's friends must be known by these rules, and are not."""
        return rules.lists_friends_only and self.friends is None and not self.is_nobody

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


async def find_watched(
    runtime: Runtime, app_id: str, uid: str, presence: Presence, *, rules: RoleRules
) -> Watched:
    """Return of whom a session is told, as its client has chosen and its user's role allows."""
    watched = Watched(is_all=presence == "all", is_of_friends=presence == "friends")
    if isinstance(presence, list):
        watched.roles = frozenset(each.lower() for each in presence)
    if watched.is_of_friends or watched.lacks_friends(rules):
        watched.friends = await find_friends(runtime, app_id, uid)
    return watched


async def find_friends(runtime: Runtime, app_id: str, uid: str) -> set[str]:
    """Return the friends of a user."""
    return set(
        await runtime.database.read(
            app_id, lambda snapshot: list_friends_of(snapshot, uid), is_short=True
        )
    )
