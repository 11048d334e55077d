"""A consumer of the log: it reads each app's events in order and stores what follows from them.

Its position in an app's log is a row. The transaction that stores the consequences of a batch locks
the row, checks that it still stands where the batch began, and advances it. The lock is the lease:
one node at a time stores a batch, and the others leave the app to it. The position is the fencing
token: a node that was overtaken while it prepared a batch stores nothing.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Generic, TypeVar

import structlog

from hubbub.kernel.errors import Unavailable
from hubbub.outbox.counters import SQL
from hubbub.outbox.log import LogBatch, read_log
from hubbub.storage.interface import INSTALLATION, Database, Event, Snapshot, Transaction

Prepared = TypeVar("Prepared")

log = structlog.get_logger()

BATCH_SIZE = 200
MOST_APPS = 50


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
    """With so many events to go there is no pause: most consumers must not fall behind."""
    is_needed: Callable[[], bool] = always
    """Whether others need the time."""


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
    is_optional: bool = False
    """Whether it reads only the logs of apps where its position was started."""
    pace: Pace = Pace()
    batch_size: int = BATCH_SIZE
    """The most events of a batch."""

    async def consume_all(self) -> None:
        """Read all logs to their ends, a batch of each app in turn.

        An app that another node works on, or whose batch fails for a defect, is left until the
        next call, so that it delays no other app. So are events that arrive meanwhile: a busy app
        costs few large batches, not one for each send.

        Raises:
            Unavailable: the database is away.
        """
        left: set[str] = set()
        while behind := [each for each in await self._list_behind() if each[0] not in left]:
            for app_id, end in behind:
                began = time.perf_counter()
                reached = await self._try_batch(app_id)
                if reached is None or reached >= end:
                    left.add(app_id)
                elif end - reached < self.pace.far_behind and self.pace.is_needed():
                    rest = self.pace.rest * (time.perf_counter() - began)
                    await asyncio.sleep(min(self.pace.longest_rest, rest))

    async def consume_batch(self, app_id: str) -> int | None:
        """Process the next events of an app and return the number of the last one covered.

        Return None if there are no events, or another node has them.
        """
        batch = await self.database.read(app_id, self._read_batch)
        if batch.upto == batch.after:
            return None
        prepared, upto = await self.prepare(batch)

        async def within(tx: Transaction) -> int | None:
            if await self._lock_position(tx) != batch.after:
                return None
            await self.apply(tx, prepared)
            await tx.run(SQL.store_position, consumer=self.name, event=upto)
            return upto

        return await self.database.write(app_id, within)

    async def _try_batch(self, app_id: str) -> int | None:
        try:
            return await self.consume_batch(app_id)
        except Unavailable:
            raise
        except Overtaken:
            return None
        except Exception as defect:
            log.error("consumer_failed", consumer=self.name, app=app_id, exc_info=defect)
            return None

    async def _list_behind(self) -> list[tuple[str, int]]:
        """Return apps whose logs go on beyond the position, with the last number of each log."""
        query = SQL.list_started_behind if self.is_optional else SQL.list_behind
        rows = await self.database.read(
            INSTALLATION,
            lambda snapshot: snapshot.fetch(query, consumer=self.name, limit=MOST_APPS),
        )
        return [(row[0], row[1]) for row in rows]

    async def _read_batch(self, snapshot: Snapshot) -> LogBatch:
        after = await find_position(snapshot, self.name)
        return await read_log(snapshot, after, self.kinds, limit=self.batch_size)

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
