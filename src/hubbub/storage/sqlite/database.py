"""The SQLite engine: implements `Database` with one file and a few threads."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

import apsw
import structlog

from hubbub.kernel.clock import Clock, ClockReading
from hubbub.kernel.errors import Unavailable
from hubbub.kernel.rests import Rests
from hubbub.storage import dialect, migrations
from hubbub.storage.errors import CopyUnfinished
from hubbub.storage.gate import WriteGate
from hubbub.storage.interface import (
    INSTALLATION,
    Finish,
    OnCommit,
    Operation,
    Reading,
    Row,
    Unwritten,
    UnwrittenOfApp,
    ignore_commit,
)
from hubbub.storage.measures import EngineMeasures
from hubbub.storage.queries import Query
from hubbub.storage.sqlite.checkpointer import Checkpointer
from hubbub.storage.sqlite.connection import (
    UNREADABLE,
    SqliteReading,
    SqliteTransaction,
    fault_of,
    open_connection,
)
from hubbub.storage.sqlite.copy import schema_version_of
from hubbub.storage.sqlite.jobs import Job, WriterTask
from hubbub.storage.sqlite.loop_reader import LoopReader, TookTooLong
from hubbub.storage.sqlite.merge import begin_to_rewrite, leave_merges_to_steps, merge_step
from hubbub.storage.sqlite.readers import Readers
from hubbub.storage.sqlite.statistics import store_statistics
from hubbub.storage.sqlite.writer import BATCH_LIMITS, BatchLimits, Writer, die_of_fsync

log = structlog.get_logger()
Result = TypeVar("Result")

MOST_WAITING = 10_000
FIND_TABLE = "SELECT count(*) FROM sqlite_schema WHERE name = ?"
STEPS_BETWEEN_LOOKS = 1_000_000
"""How many instructions of SQLite a migration runs between two looks at its progress."""
MOST_READS_WAITING = 1_000
"""So many changes, and readings, of an app may wait."""
REST, LONGEST_REST = 4.0, 0.03
"""The pause after a step of upkeep, in times of what it took: requests come first."""

FORGET_SECONDS = 86_400.0
"""So often the search index is written anew, if entries were deleted, and the log is emptied."""


class SqliteDatabase:
    """A database file that one thread of one process writes."""

    engine: ClassVar[str] = "sqlite"
    is_shared: ClassVar[bool] = False
    cuts_entries: ClassVar[bool] = True

    def __init__(
        self,
        path: Path,
        finish: Finish,
        clock: Clock,
        *,
        batch_limits: BatchLimits = BATCH_LIMITS,
        checkpointer: Callable[..., Checkpointer] = Checkpointer,
        connect: Callable[..., apsw.Connection] = open_connection,
        die: Callable[[], None] = die_of_fsync,
        most_waiting: int = MOST_WAITING,
        on_loop: Callable[[apsw.Connection], LoopReader] = LoopReader,
        measures: EngineMeasures | None = None,
        on_commit: OnCommit = ignore_commit,
        rests: Rests | None = None,
        unwritten: Unwritten | None = None,
        gate: WriteGate | None = None,
    ) -> None:
        rests = rests or Rests()
        self._gate = gate or WriteGate(clock.monotonic)
        measures = self._measures = measures or EngineMeasures()
        self.unwritten: Unwritten = {} if unwritten is None else unwritten
        self._path = path
        self._clock = clock
        self._is_closed = False
        self._has_forgotten = False
        self._forget_at = clock.monotonic() + FORGET_SECONDS
        self._connect = connect
        self._on_loop = on_loop(connect(path, read_only=True))
        self._readers = Readers(
            lambda: connect(path, read_only=True),
            now=clock.monotonic,
            most_waiting=min(most_waiting, MOST_READS_WAITING),
            rests=rests,
        )
        self._writer = Writer(
            connect(path),
            finish,
            die=die,
            most_waiting=most_waiting,
            limits=batch_limits,
            measures=measures,
            on_commit=on_commit,
            rests=rests,
        )
        self._checkpointer = checkpointer(connect(path), self._writer.restart_log, measures)
        measures.count_waiting = self._count_waiting
        self._writer.start()
        self._checkpointer.start()

    async def write(
        self,
        app_id: str,
        operation: Operation[Result],
        *,
        is_optimistic: bool = False,
        is_derived: bool = False,
    ) -> Result:
        if self._is_closed:
            raise Unavailable("The server is shutting down.")
        self._gate.check()
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        job = Job(app_id, cast("WriterTask", operation), loop, future, is_derived=is_derived)
        self._writer.submit(job)
        try:
            result: Result = await job.future
        except asyncio.CancelledError:
            job.is_cancelled = True
            raise
        return result

    async def read(
        self,
        app_id: str,
        reading: Reading[Result],
        *,
        is_short: bool = False,
        user: str | None = None,
    ) -> Result:
        if self._is_closed:
            raise Unavailable("The server is shutting down.")
        run = cast("SqliteReading", reading)
        if unwritten := self.unwritten.get(app_id):
            run = _with_unwritten(run, unwritten)
        began = time.perf_counter()
        try:
            if is_short:
                with suppress(TookTooLong):
                    return cast("Result", self._on_loop.read(app_id, run))
            result: Result = await self._readers.read(app_id, run, user=user)
        except UNREADABLE as failure:
            raise self._unreadable(failure) from failure
        finally:
            self._measures.reads.observe(time.perf_counter() - began)
        return result

    async def point(self, app_id: str, query: Query, **args: Any) -> Row | None:
        assert query.is_point, f"{query.name} is not marked as a point query"
        if self._is_closed:
            raise Unavailable("The server is shutting down.")
        try:
            return self._on_loop.point(app_id, query, **args)
        except UNREADABLE as failure:
            raise self._unreadable(failure) from failure

    async def migrate(self) -> int:
        connection = self._connect(self._path)
        try:
            if connection.execute(FIND_TABLE, (migrations.UNFINISHED_COPY,)).get:
                raise CopyUnfinished
            connection.execute(migrations.RECORD)
            steps = migrations.plan_migrations(_schema_version(connection))
            with migrations.logging_migrations(steps) as progress:
                connection.set_progress_handler(progress.go_on, STEPS_BETWEEN_LOOKS)
                for step in steps:
                    progress.begin(step)
                    self._apply(connection, step)
                connection.set_progress_handler(None)
            store_statistics(connection)
            leave_merges_to_steps(connection)
            return _schema_version(connection)
        finally:
            connection.close()

    def _apply(self, connection: apsw.Connection, step: migrations.Migration) -> None:
        with connection:
            connection.execute(dialect.sqlite_schema(step.text))
            connection.execute(
                "INSERT INTO schema_migrations VALUES (?, ?, ?)",
                (step.version, step.name, self._clock.now()),
            )

    async def schema_version(self) -> int:
        connection = self._connect(self._path)
        try:
            return schema_version_of(connection)
        finally:
            connection.close()

    async def read_clock(self) -> ClockReading | None:
        return None

    async def maintain(self) -> None:
        """Merge what the search index has gathered; the checkpointer has its own thread."""
        is_forgetting = await self._begin_to_forget()
        began = time.perf_counter()
        step = cast("Operation[bool]", merge_step)
        while await self.write(INSTALLATION, step, is_derived=True):
            took = time.perf_counter() - began
            await asyncio.sleep(min(LONGEST_REST, REST * took))
            began = time.perf_counter()
        if is_forgetting:
            self._checkpointer.empty_soon()

    async def _begin_to_forget(self) -> bool:
        """Begin to write the search index anew, if it is time; return whether it was."""
        now = self._clock.monotonic()
        if now < self._forget_at:
            return False
        self._has_forgotten, self._forget_at = True, now + FORGET_SECONDS
        await self.write(INSTALLATION, cast("Operation[bool]", begin_to_rewrite))
        return True

    def forget_deleted(self) -> None:
        self._checkpointer.empty_soon()
        if not self._has_forgotten:
            self._forget_at = self._clock.monotonic()

    async def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        await self._readers.threads.drain()
        with ThreadPoolExecutor(1, "hubbub-closer") as closer:
            await asyncio.get_running_loop().run_in_executor(closer, self._stop)

    def _count_waiting(self) -> dict[str, int]:
        readers = self._readers.threads.places.turns.waiting
        return {"writes": self._writer.waiting, "readers": readers}

    def _unreadable(self, failure: apsw.Error) -> Unavailable:
        log.error("store_not_read", reason=str(failure))
        self._measures.note_fault(fault_of(failure))
        return Unavailable("The database can't be read at the moment. Try again.")

    def _stop(self) -> None:
        """Stop the threads; blocks until the accepted work is done."""
        self._writer.stop()
        self._checkpointer.stop()
        self._readers.stop()
        self._on_loop.close()


def _with_unwritten(reading: SqliteReading, unwritten: UnwrittenOfApp) -> SqliteReading:
    """Return a reading of the same kind that knows what is not written yet."""

    @wraps(reading)
    async def read(snapshot: SqliteTransaction) -> Any:
        snapshot.unwritten = unwritten
        return await reading(snapshot)

    return read


def _schema_version(connection: apsw.Connection) -> int:
    version: int = connection.execute(migrations.FIND_VERSION).get
    return version
