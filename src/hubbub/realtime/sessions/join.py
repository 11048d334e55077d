"""A session joins the feed of its app: from its cursor on, without a gap and without a double.

What a user may see is read in a snapshot of the store, at some number of the log. Once the feed has
told all events up to that number, the changes after it are applied, and the session is at the same
place as the feed. If its client has missed events, they are sent until none is left. Then the
session enters the crowd, in the same step of the event loop.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hubbub.domain.access.credentials import AuthTokenUnknown
from hubbub.outbox.heads import Position
from hubbub.realtime.feeds.audience import Key, ends_session, find_earlier
from hubbub.realtime.feeds.crowd import find_hidden, list_entering, list_leaving
from hubbub.realtime.feeds.feed import Feed, FeedClosed
from hubbub.realtime.feeds.kinds import find_shown, may_see, restricting
from hubbub.realtime.feeds.recent import Told
from hubbub.records.groups.events import GroupDeleted
from hubbub.records.members.store import Membership, list_memberships
from hubbub.records.roles.model import RoleRules
from hubbub.records.users.model import User
from hubbub.records.users.store import Bearer, find_bearers
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

if TYPE_CHECKING:
    from hubbub.realtime.gateway import Gateway
    from hubbub.realtime.sessions.session import Session

CHUNK = 50
"""The missed events that are rendered at once."""


class FellBehind(Exception):
    """The client reads so slowly that events which it has not been sent are dropped by now."""


@dataclass(slots=True)
class Standing:
    """What a user is told, as of a position of the log."""

    user: User
    rules: RoleRules | None
    """If the user's role may not list all messages."""
    token: str
    """The keyed hash of the auth token."""
    position: Position
    memberships: list[Membership]
    first: int
    """The number of the first event since the user was created: earlier ones are not theirs."""

    @property
    def groups(self) -> set[int]:
        """Return the conversations of the groups of which the user is a member."""
        return {each.conversation for each in self.memberships if each.to_event is None}

    @property
    def hidden(self) -> dict[int, int]:
        """Return the ids up to which messages are not shown to the user, by group."""
        return {
            each.conversation: each.hidden_upto
            for each in self.memberships
            if each.to_event is None and each.hidden_upto
        }

    def is_told(self, told: Told) -> bool:
        """Return whether the user is told an event."""
        number, earlier = told.entry.number, find_earlier(told.entry.event)
        return self.user.uid in told.keys or any(
            each.conversation in told.keys
            and each.includes(number)
            and (earlier is None or earlier[1] > each.hidden_upto)
            for each in self.memberships
        )

    def apply(self, told: Told) -> None:
        """Go on to the next event.

        Raises:
            AuthTokenUnknown: the user or the token is refused from that event on.
        """
        event, number, uid = told.entry.event, told.entry.number, self.user.uid
        if ends_session(event, uid, self.token):
            raise AuthTokenUnknown
        for conversation, each in list_entering(event):
            if each == uid and conversation not in self.groups:
                hidden = find_hidden(event)
                self.memberships.append(Membership(conversation, number, None, hidden))
        for conversation, each in list_leaving(event):
            if each == uid:
                self._end(conversation, number)
        if isinstance(event, GroupDeleted):
            self._end(event.conversation, number)

    def _end(self, conversation: int, number: int) -> None:
        self.memberships = [
            replace(each, to_event=number)
            if each.conversation == conversation and each.to_event is None
            else each
            for each in self.memberships
        ]


@dataclass(frozen=True, slots=True, eq=False)
class Arrival:
    """A session that asks what its user is told."""

    app_id: str
    token: str
    """The keyed hash of the auth token."""
    since: int | None
    """The number after which the user is told; None: from now on."""


async def read_standings(runtime: Runtime, arrivals: Sequence[Arrival]) -> list[Standing | None]:
    """Return what users are told; None if the token was revoked, or its user is not active."""
    found: dict[Arrival, Standing] = {}
    for app_id in {each.app_id for each in arrivals}:
        some = [each for each in arrivals if each.app_id == app_id]
        found |= await _read_standings(runtime, app_id, some)
    return [found.get(each) for each in arrivals]


async def _read_standings(
    runtime: Runtime, app_id: str, arrivals: Sequence[Arrival]
) -> dict[Arrival, Standing]:
    async def within(snapshot: Snapshot) -> dict[Arrival, Standing]:
        bearers = await find_bearers(snapshot, {each.token for each in arrivals})
        known = [(each, bearers[each.token]) for each in arrivals if each.token in bearers]
        after: dict[str, int] = {}
        for arrival, bearer in known:
            uid, first = bearer.person.user.uid, _first(arrival, bearer)
            after[uid] = min(first, after.get(uid, first))
        memberships = await list_memberships(snapshot, after)
        return {
            arrival: _standing(arrival, bearer, memberships[bearer.person.user.uid])
            for arrival, bearer in known
        }

    return await runtime.database.read(app_id, within, is_short=True)


