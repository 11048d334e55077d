"""The sessions of an app on this node, by user and by the groups of their users; their frames."""

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from hubbub.outbox.audience import Key
from hubbub.realtime.feeds.audience import find_earlier
from hubbub.realtime.feeds.kinds import lists_all, may_see, rules_after
from hubbub.records.groups.events import GroupCreated, GroupDeleted
from hubbub.records.members.events import (
    GroupMemberAdded,
    GroupMemberBanned,
    GroupMemberJoined,
    GroupMemberKicked,
    GroupMemberLeft,
    MembersImported,
)
from hubbub.records.messages.model import Message
from hubbub.records.roles.events import UserRoleChanged
from hubbub.storage.interface import Event

if TYPE_CHECKING:
    from hubbub.realtime.sessions.session import Session

NOBODY: frozenset["Session"] = frozenset()
FRIENDS_AT_ONCE = 100
"""The sessions whose friends are read in a second, after the rules of their role have changed."""


def list_entering(event: Event) -> Iterable[tuple[int, str]]:
    """Return the conversations that users enter with an event, each with the user."""
    match event:
        case GroupMemberJoined() | GroupMemberAdded():
            return ((event.conversation, event.uid),)
        case GroupCreated():
            return ((event.conversation, event.owner),)
        case MembersImported():
            return [(event.conversation, uid) for uid in event.uids]
    return ()


def list_leaving(event: Event) -> Iterable[tuple[int, str]]:
    """Return the conversations that users leave with an event, each with the user."""
    match event:
        case GroupMemberLeft() | GroupMemberKicked() | GroupMemberBanned():
            return ((event.conversation, event.uid),)
    return ()


def find_hidden(event: Event) -> int:
    """Return the id up to which messages are not shown to those who enter a group."""
    match event:
        case GroupMemberJoined() | GroupMemberAdded() | MembersImported():
            return event.hidden_upto
    return 0


