"""Turns: who is next for something that all apps share, such as a thread or a connection.

What waits is kept by app, and in each app by the user who causes it. The next one is of whoever has
the least under way and, of those, has used the least time: so nobody who asks for little waits
behind somebody who asks for much. An app that has wanted nothing for a while begins at what the
others have used by then: it is not owed that time. One that rests (`kernel/rests.py`) begins
nothing meanwhile.

No threads, no event loop, no clock: those who use it say what was used.
"""

from collections import deque
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Generic, TypeVar

from hubbub.kernel.errors import Unavailable

Item = TypeVar("Item")

NO_USER = ""
"""Stands for the app itself, when no user causes the work."""
SHARE_OF_USER = 4
"""A user may fill one part in so many of the queue of their app."""
IDLE_APPS, IDLE_USERS = 1_000, 16
"""About so many apps, and users of each, are remembered although they want nothing."""
NOWHERE = -1


class QueueFull(Unavailable):
    """Too much of the same app, or of the same user, is waiting; others are not affected."""

    def __init__(self) -> None:
        super().__init__(
            "Too many calls are waiting already. Nothing was changed; try again shortly.",
            dev_message="Make fewer calls at a time.",
        )


@dataclass(slots=True, eq=False)
class Party:
    """An app or a user: the time that they have used, and how much of theirs waits."""

    key: str
    used: float
    waiting: int = 0
    place: int = NOWHERE
    """The number of its entry in the order."""


@dataclass(slots=True, eq=False)
class _User(Party, Generic[Item]):
    items: "deque[Turn[Item]]" = field(default_factory=deque)


@dataclass(slots=True, eq=False)
class _App(Party, Generic[Item]):
    users: "_Order[_User[Item]]" = field(default_factory=lambda: _Order(_User, IDLE_USERS))


AnyParty = TypeVar("AnyParty", bound=Party)


class _Order(Generic[AnyParty]):
    """Parties by what they have under way, then by what they have used.

    Their ranks change while they wait. A new entry of the heap then replaces the old one, which is
    skipped when it comes up.
    """

    def __init__(
        self, make: type[AnyParty], most_idle: int, *, most_running: int | None = None
    ) -> None:
        self.parties: dict[str, AnyParty] = {}
        self.running: dict[str, int] = {}
        """How much is under way, of those who have something."""
        self.rests: dict[str, int] = {}
        """The rests that have not ended, of those who rest."""
        self.waiting = 0
        self._make = make
        self._most_idle = self._forgets_at = most_idle
        self._most_running = most_running
        self._heap: list[tuple[int, float, int, AnyParty]] = []
        self._places = count()
        self._floor = self._most_used = 0.0
        """What the party had used whose turn was the last to begin."""

    def has_room(self, key: str) -> bool:
        """Return whether a party may have one thing more under way."""
        if key in self.rests:
            return False
        return self._most_running is None or self.running.get(key, 0) < self._most_running

    def join(self, key: str) -> AnyParty:
        """Note that one thing more of a party waits."""
        party = self._known(key)
        self.waiting += 1
        party.waiting += 1
        if party.waiting == 1:
            if key not in self.running:
                party.used = max(party.used, self._floor)
            self._rank(party)
        return party

    def first(self) -> AnyParty | None:
        """Return the party whose turn it is; None if none may begin anything."""
        heap = self._heap
        while heap:
            if heap[0][2] == heap[0][3].place:
                return heap[0][3]
            heappop(heap)
        return None

    def begin(self, party: AnyParty) -> None:
        """Note that something of a party begins."""
        self.leave(party)
        self.running[party.key] = self.running.get(party.key, 0) + 1
        self._floor = max(self._floor, party.used)
        self._rank(party)

    def end(self, key: str, seconds: float) -> None:
        """Note that something of a party has ended; what it has used counts if others wait."""
        left = self.running[key] - 1
        if left:
            self.running[key] = left
        else:
            del self.running[key]
        if self.waiting:
            self._charge(self._known(key), seconds)
        elif not self.running:
            self._floor = self._most_used  # all begin alike

    def leave(self, party: AnyParty) -> None:
        """Note that something of a party waits no more."""
        self.waiting -= 1
        party.waiting -= 1
        if not party.waiting:
            party.place = NOWHERE

    def rest(self, key: str) -> None:
        """Stop a party from beginning anything until the end of this rest."""
        self.rests[key] = self.rests.get(key, 0) + 1
        self._rank_if_known(key)

    def end_rest(self, key: str) -> None:
        """End one rest of a party."""
        left = self.rests.pop(key) - 1
        if left:
            self.rests[key] = left
        else:
            self._rank_if_known(key)

    def _rank_if_known(self, key: str) -> None:
        party = self.parties.get(key)
        if party is not None:
            self._rank(party)

    def _known(self, key: str) -> AnyParty:
        party = self.parties.get(key)
        if party is None:
            if len(self.parties) >= self._forgets_at:
                self._forget_idle()
            party = self.parties[key] = self._make(key, self._floor)
        return party

    def _charge(self, party: AnyParty, seconds: float) -> None:
        party.used += seconds
        self._most_used = max(self._most_used, party.used)
        self._rank(party)

    def _rank(self, party: AnyParty) -> None:
        if not party.waiting or not self.has_room(party.key):
            party.place = NOWHERE
            return
        party.place = next(self._places)
        rank = (self.running.get(party.key, 0), party.used, party.place, party)
        heappush(self._heap, rank)
        if len(self._heap) > 2 * (self.waiting + self._most_idle):
            self._heap = [entry for entry in self._heap if entry[2] == entry[3].place]
            heapify(self._heap)

    def _forget_idle(self) -> None:
        """Forget those who want nothing and have used no more than who is served now.

        If too many have used more, these are forgotten, too.
        """
        active = {k: each for k, each in self.parties.items() if each.waiting or k in self.running}
        ahead = {k: each for k, each in self.parties.items() if each.used > self._floor}
        is_few = 2 * len(ahead) <= self._most_idle
        self.parties = active | ahead if is_few else active
        self._forgets_at = len(self.parties) + self._most_idle


