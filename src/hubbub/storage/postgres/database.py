"""The PostgreSQL engine: each operation is a transaction on a connection of a pool."""

import asyncio
import time
from collections import Counter
from contextlib import suppress
from typing import Any, ClassVar, TypeVar
from weakref import WeakValueDictionary

import asyncpg
import structlog

from hubbub.kernel.clock import Clock, ClockReading
from hubbub.kernel.errors import OutcomeUnknown, Unavailable
from hubbub.kernel.rests import Rests
from hubbub.kernel.turns import QueueFull
from hubbub.storage import dialect, migrations
from hubbub.storage.errors import CopyUnfinished, StatementSwallowed, StoreUnusable
from hubbub.storage.interface import (
    INSTALLATION,
    Finish,
    OnCommit,
    Operation,
    Reading,
    Row,
    Unwritten,
    ignore_commit,
)
from hubbub.storage.measures import EngineMeasures
from hubbub.storage.postgres.connections import (
    AWAY,
    CONNECTION_LOST,
    WAIT_SECONDS,
    Connections,
    Work,
    explain_failure,
    fault_of,
    is_lost,
)
from hubbub.storage.postgres.history import DatabaseHistory
from hubbub.storage.postgres.pool import Connection
from hubbub.storage.postgres.reading import LongReading, MoreIsAsked, ShortReading
from hubbub.storage.postgres.transaction import NotCurrent, PostgresTransaction
from hubbub.storage.queries import Query
from hubbub.storage.record_cache import RecordCaches

log = structlog.get_logger()
Result = TypeVar("Result")

MOST_WAITING = 10_000
MOST_TRIES = 8
LOCK_SECONDS = 5.0
MIGRATION_SECONDS = 6 * 3600.0
MIGRATION_LOCK = 0x68756262  # "hubb"

BEGIN = "BEGIN"
# https://www.postgresql.org/docs/current/wal-async-commit.html
BEGIN_DERIVED = "BEGIN; SET LOCAL synchronous_commit = off"

CLOCK = "SELECT CAST(1000 * extract(epoch FROM clock_timestamp()) AS double precision)"
CLOCK_READINGS = 4
ONE_AGAIN_AFTER = 4
"""A reading that was more than one statement cost one in vain: the next so many do not try."""
MOST_KINDS = 10_000
"""So many kinds of readings of apps are remembered."""

FIND_TABLE = "SELECT to_regclass($1) IS NOT NULL"
RETRIED = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)
GROWN_TABLES = """
SELECT relname FROM pg_stat_user_tables
WHERE schemaname = current_schema() AND n_live_tup > 100
    AND n_mod_since_analyze > greatest(500, n_live_tup / 2)
"""


def _kind_of(reading: Reading[Any]) -> str:
    return getattr(reading, "__qualname__", "")


