"""Reader threads, each with its own connection; each reading sees one snapshot."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

import apsw

from hubbub.kernel.threads import Threads
from hubbub.storage.sqlite.connection import SqliteTransaction, drive
from hubbub.storage.sqlite.limit import TimeLimit

SqliteReading = Callable[[SqliteTransaction], Coroutine[Any, Any, Any]]

THREADS = 3
"""Of which an app gets two: what it reads never keeps others waiting for a thread."""
STEPS = 20_000
"""Look at the limit after so many steps of SQLite, which take about a millisecond."""


def read_snapshot(
    connection: apsw.Connection,
    app_id: str,
    reading: SqliteReading,
    *,
    before_end: Callable[[], None] = lambda: None,
    limit: TimeLimit | None = None,
) -> Any:
    """Run `reading` on one snapshot of a connection; `before_end` is called before it is ended."""
    try:
        connection.execute("BEGIN")  # this may be interrupted as well, when it has taken effect
        return drive(reading(SqliteTransaction(connection, app_id, limit=limit)))
    finally:
        before_end()
        if connection.in_transaction:  # some errors have rolled it back
            connection.execute("ROLLBACK")


class _Reader:
    """The connection of a thread, and the limit of what it reads at the moment."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.limit: TimeLimit | None = None
        connection.set_progress_handler(self._is_over, STEPS)

    def read(self, app_id: str, reading: SqliteReading, limit: TimeLimit) -> Any:
        """Run `reading` on one snapshot."""
        self.limit = limit
        return read_snapshot(
            self.connection, app_id, reading, before_end=self._lift_limit, limit=limit
        )

    def _lift_limit(self) -> None:
        self.limit = None

    def _is_over(self) -> bool:
        return self.limit is not None and self.limit.is_over


class Readers:
    """A pool of reader threads, which apps and their users use in turns."""

    def __init__(
        self,
        open_connection: Callable[[], apsw.Connection],
        *,
        now: Callable[[], float],
        most_waiting: int,
    ) -> None:
        self._open = open_connection
        self._now = now
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
            reader = self._local.reader = _Reader(self._open())
            self._readers.append(reader)
        return reader

    def stop(self) -> None:
        """Stop after the readings under way; blocks until then."""
        self.threads.close()
        for reader in self._readers:
            reader.connection.close()
