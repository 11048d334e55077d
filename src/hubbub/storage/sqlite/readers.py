"""Reader threads, each with its own connection; each reading sees one snapshot.

While several apps ask for something, a reading rests in its middle, each time as long as it has
gone on since. Between the steps of SQLite a thread gives way to others for a moment only, and the
event loop and the writer need that moment many times for each send.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import apsw

from hubbub.kernel.rests import Rests
from hubbub.kernel.threads import Threads
from hubbub.storage.interface import INSTALLATION
from hubbub.storage.sqlite.connection import SqliteReading, TimeLimit, read_snapshot

THREADS = 3
"""Of which an app gets two: what it reads never keeps others waiting for a thread."""
STEPS = 4_000
"""Look at the time after so many steps of SQLite, which take about a fifth of a millisecond."""
PART_SECONDS = 0.0005
"""So long a reading goes on before it rests."""


class _Reader:
    """The connection of a thread, and the limit of what it reads at the moment."""

    def __init__(self, connection: apsw.Connection, rests: Rests) -> None:
        self.connection = connection
        self.limit: TimeLimit | None = None
        self._rests = rests
        self._app_id = INSTALLATION
        self._goes_on_since = 0.0
        connection.set_progress_handler(self._is_over, STEPS)

    def read(self, app_id: str, reading: SqliteReading, limit: TimeLimit) -> Any:
        """Run `reading` on one snapshot."""
        self.limit, self._app_id = limit, app_id
        self._goes_on_since = time.perf_counter()
        return read_snapshot(
            self.connection, app_id, reading, before_end=self._lift_limit, limit=limit
        )

    def _lift_limit(self) -> None:
        self.limit = None

    def _is_over(self) -> bool:
        if self.limit is None:
            return False
        seconds = time.perf_counter() - self._goes_on_since
        if seconds >= PART_SECONDS:
            if rest := self._rests.after(self._app_id, seconds):
                time.sleep(rest)
            self._goes_on_since = time.perf_counter()
        return self.limit.is_over


class Readers:
    """A pool of reader threads, which apps and their users use in turns."""

    def __init__(
        self,
        open_connection: Callable[[], apsw.Connection],
        *,
        now: Callable[[], float],
        most_waiting: int,
        rests: Rests,
    ) -> None:
        self._open = open_connection
        self._now = now
        self._rests = rests
        self._local = threading.local()
        self._readers: list[_Reader] = []
        self.threads = Threads(threads=THREADS, name="hubbub-reader", most_waiting=most_waiting)

    async def read(self, app_id: str, reading: SqliteReading, *, user: str | None = None) -> Any:
        """Run `reading` on one snapshot, on a thread; it is interrupted if the caller leaves.

        Raises:
            QueueFull: too much of the app, or of the user, waits.
        """
        limit = TimeLimit(self._now)
        try:
            return await self.threads.run(
                app_id, partial(self._read, app_id, reading, limit), user=user
            )
        except asyncio.CancelledError:
            limit.is_over_at_once = True
            raise

    def _read(self, app_id: str, reading: SqliteReading, limit: TimeLimit) -> Any:
        return self._reader().read(app_id, reading, limit)

    def _reader(self) -> _Reader:
        """Return the reader of this thread; open its connection if no earlier reading has."""
        reader: _Reader | None = getattr(self._local, "reader", None)
        if reader is None:
            reader = self._local.reader = _Reader(self._open(), self._rests)
            self._readers.append(reader)
        return reader

    def stop(self) -> None:
        """Stop after the readings under way; blocks until then."""
        self.threads.close()
        for reader in self._readers:
            reader.connection.close()
