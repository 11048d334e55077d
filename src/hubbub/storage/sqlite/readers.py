"""Reader threads, each with its own connection; each reading sees one snapshot."""

import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import apsw

from hubbub.storage.sqlite.connection import SqliteTransaction, drive


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

    def read(
        self, app_id: str, reading: Callable[[SqliteTransaction], Coroutine[Any, Any, Any]]
    ) -> Any:
        """Run `reading` on one snapshot; to be called on a reader thread."""
        connection = self._connection()
        connection.execute("BEGIN")
        try:
            return drive(reading(SqliteTransaction(connection, app_id)))
        finally:
            if connection.in_transaction:  # some errors have rolled it back
                connection.execute("ROLLBACK")

    def stop(self) -> None:
        """Stop after the readings under way; blocks until then."""
        self.executor.shutdown()
        for connection in self._connections:
            connection.close()