class PostgresDatabase:
    """A PostgreSQL database, which several nodes may share."""

    engine: ClassVar[str] = "postgresql"
    is_shared: ClassVar[bool] = True
    cuts_entries: ClassVar[bool] = False

    def __init__(
        self,
        url: str,
        finish: Finish,
        clock: Clock,
        *,
        connections: int = 16,
        lock_seconds: float = LOCK_SECONDS,
        most_waiting: int = MOST_WAITING,
        patience: float = WAIT_SECONDS,
        measures: EngineMeasures | None = None,
        on_commit: OnCommit = ignore_commit,
        rests: Rests | None = None,
        is_inspected: bool = False,
        unwritten: Unwritten | None = None,
    ) -> None:
        """One that `is_inspected` is only read: a new history is left to nodes."""
        self._url = url
        self._finish = finish
        self._clock = clock
        self._history = None if is_inspected else DatabaseHistory()
        begin = self._history.check if self._history else None
        self.unwritten: Unwritten = {} if unwritten is None else unwritten
        self._connections = Connections(
            url,
            connections,
            lock_seconds,
            most_waiting=most_waiting,
            patience=patience,
            begin=begin,
        )
        self._shares = self._connections.shares
        self._rests = rests or Rests()
        self._lock_seconds = lock_seconds
        self._most_waiting = most_waiting
        self._waiting: Counter[str] = Counter()
        """The writes that wait or are under way, by app."""
        self._more_asked: dict[tuple[str, str], int] = {}
        """How many readings to begin as transactions, by app and function."""
        self._caches = RecordCaches()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._measures = measures or EngineMeasures()
        self._on_commit = on_commit
        self._measures.count_waiting = self._count_waiting
        self._measures.count_connections = self._connections.count

    async def write(
        self,
        app_id: str,
        operation: Operation[Result],
        *,
        is_optimistic: bool = False,
        is_derived: bool = False,
    ) -> Result:
        if self._waiting[app_id] >= self._most_waiting:
            raise QueueFull
        self._waiting[app_id] += 1
        try:
            if is_optimistic:
                return await self._write_optimistic(app_id, operation)
            return await self._connections.use(
                self._shares.writes,
                app_id,
                lambda connection: self._write_locked(
                    connection, app_id, operation, BEGIN_DERIVED if is_derived else BEGIN
                ),
            )
        except Unavailable as failure:
            self._measures.failures += 1
            self._measures.note_fault(fault_of(failure.__cause__))
            raise
        finally:
            self._waiting[app_id] -= 1
            if not self._waiting[app_id]:
                del self._waiting[app_id]

    async def read(
        self,
        app_id: str,
        reading: Reading[Result],
        *,
        is_short: bool = False,
        user: str | None = None,
    ) -> Result:
        kind = ShortReading if is_short else LongReading

        async def run(connection: Connection) -> Result:
            may_be_one = self._may_be_one(app_id, reading)
            while True:
                snapshot = kind(
                    connection,
                    app_id,
                    self._clock.monotonic,
                    self._rests,
                    may_be_one=may_be_one,
                )
                snapshot.unwritten = self.unwritten.get(app_id)
                try:
                    return await reading(snapshot)
                except MoreIsAsked:
                    self._more_asked[app_id, _kind_of(reading)] = ONE_AGAIN_AFTER
                    may_be_one = False

        share = self._shares.pages if is_short else self._shares.searches
        began = time.perf_counter()
        try:
            return await self._connections.read(share, app_id, run, user=user)
        except Unavailable as failure:
            self._measures.note_fault(fault_of(failure.__cause__))
            raise
        finally:
            self._measures.reads.observe(time.perf_counter() - began)

    def _may_be_one(self, app_id: str, reading: Reading[Any]) -> bool:
        """Return whether a reading may be one statement; not after one that was more."""
        key = app_id, _kind_of(reading)
        left = self._more_asked.pop(key, 0)
        if not left:
            return True
        if left > 1 and len(self._more_asked) < MOST_KINDS:
            self._more_asked[key] = left - 1
        return False

    async def point(self, app_id: str, query: Query, **args: Any) -> Row | None:
        assert query.is_point, f"{query.name} is not marked as a point query"

        async def find(connection: Connection) -> Row | None:
            return await PostgresTransaction(connection, app_id).fetch_one(query, **args)

        return await self._connections.read(self._shares.pages, app_id, find)

    async def migrate(self) -> int:
        async def upgrade(connection: Connection) -> int:
            async with connection.transaction():
                await connection.execute("SET LOCAL lock_timeout = 0")  # another node may migrate
                await connection.execute(
                    f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})", timeout=MIGRATION_SECONDS
                )
                if await connection.fetchval(FIND_TABLE, migrations.UNFINISHED_COPY):
                    raise CopyUnfinished
                await connection.execute(dialect.postgres_schema(migrations.RECORD))
                found = int(await connection.fetchval(migrations.FIND_VERSION))
                steps = migrations.plan_migrations(found)
                with migrations.logging_migrations(steps) as progress:
                    for step in steps:
                        progress.begin(step)
                        await self._apply(connection, step, progress)
                version = int(await connection.fetchval(migrations.FIND_VERSION))
            await self._check_history(connection)  # the tables are there only now
            return version

        return await self._with_new_connection(upgrade)

    async def _apply(
        self,
        connection: Connection,
        step: migrations.Migration,
        progress: migrations.MigrationProgress,
    ) -> None:
        schema = dialect.postgres_schema(step.text)
        work = asyncio.ensure_future(connection.execute(schema, timeout=MIGRATION_SECONDS))
        while not (await asyncio.wait([work], timeout=migrations.NOTE_SECONDS))[0]:
            progress.go_on()
        await work
        await connection.execute(
            "INSERT INTO schema_migrations VALUES ($1, $2, $3)",
            step.version,
            step.name,
            self._clock.now(),
        )

    async def schema_version(self) -> int:
        async def find(connection: Connection) -> int:
            if await connection.fetchval("SELECT to_regclass('schema_migrations')") is None:
                return 0
            return int(await connection.fetchval(migrations.FIND_VERSION))

        return await self._with_new_connection(find)

    async def read_clock(self) -> ClockReading | None:
        """Return what the server's clock shows, by the quickest of a few round trips."""

        async def ask(connection: Connection) -> ClockReading:
            began = self._clock.monotonic()
            shown = await connection.fetchval(CLOCK)
            ended = self._clock.monotonic()
            return ClockReading(float(shown), (began + ended) / 2, 500 * (ended - began))

        async def ask_often(connection: Connection) -> ClockReading:
            readings = [await ask(connection) for _ in range(CLOCK_READINGS)]
            return min(readings, key=lambda reading: reading.within_ms)

        return await self._connections.use(self._shares.writes, INSTALLATION, ask_often)

    async def maintain(self) -> None:
        """Look at the history, and analyse tables that have grown much since the last time.

        A prepared statement keeps the plan that it got while its table was small, even a bad one,
        until the table is analysed. The autovacuum of PostgreSQL checks once a minute, which is
        too late in a new and busy database.
        """

        async def analyse(connection: Connection) -> None:
            await self._check_history(connection)  # a standby may be promoted under a connection
            for row in await connection.fetch(GROWN_TABLES):
                await connection.execute(f'ANALYZE "{row[0]}"')

        await self._connections.use(self._shares.writes, INSTALLATION, analyse)

    def forget_deleted(self) -> None:
        """Do nothing: the server's vacuum overwrites dead rows, and it recycles its log."""

    async def close(self) -> None:
        await self._connections.close()

    async def _check_history(self, connection: Connection) -> None:
        if self._history is not None:
            await self._history.check(connection)

    async def _with_new_connection(self, work: Work[Result]) -> Result:
        """Run `work` when a process starts; its operator is told what is wrong."""
        try:
            return await self._connections.use(self._shares.writes, INSTALLATION, work)
        except Unavailable as failure:
            raise StoreUnusable(explain_failure(failure.__cause__, self._url)) from failure

    def _count_waiting(self) -> dict[str, int]:
        return {"writes": self._waiting.total(), **self._shares.count_waiting()}

    async def _write_optimistic(self, app_id: str, operation: Operation[Result]) -> Result:
        """Carry out an optimistic write, after those of the app that this node has begun.

        Each goes on from the counters of the one before. Those that wait hold no connection.
        """

        async def write(connection: Connection) -> Result:
            with suppress(NotCurrent, *RETRIED):
                return await self._try_optimistic(connection, app_id, operation)
            return await self._write_locked(connection, app_id, operation)

        turn = self._turns.setdefault(app_id, asyncio.Lock())
        try:
            async with asyncio.timeout(self._lock_seconds):
                await turn.acquire()
        except TimeoutError:
            raise Unavailable("Other changes of the app took too long. Try again.") from None
        try:
            return await self._connections.use(self._shares.writes, app_id, write)
        finally:
            turn.release()

    async def _write_locked(
        self, connection: Connection, app_id: str, operation: Operation[Result], begin: str = BEGIN
    ) -> Result:
        """Carry out a write that locks what it changes; again, if it conflicts with others."""
        for attempt in range(1, MOST_TRIES + 1):
            try:
                return await self._try_locked(connection, app_id, operation, begin)
            except RETRIED as conflict:
                log.info("write_retried", attempt=attempt, reason=str(conflict))
                self._measures.retries += 1
                await asyncio.sleep(0.002 * attempt)
        raise Unavailable("The change conflicted with others too often. Try again shortly.")

    async def _try_optimistic(
        self, connection: Connection, app_id: str, operation: Operation[Result]
    ) -> Result:
        """Run an operation on the record cache, and store it as one statement.

        The statement stores nothing if another transaction has written in the app since.

        Raises:
            NotCurrent: nothing was stored: the operation must run with the counters locked.
        """
        tx = PostgresTransaction(connection, app_id, self._caches, is_optimistic=True)
        began = time.perf_counter()
        try:
            result = await operation(tx)
            await self._finish(tx)
        except BaseException as problem:
            self._caches.forget_volatile(tx)
            if isinstance(problem, AWAY) or not isinstance(problem, Exception):
                raise
            raise NotCurrent from problem  # it may follow from something that has changed
        ended = time.perf_counter()
        try:
            await tx.store_optimistic()
        except NotCurrent:
            self._caches.forget_volatile(tx)
            raise
        except BaseException as failure:
            self._caches.drop(tx)
            if isinstance(failure, CONNECTION_LOST):
                log.error("outcome_unknown", reason=str(failure))
                raise OutcomeUnknown from failure
            raise
        self._measures.note_commit(began, ended, time.perf_counter(), 1)
        self._end(tx)
        return result

    async def _try_locked(
        self, connection: Connection, app_id: str, operation: Operation[Result], begin: str
    ) -> Result:
        tx = PostgresTransaction(connection, app_id, self._caches)
        try:
            result = await self._commit(connection, tx, operation, begin)
        except BaseException:
            self._caches.drop(tx)
            raise
        self._end(tx)
        return result

    def _end(self, tx: PostgresTransaction) -> None:
        """Keep what a committed transaction knows, and tell of its events."""
        announced = tx.list_announced()
        self._caches.close(tx)
        if announced is not None:
            self._on_commit(announced)

    async def _commit(
        self,
        connection: Connection,
        tx: PostgresTransaction,
        operation: Operation[Result],
        begin: str,
    ) -> Result:
        began = time.perf_counter()
        await connection.execute(begin)
        try:
            result = await operation(tx)
            await self._finish(tx)
            await tx.flush()
        except BaseException:
            if not is_lost(connection):
                await connection.execute("ROLLBACK")
            raise
        if is_lost(connection):
            raise asyncpg.ConnectionDoesNotExistError("the connection was lost before the commit")
        ended = time.perf_counter()
        try:
            status = await connection.execute("COMMIT")
        except CONNECTION_LOST as failure:
            log.error("outcome_unknown", reason=str(failure))
            raise OutcomeUnknown from failure
        if status != "COMMIT":  # it is ROLLBACK when a statement has failed before
            raise StatementSwallowed
        self._measures.note_commit(began, ended, time.perf_counter(), 1)
        return result
