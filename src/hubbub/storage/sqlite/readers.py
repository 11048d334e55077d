"""Reader threads, each with its own connection; each reading sees one snapshot."""

import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import apsw

from hubbub.storage.sqlite.connection import SqliteTransaction, drive

SqliteReading = Callable[[SqliteTransaction], Coroutine[Any, Any, Any]]


def read_snapshot(
    connection: apsw.Connection,
    app_id: str,
    reading: SqliteReading,
    *,
    before_end: Callable[[], None] = lambda: None,
) -> Any:
    """Run `reading` on one snapshot of a connection; `before_end` is called before it is ended."""
    try:
        connection.execute("BEGIN")  # this may be interrupted as well, when it has taken effect
        return drive(reading(SqliteTransaction(connection, app_id)))
    finally:
        before_end()
        if connection.in_transaction:  # some errors have rolled it back
            connection.execute("ROLLBACK")


class Readers:
    """A pool of reader threads."""

    def __init__(self, open_connection: Callable[[], apsw.Connection], *, threads: int = 2) -> None:
        self._open = open_connection
        self._local = threading.local()
        self._connections: list[apsw.Connection] = []
        self.executor = ThreadPoolExecutor(threads, "hubbub-reader")

    def _connection(self) -> apsw.Connection:
        """Return the connection of this thread; open it if no earlier reading has."""
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._open()
            self._connections.append(connection)
        return connection

    def read(self, app_id: str, reading: SqliteReading) -> Any:
        """Run `reading` on one snapshot; to be called on a reader thread."""
        return read_snapshot(self._connection(), app_id, reading)

    def stop(self) -> None:
        """Stop after the readings under way; blocks until then."""
        self.executor.shutdown()
        for connection in self._connections:
            connection.close()
