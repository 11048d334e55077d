"""A session joins the feed of its app: from its cursor on, without a gap and without a double.

What a user may see is read in a snapshot of the store, at some number of the log. Once the feed has
told all events up to that number, the changes after it are applied, and the session is at the same
place as the feed. If its client has missed events, they are sent until none is left. Then the
session enters the crowd, in the same step of the event loop.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hubbub.domain.access.credentials import AuthTokenUnknown
from hubbub.outbox.audience import Key
from hubbub.outbox.heads import Position
from hubbub.realtime.feeds.feed import Feed, FeedClosed
from hubbub.realtime.feeds.kinds import lists_all, may_see
from hubbub.realtime.feeds.recent import Told
from hubbub.realtime.feeds.standing import Arrival, Standing

if TYPE_CHECKING:
    from hubbub.realtime.gateway import Gateway
    from hubbub.realtime.sessions.session import Session

CHUNK = 50
"""The missed events that are rendered at once."""


class FellBehind(Exception):
    """The client reads so slowly that events which it has not been sent are dropped by now."""


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
        rules, uid = self.standing.rules, self.session.uid
        if not lists_all(rules):
            told, shown = await self.feed.show(told)
            told = [t for t in told if may_see(rules, uid, shown.get(t.entry.number))]
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
        self.session.rules = self.standing.rules
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
    standing = await feed.standings.find(Arrival(session.token, number))
    if standing is None:
        raise AuthTokenUnknown
    joining = Joining(feed, session, standing)
    await joining.follow()
    if since is not None:
        joining.find_missed(since, gateway.limits.most_missed)
    return joining
