"""Threads that read, each with a connection of its own; a reading sees one snapshot."""

import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import apsw

from hubbub.storage.sqlite.connection import SqliteTransaction, drive


class Readers:
    """A few reader threads."""

    def __init__(self, open_connection: Callable[[], apsw.Connection], *, threads: int = 2) -> None:
        self._open = open_connection
        self._local = threading.local()
        self._connections: list[apsw.Connection] = []
        self.executor = ThreadPoolExecutor(threads, "hubbub-reader")

    def _connection(self) -> apsw.Connection:
        """The thread's own; opened by its first reading, and by the next when that fails."""
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._open()
            self._connections.append(connection)
        return connection

    def read(
        self, app_id: str, reading: Callable[[SqliteTransaction], Coroutine[Any, Any, Any]]
    ) -> Any:
        """Run `reading` on one snapshot; runs on a reader thread."""
        connection = self._connection()
        connection.execute("BEGIN")
        try:
            return drive(reading(SqliteTransaction(connection, app_id)))
        finally:
            if connection.in_transaction:  # SQLite has left it after some errors
                connection.execute("ROLLBACK")

    def stop(self) -> None:
        """End after the readings that are under way."""
        self.executor.shutdown()
        for connection in self._connections:
            connection.close()
