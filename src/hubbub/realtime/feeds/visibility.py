"""What users are told, and how events change it: for live sessions and for resumes, without I/O.

What an event opens is open for the event itself, and what it closes is closed after it: who joins a
group is told so, and who leaves it, too.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hubbub.realtime.feeds.kinds import RULING, rules_after
from hubbub.realtime.feeds.recent import Told
from hubbub.realtime.feeds.told import find_earlier
from hubbub.records.groups.events import GroupCreated, GroupDeleted
from hubbub.records.members.events import (
    GroupMemberAdded,
    GroupMemberBanned,
    GroupMemberJoined,
    GroupMemberKicked,
    GroupMemberLeft,
    MembersImported,
)
from hubbub.records.roles.events import UserRoleChanged
from hubbub.records.roles.model import RoleRules
from hubbub.storage.interface import Event


@dataclass(slots=True)
class UserVisibility:
    """What a user is told, as of an event of the log."""

    uid: str
    rules: RoleRules
    """Those of the user's role."""
    groups: dict[int, int]
    """The groups of which the user is a member, by conversation: each with the id up to which
    messages are not shown to them, mostly 0."""

    def includes(self, told: Told) -> bool:
        """Return whether the user is told an event, if their role may list what it shows."""
        if self.uid in told.keys:
            return True
        earlier, groups = find_earlier(told.entry.event), self.groups
        return any(
            key in groups and (earlier is None or groups[key] < earlier[1])
            for key in told.keys
            if isinstance(key, int)
        )


class Entry(NamedTuple):
    """The users who become members of a group with an event."""

    uids: Sequence[str]
    conversation: int
    hidden_upto: int


Users = Mapping[str, UserVisibility]
"""What users are told, by uid."""
Seat = tuple[str, int]
"""A user, and the conversation of a group."""


def find_entry(event: Event) -> Entry | None:
    """Return who becomes a member with an event; None for nobody."""
    match event:
        case GroupMemberJoined() | GroupMemberAdded():
            return Entry((event.uid,), event.conversation, event.hidden_upto)
        case GroupCreated():
            return Entry((event.owner,), event.conversation, 0)
        case MembersImported():
            return Entry(event.uids, event.conversation, event.hidden_upto)
    return None


def open_to(users: Users, event: Event) -> Sequence[Seat]:
    """Change what users are told before an event is told; return who enters its group with it."""
    if isinstance(event, RULING):
        for each in _list_ruled(users, event):
            each.rules = rules_after(event, each.uid, each.rules)
        return ()
    entry = find_entry(event)
    if entry is None:
        return ()
    seats = [(uid, entry.conversation) for uid in entry.uids if uid in users]
    for uid, conversation in seats:
        users[uid].groups.setdefault(conversation, entry.hidden_upto)
    return seats


def close_to(users: Users, event: Event) -> Sequence[Seat]:
    """Change what users are told after an event was told; return who has left its group."""
    match event:
        case GroupMemberLeft() | GroupMemberKicked() | GroupMemberBanned():
            leaving: Iterable[str] = (event.uid,) if event.uid in users else ()
        case GroupDeleted():
            leaving = users
        case _:
            return ()
    conversation = event.conversation
    return [
        (uid, conversation)
        for uid in leaving
        if users[uid].groups.pop(conversation, None) is not None
    ]


def go_on(visibility: UserVisibility, told: Told) -> bool:
    """Change what one user is told, as an event does; return whether they are told the event."""
    users, event = {visibility.uid: visibility}, told.entry.event
    open_to(users, event)
    is_told = visibility.includes(told)
    close_to(users, event)
    return is_told


def _list_ruled(users: Users, event: Event) -> Iterable[UserVisibility]:
    """Return the users whose rules an event may change: one, or all."""
    if isinstance(event, UserRoleChanged):
        return (users[event.uid],) if event.uid in users else ()
    return users.values()
