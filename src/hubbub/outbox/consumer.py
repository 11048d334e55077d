"""A consumer of the log: it reads each app's events in order and stores what follows from them.

Its position in an app's log is a row. The transaction that stores the consequences of a batch locks
the row, checks that it still stands where the batch began, and advances it. The lock is the lease:
one node at a time stores a batch, and the others leave the app to it. The position is the fencing
token: a node that was overtaken while it prepared a batch stores nothing.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Generic, Protocol, TypeVar

import structlog

from hubbub.kernel.clock import Clock
from hubbub.kernel.errors import Unavailable
from hubbub.outbox.log import SQL, LogBatch, read_log
from hubbub.outbox.set_aside import (
    SetAside,
    find_event_after,
    insert_set_aside,
    log_set_aside,
    reason_of,
)
from hubbub.storage.interface import INSTALLATION, Database, Event, Snapshot, Transaction

MOST_KEPT = 10_000
"""With the times of more apps, the half with the least is forgotten, and counts as equal."""
Prepared = TypeVar("Prepared")

log = structlog.get_logger()

BATCH_SIZE = 200
LOOK_SECONDS = 0.5
"""So often a consumer with much to do looks which apps have something new."""
LEFT_SECONDS = 1.0
"""An app that is read to its end, or failed, is left for so long, while others are served."""


class AppTimes:
    """The time that each app has used. An app that comes back goes on with those that wait."""

    def __init__(self, most_kept: int = MOST_KEPT) -> None:
        self._most_kept = most_kept
        self._used: dict[str, float] = {}
        self._least = 0.0
        """What the app that came last had used: nobody who waits has used less."""

    def take_next(self, waiting: Iterable[str]) -> str:
        """Return which of the apps that wait is next."""
        chosen = min(waiting, key=self._used_by)
        self._least = self._used_by(chosen)
        return chosen

    def charge(self, app_id: str, seconds: float) -> None:
        """Add the time of a turn."""
        self._used[app_id] = self._used_by(app_id) + seconds
        if len(self._used) > self._most_kept:
            self._forget_half()

    def _forget_half(self) -> None:
        kept = sorted(self._used.items(), key=itemgetter(1))[len(self._used) // 2 :]
        self._least = max(self._least, kept[0][1])
        self._used = dict(kept)

    def _used_by(self, app_id: str) -> float:
        return max(self._used.get(app_id, 0.0), self._least)


class KeptEvents(Protocol):
    """Events that this node has in memory, since it committed them."""

    def has_any(self, app_id: str) -> bool:
        """Return whether events of an app are kept."""
        ...

    def next_batch(
        self, app_id: str, after: int, kinds: Collection[type[Event]], *, limit: int
    ) -> LogBatch | None:
        """Return up to `limit` events after a number; None if they have to be read."""
        ...


class Overtaken(Exception):
    """Another node has done a part of the batch: nothing of it is stored, it is read again."""


def always() -> bool:
    """Return True: pauses are always needed."""
    return True


@dataclass(frozen=True, slots=True)
class Pace:
    """The pauses of a consumer: requests wait for one batch, not for all."""

    rest: float = 2.0
    """The pause after a batch, in times of what it took."""
    longest_rest: float = 0.05
    far_behind: float = 5_000
    """With so many events to go, and more than at the last look, there is no pause: most consumers
    must not fall behind. What a burst has left is not urgent."""
    is_needed: Callable[[], bool] = always
    """Whether others need the time."""


@dataclass(frozen=True, slots=True)
class Behind:
    """Where the log of an app ends, and the position of a consumer that has not read all of it."""

    end: int
    position: int

    @property
    def lag(self) -> int:
        return self.end - self.position


@dataclass(slots=True)
class Trouble:
    """A batch of an app that failed: it is tried once more, then its events one at a time."""

    upto: int = 0
    """Once the batch has failed again: the events up to this number are read one at a time."""
    after: int = 0
    """The position before the event that is read alone."""

    @property
    def is_split(self) -> bool:
        return self.upto > 0


@dataclass(slots=True, eq=False)
class ConsumerState:
    """What a node keeps of a consumer from one call to the next."""

    clock: Clock
    turns: AppTimes = field(default_factory=AppTimes)
    troubles: dict[str, Trouble] = field(default_factory=dict)
    """By app."""
    lags: Mapping[str, int] = field(default_factory=dict)
    """How many events each app had to go at the last look."""
    set_aside: int = 0
    """The events that this node has set aside."""
    left_out: set[tuple[str, str]] = field(default_factory=set)
    """Of a reader: the apps and ids of events that it leaves out."""


@dataclass(frozen=True, slots=True)
class Consumer(Generic[Prepared]):
    """What a consumer reads and does. Every node runs it."""

    name: str
    """The key of its positions: never changes."""
    kinds: Collection[type[Event]]
    """The events that it reads; it passes over all others."""
    database: Database
    prepare: Callable[[LogBatch], Awaitable[tuple[Prepared, int]]]
    """Does the slow work, before the transaction, at least once for each event. Returns what is to
    be stored, and the number of the last event that it covers: the batch's, or an earlier one's."""
    apply: Callable[[Transaction, Prepared], Awaitable[None]]
    """Stores what was prepared, in the transaction that advances the position: once."""
    state: ConsumerState
    is_optional: bool = False
    """Whether it reads only the logs of apps where its position was started."""
    is_derived: bool = False
    """Whether it stores nothing but what it would make again from the same events."""
    pace: Pace = Pace()
    batch_size: int = BATCH_SIZE
    """The most events of a batch."""
    kept: KeptEvents | None = None
    """Where events are that need not be read from the log."""

    async def consume_all(self) -> None:
        """Read all logs to their ends, a batch at a time of the app that has used the least time.

        An app that another node works on, whose batch fails, or that is read to the end it had at
        the start, is left for a second, so that it delays no other app, and a busy app costs few
        large batches, not one for each send.

        Raises:
            Unavailable: the database is away.
        """
        left: dict[str, float] = {}
        while behind := await self._list_behind(left):
            urgent = self._note_lags(behind)
            looks_at = time.perf_counter() + LOOK_SECONDS
            while behind and time.perf_counter() < looks_at:
                app_id = self.state.turns.take_next(behind)
                began = time.perf_counter()
                end = behind[app_id].end
                reached = await self._take_turn(app_id, end)
                ended = time.perf_counter()
                self.state.turns.charge(app_id, ended - began)
                if reached is None or reached >= end:
                    left[app_id] = ended + LEFT_SECONDS
                    del behind[app_id]
                elif app_id not in urgent and self.pace.is_needed():
                    rest = self.pace.rest * (ended - began)
                    await asyncio.sleep(min(self.pace.longest_rest, rest))

    async def consume_batch(self, app_id: str, *, limit: int | None = None) -> int | None:
        """Process the next events of an app and return the number of the last one covered.

        Return None if there are no events, or another node has them.
        """
        batch = await self._next_batch(app_id, limit or self.batch_size)
        if batch.upto == batch.after:
            return None
        prepared, upto = await self.prepare(batch)

        async def within(tx: Transaction) -> int | None:
            if await self._lock_position(tx) != batch.after:
                return None
            await self.apply(tx, prepared)
            await tx.run(SQL.store_position, consumer=self.name, event=upto)
            return upto

        return await self.database.write(app_id, within, is_derived=self.is_derived)

    async def _take_turn(self, app_id: str, end: int) -> int | None:
        """Process the next events of an app; return None if it is to be left.

        What the database refuses is tried again for ever. A batch that fails for another reason is
        tried once more, then its events one at a time: one of them, or something that it is about,
        may be what no version of the code can process.
        """
        trouble = self.state.troubles.get(app_id)
        try:
            if trouble is not None and trouble.is_split:
                return await self._take_one(app_id, trouble, end)
            reached = await self.consume_batch(app_id)
        except (Unavailable, Overtaken):
            return None
        except Exception as defect:
            log.error("consumer_failed", consumer=self.name, app=app_id, exc_info=defect)
            await self._note_failure(app_id, trouble, defect)
            return None
        self.state.troubles.pop(app_id, None)
        return reached

    async def _take_one(self, app_id: str, trouble: Trouble, end: int) -> int | None:
        """Process the next event alone, up to the end of the batch that failed, or of the log."""
        trouble.after = await self._find_position(app_id)
        reached = await self.consume_batch(app_id, limit=1)
        if reached is not None and reached >= min(trouble.upto, end):
            del self.state.troubles[app_id]
        return reached

    async def _note_failure(self, app_id: str, trouble: Trouble | None, defect: Exception) -> None:
        """Decide what follows when a batch failed; an event that failed alone is set aside."""
        if trouble is None:
            self.state.troubles[app_id] = Trouble()
        elif trouble.is_split:
            await self._set_aside(app_id, trouble.after, defect)
        else:
            position = await self._find_position(app_id)
            trouble.upto = position + self.batch_size

    async def _set_aside(self, app_id: str, after: int, defect: Exception) -> None:
        """Pass over the event after a number, and say why; nothing if another node went on."""
        reason, at = reason_of(defect), self.state.clock.now()

        async def within(tx: Transaction) -> SetAside | None:
            event = await find_event_after(tx, after)
            if event is None or await self._lock_position(tx) != after:
                return None
            row = SetAside(at, event.number, self.name, event.id, event.name, reason)
            await insert_set_aside(tx, row)
            await tx.run(SQL.store_position, consumer=self.name, event=event.number)
            return row

        row = await self.database.write(app_id, within)
        if row is not None:
            self.state.set_aside += 1
            log_set_aside(app_id, row)

    def _note_lags(self, behind: Mapping[str, "Behind"]) -> Collection[str]:
        """Return the apps that are far behind, and further than they were at the last look."""
        lags = {app_id: each.lag for app_id, each in behind.items()}
        before, self.state.lags = self.state.lags, lags
        far = self.pace.far_behind
        return {app for app, lag in lags.items() if lag >= far and lag > before.get(app, lag)}

    async def _list_behind(self, left: Mapping[str, float]) -> dict[str, "Behind"]:
        """Return apps whose logs go on beyond the position.

        Those that are `left` until a time are not among them before.
        """
        query = SQL.list_started_behind if self.is_optional else SQL.list_behind
        rows = await self.database.read(
            INSTALLATION, lambda snapshot: snapshot.fetch(query, consumer=self.name)
        )
        now = time.perf_counter()
        return {row[0]: Behind(*row[1:]) for row in rows if left.get(row[0], now) <= now}

    async def _find_position(self, app_id: str) -> int:
        return await self.database.read(app_id, lambda snapshot: find_position(snapshot, self.name))

    async def _next_batch(self, app_id: str, limit: int) -> LogBatch:
        if self.kept is not None and self.kept.has_any(app_id):
            row = await self.database.point(app_id, SQL.find_position, consumer=self.name)
            after = row[0] if row is not None else 0
            batch = self.kept.next_batch(app_id, after, self.kinds, limit=limit)
            if batch is not None:
                return batch
        return await self.database.read(app_id, lambda tx: self._read_batch(tx, limit))

    async def _read_batch(self, snapshot: Snapshot, limit: int) -> LogBatch:
        after = await find_position(snapshot, self.name)
        return await read_log(snapshot, after, self.kinds, limit=limit)

    async def _lock_position(self, tx: Transaction) -> int | None:
        """Lock the position until the commit and return it.

        Return None if another node holds it, or if it is optional and was ended.
        """
        row = await tx.fetch_one(SQL.lock_position, consumer=self.name)
        if row is None and not self.is_optional:
            await start_position(tx, self.name, 0)
            row = await tx.fetch_one(SQL.lock_position, consumer=self.name)
        return row[0] if row is not None else None


async def find_position(snapshot: Snapshot, consumer: str) -> int:
    """Return the number of the last event that a consumer covered in an app; 0 at the beginning."""
    row = await snapshot.fetch_one(SQL.find_position, consumer=consumer)
    return row[0] if row is not None else 0


async def start_position(tx: Transaction, consumer: str, event: int) -> None:
    """Have a consumer read the app's log after an event; a position that exists stays."""
    await tx.run(SQL.insert_position, consumer=consumer, event=event)


async def end_position(tx: Transaction, consumer: str) -> None:
    """Delete the position: an optional consumer reads the app's log no more."""
    await tx.run(SQL.delete_position, consumer=consumer)


async def count_lags(snapshot: Snapshot, consumers: Mapping[str, bool]) -> dict[str, int]:
    """Return for each consumer how many events of all apps it has not covered.

    `consumers` says of each by its name whether it reads only where its position was started.
    """
    lags = {}
    for name, is_optional in consumers.items():
        query = SQL.count_started_lag if is_optional else SQL.count_lag
        row = await snapshot.fetch_one(query, consumer=name)
        lags[name] = int(row[0]) if row is not None else 0
    return lags