def _first(arrival: Arrival, bearer: Bearer) -> int:
    return bearer.event if arrival.since is None else arrival.since


def _standing(arrival: Arrival, bearer: Bearer, memberships: Sequence[Membership]) -> Standing:
    person, first = bearer.person, _first(arrival, bearer)
    return Standing(
        user=person.user,
        rules=restricting(person.rules),
        token=arrival.token,
        position=Position(bearer.epoch, bearer.event),
        memberships=[m for m in memberships if m.to_event is None or m.to_event > first],
        first=bearer.number,
    )


@dataclass(slots=True)
class Joining:
    """A session on its way into the crowd of a feed."""

    feed: Feed
    session: "Session"
    standing: Standing
    missed: Sequence[Told] | None = None
    """What the client has missed; None if it must load everything anew."""

    async def follow(self) -> None:
        """Wait until the feed is where the standing is, and bring the standing to its place."""
        await self.feed.reach(self.standing.position)
        self._catch_up()

    def _catch_up(self) -> None:
        if self.standing.position.number < self.feed.recent.after:
            raise FellBehind
        for told in self.feed.recent.list_after(self.standing.position.number):
            self.standing.apply(told)
        self.standing.position = self.feed.position

    def find_missed(self, since: Position, most: int) -> None:
        """Find the events that the client has missed after a position."""
        feed, standing = self.feed, self.standing
        first = max(feed.recent.after, standing.first - 1)
        is_here = first <= since.number <= feed.position.number
        if since.epoch != feed.position.epoch or not is_here:
            return
        groups = {each.conversation for each in standing.memberships}
        keys: tuple[Key, ...] = (standing.user.uid, *groups)
        found = feed.recent.find(keys, since.number, most=most)
        if found is not None:
            self.missed = [each for each in found if standing.is_told(each)]

    async def replay(self) -> None:
        """Send what the client has missed, and what happens meanwhile; then enter the crowd.

        Raises:
            AuthTokenUnknown: the user or the token was refused meanwhile.
            FeedClosed: the feed has ended.
            FellBehind: the client reads too slowly.
            Unavailable: the database is away.
        """
        session, missed = self.session, self.missed or ()
        while not session.socket.is_ended:
            for at in range(0, len(missed), CHUNK):
                await self._send(missed[at : at + CHUNK])
            if session.socket.is_ended:
                return
            if self.feed.position == self.standing.position:
                self.enter()
                return
            before = self.standing.position.number
            self._catch_up()
            missed = [t for t in self.feed.recent.list_after(before) if self.standing.is_told(t)]

    async def _send(self, told: Sequence[Told]) -> None:
        frames = await self.feed.render(told)
        if self.session.rules is not None:
            shown = await find_shown(self.session.runtime, self.feed.app_id, told)
            told = [t for t in told if may_see(self.session, shown.get(t.entry.number))]
        for each in told:
            found = frames.get(each.entry.number)
            frame = found.of(self.standing.user.uid) if found is not None else None
            if frame is not None:
                self.session.socket.send(frame)
        await self.session.socket.drain()

    def enter(self) -> None:
        """Enter the crowd: from here on the feed tells the session.

        Raises:
            FeedClosed: the feed has ended.
        """
        if self.feed.is_closed:
            raise FeedClosed
        self.feed.crowd.enter(self.session, self.standing.groups, self.standing.hidden)


async def prepare(
    gateway: "Gateway", feed: Feed, session: "Session", since: Position | None
) -> Joining:
    """Return a session on its way into the crowd, at the place of the feed.

    Raises:
        AuthTokenUnknown: the token was revoked, or its user is not active.
        FeedClosed: the feed has ended.
        FellBehind: too much has happened meanwhile.
    """
    if since is not None and (since.epoch != feed.position.epoch or not await feed.remember(since)):
        since = None
    number = since.number if since is not None else None
    standing = await gateway.standings.find(Arrival(feed.app_id, session.token, number))
    if standing is None:
        raise AuthTokenUnknown
    session.rules = standing.rules
    joining = Joining(feed, session, standing)
    await joining.follow()
    if since is not None:
        joining.find_missed(since, gateway.limits.most_missed)
    return joining
