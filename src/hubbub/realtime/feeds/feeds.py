"""The feeds of a node: one for each app that has sessions, and what reaches them."""

import asyncio
from collections.abc import Collection, Sequence
from functools import partial

import structlog
from msgspec import Struct

from hubbub.bus.interface import BusSubscription
from hubbub.domain.access.credentials import find_app
from hubbub.kernel.gathered import Gathered
from hubbub.outbox.heads import Position
from hubbub.outbox.positions import find_head, list_heads
from hubbub.outbox.signals import subject_of
from hubbub.realtime.feeds.admission import Admission, Arrival, read_admissions
from hubbub.realtime.feeds.feed import Feed
from hubbub.realtime.feeds.signals import (
    Committed,
    Signal,
    announced_of,
    decode_message,
    encode_committed,
)
from hubbub.realtime.protocol.close_codes import TOKEN_REFUSED
from hubbub.records.apps.model import InvalidApp
from hubbub.records.growing.signals import MessageAppended
from hubbub.records.receipts.signals import GroupMarked
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Announced

log = structlog.get_logger()

IDLE_SECONDS = 60.0
"""The time that a feed is kept without sessions, for clients that come back."""


JOINING_AT_ONCE = 16
"""The sessions of an app for which a reading of the store is."""
APPS_AT_ONCE = 8
"""The apps for which there are such readings at the same time: requests need connections, too."""


