"""Readings on the event loop: look-ups by a key, and short readings with a limit.

A short reading takes less time than handing it to a reader thread. One that turns out long, because
it reads many rows or waits for the disk, is interrupted and run again on a reader thread; for a
while, others of its kind go there at once. See `docs/decisions/reads-on-the-loop.md`.
"""

import math
import resource
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import apsw

from hubbub.storage.interface import Row
from hubbub.storage.queries import Query
from hubbub.storage.sqlite.connection import SqliteReading, read_snapshot

MOST_SECONDS = 0.002
"""Interrupt a reading that has used the processor for longer, or waits for the disk then."""
LONGEST_SECONDS = 0.1
"""Interrupt a reading that has not ended by then, whatever the reason."""
PAUSE_SECONDS = 1.0
"""Read on the threads for so long after an interruption."""
STEPS = 100
"""Look at the clock after so many steps of SQLite; two or three rows of a history take as many."""


class TookTooLong(Exception):
    """A reading is to be run again, from its start, on a reader thread."""


class Used(NamedTuple):
    """What this thread has used: seconds of the processor, and blocks read from the disk."""

    seconds: float
    blocks: int


def used_by_thread() -> Used:
    """Return what this thread has used so far."""
    # The times in the same structure are only brought up to date every few milliseconds.
    return Used(time.thread_time(), resource.getrusage(resource.RUSAGE_THREAD).ru_inblock)


class LoopReader:
    """A connection for readings on the event loop's thread."""

    def __init__(
        self,
        connection: apsw.Connection,
        *,
        now: Callable[[], float] = time.perf_counter,
        used: Callable[[], Used] = used_by_thread,
    ) -> None:
        self._connection = connection
        self._now, self._used = now, used
        self._look_at = math.inf
        """When to look at what the reading has used."""
        self._ends_at = math.inf
        self._before = Used(0, 0)
        self._paused_until: dict[str, float] = {}
        connection.set_busy_timeout(0)  # it would wait by sleeping
        connection.set_progress_handler(self._is_over, STEPS)

    def point(self, app_id: str, query: Query, **args: Any) -> Row | None:
        """Return the row that a query finds by a unique key, or None."""
        rows = self._connection.execute(query.sqlite, query.bind_sqlite(app_id, args)).fetchall()
        return rows[0] if rows else None

    def read(self, app_id: str, reading: SqliteReading) -> Any:
        """Run a short reading on one snapshot.

        Raises:
            TookTooLong: it was interrupted, or another reading of its kind was lately.
        """
        kind = getattr(reading, "__qualname__", "")
        if self._now() < self._paused_until.get(kind, -math.inf):
            raise TookTooLong
        self._set_limit()
        try:
            return read_snapshot(self._connection, app_id, reading, before_end=self._lift_limit)
        except (apsw.InterruptError, apsw.BusyError):
            self._paused_until[kind] = self._now() + PAUSE_SECONDS
            raise TookTooLong from None

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _set_limit(self) -> None:
        now = self._now()
        self._look_at, self._ends_at = now + MOST_SECONDS, now + LONGEST_SECONDS
        self._before = self._used()

    def _lift_limit(self) -> None:
        self._look_at = math.inf

    def _is_over(self) -> bool:
        """Return whether to interrupt; waiting for other threads or processes is no reason."""
        now = self._now()
        if now < self._look_at:
            return False
        self._look_at = now + MOST_SECONDS
        seconds, blocks = self._used()
        is_long = seconds - self._before.seconds >= MOST_SECONDS or blocks > self._before.blocks
        return is_long or now >= self._ends_at
