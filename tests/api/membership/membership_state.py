"""The state of the model of memberships: users, and groups with everything in them."""

from collections.abc import Collection
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

SYSTEM = "app_system"
RANK = {"participant": 1, "moderator": 2, "admin": 3}

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Actor:
    """A caller: the app, the app on behalf of a user, or the user with a token."""

    uid: str | None = None
    by_token: bool = False

    @property
    def name(self) -> str:
        return self.uid or SYSTEM


APP = Actor()


@dataclass(slots=True)
class User:
    """A user whose uid is in use."""

    created_at: int
    is_active: bool = True
    is_deleted: bool = False


@dataclass(slots=True)
class Member:
    """A user in a group."""

    scope: str
    joined_at: int


@dataclass(slots=True)
class Ban:
    """A user banned from a group, with their former scope."""

    scope: str
    joined_at: int | None
    banned_at: int


@dataclass(slots=True)
class Message:
    """A message (`action` is empty) or an action in a group."""

    id: int
    by: str
    action: str = ""
    on: str = ""
    scope: str | None = None
    old_scope: str | None = None


@dataclass(slots=True)
class Span:
    """A membership, in event numbers; `is_doomed`: it will be erased."""

    uid: str
    from_event: int
    to_event: int | None = None
    is_doomed: bool = False


@dataclass(slots=True)
class Group:
    """A group with everything in it."""

    guid: str
    type: str
    password: str | None
    owner: str
    number: int
    created_at: int
    members: dict[str, Member] = field(default_factory=dict)
    bans: dict[str, Ban] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    said: int = 0
    handed_on_at: int | None = None

    @property
    def touched_at(self) -> int:
        """The time of its latest change."""
        return self.created_at if self.handed_on_at is None else self.handed_on_at

    def rank(self, by: Actor) -> int:
        """Return the rank of a member; the app's is the highest."""
        return 4 if by.uid is None else RANK[self.members[by.uid].scope]

    def heir(self, inactive: Collection[str]) -> str:
        """Return the next owner: the longest-standing of the highest scope, or else the app.

        An inactive member is next only if nobody else is left.
        """
        others = [uid for uid in self.members if uid != self.owner]
        active = [uid for uid in others if uid not in inactive]
        return min(active or others, key=self._standing, default=SYSTEM)

    def _standing(self, uid: str) -> tuple[int, int, int, str]:
        member = self.members[uid]
        since = max(span.from_event for span in self.spans if span.uid == uid)
        return -RANK[member.scope], member.joined_at, since, uid

    def is_shown_to(self, by: Actor) -> bool:
        """Return whether a user may know of it: a private one exists for its members only."""
        return by.uid is None or self.type != "private" or by.uid in self.members

    def row(self, by: Actor) -> Row:
        """Return the group as shown to a user; at the end, the user's scope."""
        member = self.members.get(by.name)
        own = (True, member.scope, member.joined_at) if member else (False, None, None)
        return (self.guid, self.type, self.owner, len(self.members), self.created_at, *own)

    def member_rows(self) -> list[Row]:
        """Return its members, newest first."""
        rows = [(uid, each.scope, each.joined_at) for uid, each in self.members.items()]
        return sorted(rows, key=itemgetter(2, 0), reverse=True)

    def ban_rows(self) -> list[Row]:
        """Return its bans, newest first."""
        rows = [
            (uid, each.scope, each.joined_at, each.banned_at) for uid, each in self.bans.items()
        ]
        return sorted(rows, key=itemgetter(3, 0), reverse=True)

    def message_rows(self) -> list[Row]:
        """Return its messages and actions, oldest first."""
        return [
            (each.id, each.by, each.action, each.on, each.scope, each.old_scope)
            for each in self.messages
        ]

    def take_in(self, uid: str, scope: str, now: int, event: int) -> None:
        """Make a user a member from an event on."""
        self.members[uid] = Member(scope, now)
        self.spans.append(Span(uid, event))

    def take_out(self, uid: str, event: int) -> None:
        """End a membership at an event."""
        del self.members[uid]
        (span,) = [each for each in self.spans if each.uid == uid and each.to_event is None]
        span.to_event = event

    def doom(self, uid: str) -> None:
        """Hide the messages of a permanently deleted user, and mark what will be erased."""
        self.messages = [each for each in self.messages if each.by != uid]
        for span in self.spans:
            span.is_doomed |= span.uid == uid

    def erase(self) -> None:
        """Run the requested erasures."""
        self.spans = [each for each in self.spans if not each.is_doomed]