class Feeds:
    """The feeds by app. Commits, signals and the bus reach them from here."""

    def __init__(self, runtime: Runtime, most_kept: int) -> None:
        self._runtime = runtime
        self._most_kept = most_kept
        self._feeds: dict[str, Feed] = {}
        self._opening: dict[str, asyncio.Task[Feed]] = {}
        self._subscriptions: dict[str, BusSubscription] = {}
        self._telling: set[asyncio.Task[None]] = set()
        self._reading = asyncio.Semaphore(APPS_AT_ONCE)
        runtime.heads.listen(self._note)
        runtime.signals.listen(self._hint)
        runtime.bus.on_reconnect(self._catch_up)
        runtime.sockets.find_lag = self.find_lag

    def _now(self) -> float:
        return self._runtime.clock.monotonic()

    async def look(self, used: Collection[Feed | None]) -> None:
        """Compare the feeds with the logs, and drop those that are not used.

        Raises:
            Unavailable: the database can't be reached.
        """
        await self._compare()
        for app_id, feed in list(self._feeds.items()):
            await self._check_app(app_id, feed)
            await feed.hints.look()
            await feed.listeners.learn_friends(self._runtime)
        await self._drop_idle(used)

    def find_lag(self) -> tuple[int, float]:
        """Return the largest lag of a feed in events, and the largest in seconds."""
        lags = [feed.tail.lag() for feed in self._feeds.values() if not feed.is_closed]
        events = max((lag[0] for lag in lags), default=0)
        return events, max((lag[1] for lag in lags), default=0.0)

    def close(self) -> None:
        """End all feeds."""
        self._runtime.heads.ignore(self._note)
        self._runtime.signals.ignore(self._hint)
        for feed in self._feeds.values():
            feed.close()

    async def find(self, app_id: str) -> Feed:
        """Return the feed of an app, which is opened if there is none.

        Raises:
            InvalidApp: there is no such app.
            Unavailable: the database can't be reached.
        """
        feed = self._feeds.get(app_id)
        if feed is not None and not feed.is_closed:
            feed.used_at = self._now()
            return feed
        opening = self._opening.get(app_id)
        if opening is None:
            opening = self._opening[app_id] = asyncio.create_task(self._open_feed(app_id))
            opening.add_done_callback(lambda _: self._opening.pop(app_id))
        return await asyncio.shield(opening)

    async def _open_feed(self, app_id: str) -> Feed:
        head = await self._runtime.database.read(app_id, find_head, is_short=True)
        if not head.epoch:
            raise InvalidApp(app_id)
        admissions = Gathered(partial(self._read_admissions, app_id), JOINING_AT_ONCE)
        feed = Feed(self._runtime, app_id, head, most_kept=self._most_kept, admissions=admissions)
        feed.used_at = self._now()
        self._feeds[app_id] = feed
        if app_id not in self._subscriptions:
            self._subscriptions[app_id] = await self._runtime.bus.subscribe(
                subject_of(app_id), partial(self._receive, app_id)
            )
        return feed

    async def _read_admissions(
        self, app_id: str, arrivals: Sequence[Arrival]
    ) -> list[Admission | None]:
        async with self._reading:
            return await read_admissions(self._runtime, app_id, arrivals)

    def _note(self, announced: Announced) -> None:
        feed = self._feeds.get(announced.app_id)
        if feed is not None:
            feed.note(announced)
        bus = self._runtime.bus
        if bus.is_configured:
            message = encode_committed(announced, bus.largest_message)
            bus.publish(subject_of(announced.app_id), message)

    def _hint(self, app_id: str, signal: Struct) -> None:
        feed = self._feeds.get(app_id)
        if feed is not None:
            self._tell(feed, signal)  # type: ignore[arg-type]  # these are all that there are

    def _tell(self, feed: Feed, signal: Signal) -> None:
        if isinstance(signal, MessageAppended):
            feed.hints.tell_append(signal, feed.position.number)
        elif isinstance(signal, GroupMarked):
            task = asyncio.create_task(feed.hints.tell_mark(signal))
            self._telling.add(task)
            task.add_done_callback(self._told)
        else:
            feed.hints.tell(signal)

    def _told(self, task: asyncio.Task[None]) -> None:
        self._telling.discard(task)
        if not task.cancelled() and (failure := task.exception()):
            log.warning("mark_not_told", reason=repr(failure))

    def _receive(self, app_id: str, message: bytes) -> None:
        """Take what another node tells of an app."""
        received, feed = decode_message(message), self._feeds.get(app_id)
        if feed is None or received is None:
            return
        if not isinstance(received, Committed):
            self._tell(feed, received)
            return
        position = Position(received.epoch, received.last)
        self._runtime.heads.advance(app_id, position)
        announced = announced_of(app_id, received)
        if announced is not None:
            feed.note(announced)
        else:
            feed.notice(position)

    def _catch_up(self) -> None:
        """Look at the logs: while the bus was away, other nodes could tell nothing."""
        task = asyncio.create_task(self._compare())
        self._telling.add(task)
        task.add_done_callback(self._told)

    async def _compare(self) -> None:
        """Compare the feeds with the logs: the bus may have lost something, or be away."""
        if self._runtime.database.is_shared and self._feeds:
            for app_id, position in await self._read_heads():
                self._runtime.heads.advance(app_id, position)
                if (feed := self._feeds.get(app_id)) is not None:
                    feed.notice(position)

    async def _read_heads(self) -> Sequence[tuple[str, Position]]:
        app_ids = list(self._feeds)
        return await self._runtime.database.read(
            INSTALLATION, lambda snapshot: list_heads(snapshot, app_ids)
        )

    async def _check_app(self, app_id: str, feed: Feed) -> None:
        """End the sessions of an app that was deleted."""
        try:
            await find_app(self._runtime, app_id)
        except InvalidApp as refusal:
            feed.listeners.end(TOKEN_REFUSED, refusal.message)
            await self._drop(app_id, feed)

    async def _drop_idle(self, used: Collection[Feed | None]) -> None:
        """Drop the feeds that no session has had for a while."""
        now = self._now()
        for app_id, feed in list(self._feeds.items()):
            if feed.listeners.everyone:
                feed.used_at = now
            is_over = feed.is_closed or now - feed.used_at > IDLE_SECONDS
            if is_over and feed not in used:
                await self._drop(app_id, feed)

    async def _drop(self, app_id: str, feed: Feed) -> None:
        feed.close()
        if self._feeds.get(app_id) is feed:
            del self._feeds[app_id]
            subscription = self._subscriptions.pop(app_id, None)
            if subscription is not None:
                await subscription.close()
