"""The listeners of a feed: its sessions on this node, by their users and by the users' groups."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from hubbub.http.server.websocket import SLOW_CONSUMER, WebSocket
from hubbub.outbox.audience import Key
from hubbub.realtime.feeds.kinds import RULING, lists_all, may_see
from hubbub.realtime.feeds.told import find_earlier
from hubbub.realtime.feeds.visibility import UserVisibility, close_to, open_to
from hubbub.realtime.feeds.watching import NOBODY, Watched, find_friends
from hubbub.realtime.protocol.frames import Device
from hubbub.records.friends.events import FriendsAdded, FriendsRemoved
from hubbub.records.growing.signals import MessageAppended
from hubbub.records.messages.model import MESSAGE, TEXT, Message
from hubbub.records.roles.events import UserRoleChanged
from hubbub.records.roles.model import RoleRules
from hubbub.runtime import Runtime
from hubbub.storage.interface import Event

FRIENDS = (FriendsAdded, FriendsRemoved)
FRIENDS_AT_ONCE = 100
"""The listeners whose friends are read in a second, after the rules of their role have changed."""
NOTHING = UserVisibility("", RoleRules(""), {})


@dataclass(slots=True, eq=False)
class Listener:
    """A session, as others know it: whose it is, and what it is told."""

    socket: WebSocket
    id: str
    connected_at: int
    most_held: int
    """The events that may wait for the reply to a call."""
    app_id: str = ""
    uid: str = ""
    token: str = ""
    """The keyed hash of the auth token."""
    device: Device = Device()  # it is frozen
    visibility: UserVisibility = field(default_factory=lambda: NOTHING)
    """What the user is told; the listeners of a user share it."""
    watched: Watched = field(default_factory=lambda: NOBODY)
    """Of whom it is told when they come and go."""
    held: list[bytes] | None = None
    """Events that wait for the reply to a call."""

    def tell(self, frame: bytes) -> None:
        """Send an event. While a call is carried out it waits, so that the reply comes first."""
        if self.held is None:
            self.socket.send(frame)
        else:
            self.tell_all([frame], frame)

    def tell_all(self, frames: Sequence[bytes], joined: bytes) -> None:
        """Send events, which are also given as one sequence of bytes."""
        if self.held is None:
            self.socket.send_all(frames, joined)
        elif len(self.held) + len(frames) <= self.most_held:
            self.held += frames
        else:
            self.socket.close(SLOW_CONSUMER, "Too much happened during a call.")


NOT_HERE: frozenset[Listener] = frozenset()


class Listeners:
    """Those whom a feed tells events."""

    def __init__(self) -> None:
        self._by_key: dict[Key, set[Listener]] = {}
        self._users: dict[str, UserVisibility] = {}
        """What each user is told who has a listener."""
        self._hiding: set[Key] = set()
        """The groups in which a message is not shown to a user who has a listener."""
        self.everyone: set[Listener] = set()
        self.ruled: set[Listener] = set()
        """Those whose role may not list all messages."""
        self.watching: set[Listener] = set()
        """Those that are told of who comes and goes."""
        self._friendless: set[Listener] = set()
        """Those of them that are told of friends only, and whose friends are not known yet."""

    def enter(self, listener: Listener, visibility: UserVisibility) -> None:
        """Add a listener, and what its user is told."""
        uid, groups = listener.uid, visibility.groups
        known = self._users.setdefault(uid, visibility)
        # They are equal, unless an event was lost: then the user's other sessions are ending.
        for conversation in known.groups.keys() - groups.keys():
            self._leave_group(uid, conversation)
        known.rules, known.groups = visibility.rules, groups
        listener.visibility = known
        self.everyone.add(listener)
        if not lists_all(visibility.rules):
            self.ruled.add(listener)
        self._hiding.update(group for group, hidden_upto in groups.items() if hidden_upto)
        keys: tuple[Key, ...] = (uid, *groups)
        for key in keys:
            self._by_key.setdefault(key, set()).add(listener)

    def leave(self, listener: Listener) -> bool:
        """Remove a listener; return whether it was here."""
        if listener not in self.everyone:
            return False
        for group in (self.everyone, self.watching, self._friendless, self.ruled):
            group.discard(listener)
        keys: tuple[Key, ...] = (listener.uid, *listener.visibility.groups)
        for key in keys:
            self._remove(key, listener)
        if listener.uid not in self._by_key:
            del self._users[listener.uid]
        return True

    def end(self, code: int, reason: str) -> None:
        """End all sessions."""
        for listener in list(self.everyone):
            listener.socket.close(code, reason)

    def of(self, keys: Collection[Key]) -> Collection[Listener]:
        """Return the listeners under any of the keys, each once."""
        if len(keys) == 1:
            [key] = keys
            return self._by_key.get(key, NOT_HERE)
        found: set[Listener] = set()
        return found.union(*(self._by_key.get(key, NOT_HERE) for key in keys))

    def of_user(self, uid: str) -> Collection[Listener]:
        """Return the listeners of a user."""
        return self._by_key.get(uid, NOT_HERE)

    def has_any(self, keys: Iterable[Key]) -> bool:
        """Return whether there is a listener under any of the keys."""
        return not self._by_key.keys().isdisjoint(keys)

    def list_allowed(
        self, listeners: Collection[Listener], message: Message | None
    ) -> Collection[Listener]:
        """Return those of some listeners whose roles may list a message; None is no message."""
        if message is None or self.ruled.isdisjoint(listeners):
            return listeners
        ruled = self.ruled
        return [
            each
            for each in listeners
            if each not in ruled or may_see(each.visibility.rules, each.uid, message)
        ]

    def list_growing(
        self, listeners: Collection[Listener], signal: MessageAppended
    ) -> Collection[Listener]:
        """Return those of some listeners who are shown a message that grows."""
        group, message = signal.conversation, signal.message
        if group in self._hiding:
            listeners = [
                each for each in listeners if each.visibility.groups.get(group, 0) < message
            ]
        if self.ruled.isdisjoint(listeners):
            return listeners
        return [
            each
            for each in listeners
            if each.uid == signal.sender
            or each not in self.ruled
            or each.visibility.rules.shows_messages_of(MESSAGE, TEXT)
        ]

    def list_shown(self, listeners: Collection[Listener], event: Event) -> Collection[Listener]:
        """Return those of some listeners to whose users the message of an event is not hidden."""
        earlier = find_earlier(event) if self._hiding else None
        if earlier is None or earlier[0] not in self._hiding:
            return listeners
        conversation, message = earlier
        return [each for each in listeners if each.visibility.groups.get(conversation, 0) < message]

    # What changes with events

    def open(self, event: Event) -> None:
        """Change who is told what before an event is told."""
        for uid, conversation in open_to(self._users, event):
            self._by_key.setdefault(conversation, set()).update(self._by_key[uid])
            if self._users[uid].groups[conversation]:
                self._hiding.add(conversation)
        if isinstance(event, RULING):
            ruled = self.of_user(event.uid) if isinstance(event, UserRoleChanged) else self.everyone
            for listener in ruled:
                self._check_rules(listener)

    def close(self, event: Event) -> None:
        """Change who is told what after an event was told."""
        for uid, conversation in close_to(self._users, event):
            self._leave_group(uid, conversation)
        for listener in self.watching if isinstance(event, FRIENDS) else ():
            listener.watched.apply(listener.uid, event)

    def _leave_group(self, uid: str, conversation: int) -> None:
        for listener in self.of_user(uid):
            self._remove(conversation, listener)

    def _check_rules(self, listener: Listener) -> None:
        if lists_all(listener.visibility.rules):
            self.ruled.discard(listener)
        else:
            self.ruled.add(listener)
        self._check_friends(listener)

    def _remove(self, key: Key, listener: Listener) -> None:
        listeners = self._by_key.get(key)
        if listeners is not None:
            listeners.discard(listener)
            if not listeners:
                del self._by_key[key]
                self._hiding.discard(key)

    # Presence

    def watch(self, listener: Listener) -> None:
        """Note that a listener has chosen of whom it is told when they come and go."""
        if listener.watched.is_nobody or listener not in self.everyone:
            self.watching.discard(listener)
        else:
            self.watching.add(listener)
            self._check_friends(listener)

    def _check_friends(self, listener: Listener) -> None:
        if listener.watched.lacks_friends(listener.visibility.rules):
            self._friendless.add(listener)

    async def learn_friends(self, runtime: Runtime) -> None:
        """Find the friends of listeners that are told of them only by now; some at a time.

        Raises:
            Unavailable: the database can't be reached.
        """
        for each in list(self._friendless)[:FRIENDS_AT_ONCE]:
            each.watched.friends = await find_friends(runtime, each.app_id, each.uid)
            self._friendless.discard(each)