@dataclass(slots=True, eq=False)
class Turn(Generic[Item]):
    """Something that waits, or is under way, and whose it is."""

    item: Item
    app: _App[Item]
    user: _User[Item]


class Turns(Generic[Item]):
    """What waits for something that all apps share.

    At most `most_waiting` of an app wait, and at most `most_running` are under way.
    """

    def __init__(self, *, most_waiting: int, most_running: int | None = None) -> None:
        self._most_waiting = most_waiting
        self._most_of_user = max(1, most_waiting // SHARE_OF_USER)
        self._apps: _Order[_App[Item]] = _Order(_App, IDLE_APPS, most_running=most_running)

    @property
    def waiting(self) -> int:
        """Return how many items wait."""
        return self._apps.waiting

    @property
    def remembered(self) -> int:
        """Return how many apps are known, those included that want nothing."""
        return len(self._apps.parties)

    @property
    def next_app(self) -> str | None:
        """Return the app whose turn is next; None if nothing may begin."""
        app = self._apps.first()
        return app.key if app is not None else None

    @property
    def next_item(self) -> Item | None:
        """Return the item whose turn is next; None if nothing may begin."""
        app = self._apps.first()
        user = app.users.first() if app is not None else None
        return user.items[0].item if user is not None else None

    def depths(self) -> dict[str, int]:
        """Return how many items wait, by app."""
        return {key: each.waiting for key, each in self._apps.parties.items() if each.waiting}

    def begin(self, app_id: str) -> bool:
        """Begin something of an app without a turn, if nothing waits; return whether it may."""
        apps = self._apps
        if apps.waiting or not apps.has_room(app_id):
            return False
        apps.running[app_id] = apps.running.get(app_id, 0) + 1
        return True

    def end(self, app_id: str, seconds: float) -> None:
        """Note that what began without a turn has ended, and what time it has used."""
        self._apps.end(app_id, seconds)

    def add(self, app_id: str, item: Item, user: str | None = None) -> Turn[Item]:
        """Append an item to what waits.

        Raises:
            QueueFull: too much of the app, or of the user, waits.
        """
        self._check_room(app_id, user)
        app = self._apps.join(app_id)
        turn = Turn(item, app, app.users.join(user or NO_USER))
        turn.user.items.append(turn)
        return turn

    def take(self) -> Turn[Item] | None:
        """Begin the next item; None if nothing may begin."""
        app = self._apps.first()
        if app is None:
            return None
        user = app.users.first()
        assert user is not None, "if something of an app waits, it is of a user"
        self._apps.begin(app)
        app.users.begin(user)
        return user.items.popleft()

    def end_turn(self, turn: Turn[Item], seconds: float) -> None:
        """Note that an item that was taken has ended, and what time it has used."""
        turn.app.users.end(turn.user.key, seconds)
        self._apps.end(turn.app.key, seconds)

    def rest(self, app_id: str) -> None:
        """Begin a rest of an app, in which it begins nothing; several may overlap."""
        self._apps.rest(app_id)

    def end_rest(self, app_id: str) -> None:
        """End one rest of an app."""
        self._apps.end_rest(app_id)

    def drop(self, turn: Turn[Item]) -> None:
        """Take back an item that waits."""
        turn.user.items.remove(turn)
        turn.app.users.leave(turn.user)
        self._apps.leave(turn.app)

    def _check_room(self, app_id: str, user: str | None) -> None:
        app = self._apps.parties.get(app_id)
        if app is None:
            return
        of_user = app.users.parties.get(user) if user else None
        if app.waiting >= self._most_waiting or (
            of_user is not None and of_user.waiting >= self._most_of_user
        ):
            raise QueueFull