class Crowd:
    """The sessions that events are told to."""

    def __init__(self) -> None:
        self._by_key: dict[Key, set[Session]] = {}
        self._groups: dict[str, set[int]] = {}
        """The groups of each user who has a session."""
        self.hidden: dict[tuple[str, int], int] = {}
        """By user and group, the id up to which messages are not shown to them; 0 is left out."""
        self.sessions: set[Session] = set()
        self.ruled: set[Session] = set()
        """Those whose role may not list all messages."""
        self.watching: set[Session] = set()
        """Those that are told of who comes and goes."""
        self.friendless: set[Session] = set()
        """Those of them that are told of friends only, and whose friends are not known yet."""

    def watch(self, session: "Session") -> None:
        """Note that a session has chosen of whom it is told when they come and go."""
        if session.watched.is_nobody or session not in self.sessions:
            self.watching.discard(session)
        else:
            self.watching.add(session)
            self._check_friends(session)

    def enter(self, session: "Session", groups: Collection[int], hidden: Mapping[int, int]) -> None:
        """Add a session, whose user is a member of these groups; see `hidden`."""
        self.sessions.add(session)
        if not lists_all(session.rules):
            self.ruled.add(session)
        self._groups[session.uid] = set(groups)
        self.hidden |= {(session.uid, group): upto for group, upto in hidden.items()}
        keys: tuple[Key, ...] = (session.uid, *groups)
        for key in keys:
            self._by_key.setdefault(key, set()).add(session)

    def leave(self, session: "Session") -> bool:
        """Remove a session; return whether it was here."""
        if session not in self.sessions:
            return False
        self.sessions.discard(session)
        self.watching.discard(session)
        self.friendless.discard(session)
        self.ruled.discard(session)
        keys: tuple[Key, ...] = (session.uid, *self._groups[session.uid])
        for key in keys:
            self._remove(key, session)
        if session.uid not in self._by_key:
            for group in self._groups.pop(session.uid):
                self.hidden.pop((session.uid, group), None)
        return True

    def of(self, keys: Collection[Key]) -> Collection["Session"]:
        """Return the sessions under any of the keys, each once."""
        if len(keys) == 1:
            [key] = keys
            return self._by_key.get(key, NOBODY)
        found: set[Session] = set()
        return found.union(*(self._by_key.get(key, NOBODY) for key in keys))

    def list_allowed(
        self, sessions: Collection["Session"], message: Message | None
    ) -> Collection["Session"]:
        """Return those of some sessions whose roles may list a message; None is no message."""
        if message is None or self.ruled.isdisjoint(sessions):
            return sessions
        ruled = self.ruled
        return [s for s in sessions if s not in ruled or may_see(s.rules, s.uid, message)]

    def list_shown(self, sessions: Collection["Session"], event: Event) -> Collection["Session"]:
        """Return those of some sessions to whose users the message of an event is not hidden."""
        earlier = find_earlier(event) if self.hidden else None
        if earlier is None:
            return sessions
        conversation, message = earlier
        hidden = self.hidden
        return [s for s in sessions if hidden.get((s.uid, conversation), 0) < message]

    def of_user(self, uid: str) -> Collection["Session"]:
        """Return the sessions of a user."""
        return self._by_key.get(uid, NOBODY)

    def has_any(self, keys: Iterable[Key]) -> bool:
        """Return whether there is a session under any of the keys."""
        return not self._by_key.keys().isdisjoint(keys)

    def admit(self, event: Event) -> None:
        """Add the sessions of users who enter a group with an event, which they are told, too."""
        hidden = find_hidden(event)
        for conversation, uid in list_entering(event):
            sessions = self._by_key.get(uid)
            if sessions is not None:
                if hidden:
                    self.hidden[uid, conversation] = hidden
                self._groups[uid].add(conversation)
                self._by_key.setdefault(conversation, set()).update(sessions)

    def dismiss(self, event: Event) -> None:
        """Remove the sessions of users who leave a group with an event, after they were told."""
        for conversation, uid in list_leaving(event):
            self.hidden.pop((uid, conversation), None)
            for session in self._by_key.get(uid, NOBODY):
                self._groups[uid].discard(conversation)
                self._remove(conversation, session)
        if isinstance(event, GroupDeleted):
            for session in self._by_key.pop(event.conversation, NOBODY):
                self._groups[session.uid].discard(event.conversation)
                self.hidden.pop((session.uid, event.conversation), None)

    def rule(self, event: Event) -> None:
        """Change the rules of the sessions whose role changes with an event."""
        sessions = self.sessions
        if isinstance(event, UserRoleChanged):
            sessions = self._by_key.get(event.uid, set())
        for session in sessions:
            session.rules = rules_after(event, session.uid, session.rules)
            if lists_all(session.rules):
                self.ruled.discard(session)
            else:
                self.ruled.add(session)
            self._check_friends(session)

    def _check_friends(self, session: "Session") -> None:
        if session.watched.lacks_friends(session.rules):
            self.friendless.add(session)

    async def learn_friends(self) -> None:
        """Find the friends of sessions that are told of them only by now; some at a time.

        Raises:
            Unavailable: the database can't be reached.
        """
        for session in list(self.friendless)[:FRIENDS_AT_ONCE]:
            await session.learn_friends()
            self.friendless.discard(session)

    def _remove(self, key: Key, session: "Session") -> None:
        sessions = self._by_key.get(key)
        if sessions is not None:
            sessions.discard(session)
            if not sessions:
                del self._by_key[key]


class Outgoing:
    """The frames of a batch of events, collected so that those of a session are one write.

    A write of one frame takes 4 to 9 µs, nearly all of it in the kernel; one of ten little more.
    """

    def __init__(self) -> None:
        self._frames: dict[Session, list[bytes]] = {}
        self.told = 0
        """The events, counted for each session."""

    def add(self, sessions: Collection["Session"], frame: bytes | None) -> None:
        """Add a frame for sessions; None is no frame."""
        if frame is None:
            return
        self.told += len(sessions)
        frames = self._frames
        for session in sessions:
            if session in frames:
                frames[session].append(frame)
            else:
                frames[session] = [frame]

    def send(self) -> None:
        """Send the frames so far. Sessions with the same frames share the bytes of the write."""
        joined: dict[tuple[bytes, ...], bytes] = {}
        for session, frames in self._frames.items():
            if len(frames) == 1:
                session.tell(frames[0])
                continue
            key = tuple(frames)
            if key not in joined:
                joined[key] = b"".join(frames)
            session.tell_all(frames, joined[key])
        self._frames = {}
