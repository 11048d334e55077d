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
REST = 2.0
"""The pause after a batch, in times of what it took: requests wait for one batch, not for all."""
LONGEST_REST = 0.05
FAR_BEHIND = 5_000
"""With so many events to go there is no pause: a consumer must not fall behind a busy app."""


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
                elif end - reached < FAR_BEHIND:
                    await asyncio.sleep(min(LONGEST_REST, REST * (time.perf_counter() - began)))

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
        except Exception as defect:
            log.error("consumer_failed", consumer=self.name, app=app_id, exc_info=defect)
            return None

    async def _list_behind(self) -> list[tuple[str, int]]:
        """Return apps whose logs go on beyond the position, with the last number of each log."""
        rows = await self.database.read(
            INSTALLATION,
            lambda snapshot: snapshot.fetch(SQL.list_behind, consumer=self.name, limit=MOST_APPS),
        )
        return [(row[0], row[1]) for row in rows]

    async def _read_batch(self, snapshot: Snapshot) -> LogBatch:
        after = await find_position(snapshot, self.name)
        return await read_log(snapshot, after, self.kinds, limit=BATCH_SIZE)

    async def _lock_position(self, tx: Transaction) -> int | None:
        """Lock the position until the commit and return it; None if another node holds it."""
        row = await tx.fetch_one(SQL.lock_position, consumer=self.name)
        if row is None:
            await tx.run(SQL.insert_position, consumer=self.name)
            row = await tx.fetch_one(SQL.lock_position, consumer=self.name)
        return row[0] if row is not None else None


async def find_position(snapshot: Snapshot, consumer: str) -> int:
    """Return the number of the last event that a consumer covered in an app; 0 at the beginning."""
    row = await snapshot.fetch_one(SQL.find_position, consumer=consumer)
    return row[0] if row is not None else 0
