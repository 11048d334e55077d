"""A session joins the feed of its app: from its cursor on, without a gap and without a double.

What a user may see is read in a snapshot of the store, at some number of the log. Once the feed has
told all events up to that number, the changes after it are applied, and the session is at the same
place as the feed. If its client has missed events, they are sent until none is left. Then the
session joins the listeners, in the same step of the event loop.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.domain.access.credentials import AuthTokenUnknown
from hubbub.outbox.audience import Key
from hubbub.outbox.heads import Position
from hubbub.realtime.feeds.admission import Admission, Arrival
from hubbub.realtime.feeds.feed import Feed
from hubbub.realtime.feeds.kinds import lists_all, may_see
from hubbub.realtime.feeds.listeners import Listener
from hubbub.realtime.feeds.recent import Told
from hubbub.realtime.feeds.tail import FeedClosed
from hubbub.realtime.feeds.told import ends_session
from hubbub.realtime.feeds.visibility import go_on

CHUNK = 50
"""The missed events that are rendered at once."""


class FellBehind(Exception):
    """The client reads so slowly that events which it has not been sent are dropped by now."""


@dataclass(slots=True)
class Joining:
    """A session on its way to the listeners of a feed."""

    feed: Feed
    listener: Listener
    admission: Admission
    position: Position
    """What the user is told is as of this one: as it was read, then as events have changed it."""
    missed: Sequence[Told] | None = None
    """What the client has missed; None if it must load everything anew."""

    async def follow(self, since: Position | None, most_missed: int) -> None:
        """Wait until the feed is where this is, and go on to its place, without a gap.

        Raises:
            AuthTokenUnknown: the user or the token is refused meanwhile.
            FeedClosed: the feed has ended.
            FellBehind: too much has happened meanwhile.
        """
        await self.feed.reach(self.position)
        told = self._catch_up()
        if since is not None:
            self._find_missed(since, told, most_missed)

    def _catch_up(self) -> list[Told]:
        """Go on to the place of the feed; return the events on the way that the user is told."""
        recent, number = self.feed.recent, self.position.number
        if number < recent.after:
            raise FellBehind
        listener, found = self.listener, list[Told]()
        for told in recent.list_after(number):
            if ends_session(told.entry.event, listener.uid, listener.token):
                raise AuthTokenUnknown
            if go_on(self.admission.visibility, told):
                found.append(told)
        self.position = self.feed.position
        return found

    def _find_missed(self, since: Position, new: Sequence[Told], most: int) -> None:
        """Find the events that the client has missed; `new` are those after what was read."""
        feed, admission = self.feed, self.admission
        first = max(feed.recent.after, admission.first - 1)
        is_here = first <= since.number <= feed.position.number
        if since.epoch != feed.position.epoch or not is_here:
            return
        groups = {each.conversation for each in admission.memberships}
        keys: tuple[Key, ...] = (self.listener.uid, *groups)
        found = feed.recent.find(keys, since.number, most=most)
        if found is not None:
            upto = admission.position.number
            old = [each for each in found if each.entry.number <= upto and admission.was_told(each)]
            self.missed = [*old, *(each for each in new if each.entry.number > since.number)]

    async def replay(self) -> None:
        """Send what the client has missed, and what happens meanwhile; then join the listeners.

        Raises:
            AuthTokenUnknown: the user or the token was refused meanwhile.
            FeedClosed: the feed has ended.
            FellBehind: the client reads too slowly.
            Unavailable: the database is away.
        """
        socket, missed = self.listener.socket, self.missed or ()
        while not socket.is_ended:
            for at in range(0, len(missed), CHUNK):
                await self._send(missed[at : at + CHUNK])
            if socket.is_ended:
                return
            if self.feed.position == self.position:
                self.enter()
                return
            missed = self._catch_up()

    async def _send(self, told: Sequence[Told]) -> None:
        renderer, uid = self.feed.renderer, self.listener.uid
        rules = self.admission.visibility.rules
        frames = await renderer.render(told)
        if not lists_all(rules):
            told, shown = await renderer.show(told)
            told = [t for t in told if may_see(rules, uid, shown.get(t.entry.number))]
        for each in told:
            found = frames.get(each.entry.number)
            frame = found.of(uid) if found is not None else None
            if frame is not None:
                self.listener.socket.send(frame)
        await self.listener.socket.drain()

    def enter(self) -> None:
        """Join the listeners: from here on the feed tells the session.

        Raises:
            FeedClosed: the feed has ended.
        """
        if self.feed.is_closed:
            raise FeedClosed
        self.feed.listeners.enter(self.listener, self.admission.visibility)


async def prepare(
    feed: Feed, listener: Listener, since: Position | None, most_missed: int
) -> Joining:
    """Return a session on its way to the listeners, at the place of the feed.

    Raises:
        AuthTokenUnknown: the token was revoked, or its user is not active.
        FeedClosed: the feed has ended.
        FellBehind: too much has happened meanwhile.
    """
    if since is not None and (since.epoch != feed.position.epoch or not await feed.remember(since)):
        since = None
    number = since.number if since is not None else None
    admission = await feed.admissions.find(Arrival(listener.token, number, listener.uid))
    if admission is None:
        raise AuthTokenUnknown
    joining = Joining(feed, listener, admission, admission.position)
    await joining.follow(since, most_missed)
    return joining
