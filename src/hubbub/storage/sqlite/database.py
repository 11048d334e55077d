"""The SQLite engine as the rest of Hubbub sees it."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

import apsw

from hubbub.kernel.clock import Clock
from hubbub.kernel.errors import Unavailable
from hubbub.storage import dialect, migrations
from hubbub.storage.interface import Finish, Operation, Reading, Row
from hubbub.storage.queries import Query
from hubbub.storage.sqlite.checkpointer import Checkpointer
from hubbub.storage.sqlite.connection import open_connection
from hubbub.storage.sqlite.readers import Readers
from hubbub.storage.sqlite.writer import Job, Work, Writer, die_of_fsync

Result = TypeVar("Result")

MOST_WAITING = 10_000


class SqliteDatabase:
    """One file, written by one thread of one process."""

    engine: ClassVar[str] = "sqlite"

    def __init__(
        self,
        path: Path,
        finish: Finish,
        clock: Clock,
        *,
        die: Callable[[], None] = die_of_fsync,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        self._path = path
        self._clock = clock
        self._most_waiting = most_waiting
        self._is_closed = False
        self._points = open_connection(path, read_only=True)
        self._readers = Readers(lambda: open_connection(path, read_only=True))
        self._writer = Writer(lambda: open_connection(path), finish, die=die)
        self._checkpointer = Checkpointer(
            lambda: open_connection(path), path.with_name(path.name + "-wal")
        )
        self._writer.start()
        self._checkpointer.start()

    async def write(self, app_id: str, operation: Operation[Result]) -> Result:
        if self._is_closed:
            raise Unavailable("The server is shutting down.")
        if self._writer.waiting >= self._most_waiting:
            raise Unavailable("Too many changes are waiting to be stored; try again shortly.")
        loop = asyncio.get_running_loop()
        job = Job(app_id, cast("Work", operation), loop, loop.create_future())
        self._writer.submit(job)
        try:
            result: Result = await job.future
        except asyncio.CancelledError:
            job.is_cancelled = True
            raise
        return result

    async def read(self, app_id: str, reading: Reading[Result]) -> Result:
        if self._is_closed:
            raise Unavailable("The server is shutting down.")
        loop = asyncio.get_running_loop()
        try:
            result: Result = await loop.run_in_executor(
                self._readers.executor, self._readers.read, app_id, cast("Work", reading)
            )
        except (apsw.IOError, apsw.BusyError, apsw.FullError, apsw.CorruptError) as failure:
            raise Unavailable("The store can't be read at the moment.") from failure
        return result

    async def point(self, app_id: str, query: Query, **args: Any) -> Row | None:
        assert query.is_point, f"{query.name} is not marked as a point query"
        if self._is_closed:
            raise Unavailable("The server is shutting down.")
        rows = self._points.execute(query.sqlite, query.bind_sqlite(app_id, args)).fetchall()
        return rows[0] if rows else None

    async def migrate(self) -> int:
        connection = open_connection(self._path)
        try:
            connection.execute(migrations.RECORD)
            for step in migrations.plan_migrations(_version(connection)):
                with connection:
                    connection.execute(dialect.sqlite_schema(step.text))
                    connection.execute(
                        "INSERT INTO schema_migrations VALUES (?, ?, ?)",
                        (step.version, step.name, self._clock.now()),
                    )
            return _version(connection)
        finally:
            connection.close()

    async def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._writer.stop()
        self._checkpointer.stop()
        self._readers.stop()
        self._points.close()


def _version(connection: apsw.Connection) -> int:
    version: int = connection.execute(migrations.FIND_VERSION).get
    return version
