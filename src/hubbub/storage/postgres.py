"""The PostgreSQL engine: each operation is a transaction on a connection of a pool."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, TypeVar

import asyncpg
import structlog

from hubbub.kernel.clock import Clock
from hubbub.kernel.errors import OutcomeUnknown, Unavailable
from hubbub.storage import dialect, migrations
from hubbub.storage.errors import StatementSwallowed
from hubbub.storage.interface import Counters, Event, Finish, Operation, Reading, Row
from hubbub.storage.queries import Query, Rows

log = structlog.get_logger()
Result = TypeVar("Result")
Connection = Any  # asyncpg's pool hands out a proxy that its stubs do not describe

MOST_WAITING = 10_000
MOST_TRIES = 8
WAIT_SECONDS = 5.0
LOCK_SECONDS = 5.0
STATEMENT_SECONDS = 30.0
MIGRATION_SECONDS = 6 * 3600.0
MIGRATION_LOCK = 0x68756262  # "hubb"
SESSION = {
    "application_name": "hubbub",
    "idle_in_transaction_session_timeout": "5000",
    "jit": "off",
    "tcp_keepalives_idle": "10",
}

RETRIED = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)
CONNECTION_LOST = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
    TimeoutError,
)
AWAY = (
    *CONNECTION_LOST,
    asyncpg.CannotConnectNowError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.InsufficientResourcesError,
    asyncpg.LockNotAvailableError,
    asyncpg.OperatorInterventionError,
    asyncpg.PostgresIOError,
    asyncpg.ReadOnlySQLTransactionError,
)

GROWN_TABLES = """
SELECT relname FROM pg_stat_user_tables
WHERE schemaname = current_schema() AND n_live_tup > 100
    AND n_mod_since_analyze > greatest(500, n_live_tup / 2)
"""

_bulk_statements: dict[Query, str] = {}


class PostgresTransaction:
    """A transaction of one app on a connection."""

    __slots__ = ("_connection", "announced", "app_id", "counters")

    def __init__(self, connection: Connection, app_id: str) -> None:
        self.app_id = app_id
        self.counters: Counters | None = None
        self.announced: list[Event] = []
        self._connection = connection

    async def fetch(self, query: Query, **args: Any) -> list[Row]:
        rows: list[Row] = await self._connection.fetch(
            query.postgres, *query.bind(self.app_id, args)
        )
        return rows

    async def fetch_one(self, query: Query, **args: Any) -> Row | None:
        row: Row | None = await self._connection.fetchrow(
            query.postgres, *query.bind(self.app_id, args)
        )
        return row

    async def fetch_many(self, query: Query, rows: Rows) -> list[Row]:
        if not rows:
            return []
        bound = query.bind_rows(self.app_id, rows)
        found: list[Row] = await self._connection.fetchmany(query.postgres, bound)
        return found

    async def run(self, query: Query, **args: Any) -> int:
        status: str = await self._connection.execute(query.postgres, *query.bind(self.app_id, args))
        count = status.rpartition(" ")[2]
        return int(count) if count.isdigit() else 0

    async def run_many(self, query: Query, rows: Rows) -> None:
        if not rows:
            return
        if query.is_bulk:
            statement = await self._bulk_statement(query)
            await self._connection.execute(statement, *query.bind_bulk(self.app_id, rows))
        else:
            bound = query.bind_rows(self.app_id, rows)
            await self._connection.executemany(query.postgres, bound)

    async def _bulk_statement(self, query: Query) -> str:
        """Return the statement for a whole batch; PostgreSQL infers the types of its parameters."""
        statement = _bulk_statements.get(query)
        if statement is None:
            prepared = await self._connection.prepare(query.postgres)
            types = dict(zip(query.parameters, prepared.get_parameters(), strict=True))
            names = [types[name].name for name in query.columns]
            statement = _bulk_statements[query] = dialect.compile_bulk(query.text, names)
        return statement

    def announce(self, event: Event) -> None:
        self.announced.append(event)


class PostgresDatabase:
    """A PostgreSQL database, which several nodes may share."""

    engine: ClassVar[str] = "postgresql"

    def __init__(
        self,
        url: str,
        finish: Finish,
        clock: Clock,
        *,
        connections: int = 16,
        lock_seconds: float = LOCK_SECONDS,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        self._url = url
        self._finish = finish
        self._clock = clock
        self._connections = connections
        self._session = {**SESSION, "lock_timeout": str(round(lock_seconds * 1_000))}
        self._most_waiting = most_waiting
        self._waiting = 0
        self._is_closed = False
        self._pool: asyncpg.Pool[Any] | None = None
        self._opening = asyncio.Lock()
        self._running: set[asyncio.Future[Any]] = set()

    async def write(self, app_id: str, operation: Operation[Result]) -> Result:
        if self._waiting >= self._most_waiting:
            raise Unavailable("Too many changes are waiting to be stored. Try again shortly.")
        self._waiting += 1
        try:
            return await self._with_connection(
                lambda connection: self._write(connection, app_id, operation)
            )
        finally:
            self._waiting -= 1

    async def read(self, app_id: str, reading: Reading[Result]) -> Result:
        async def run(connection: Connection) -> Result:
            async with connection.transaction(isolation="repeatable_read", readonly=True):
                return await reading(PostgresTransaction(connection, app_id))

        return await self._with_connection(run)

    async def point(self, app_id: str, query: Query, **args: Any) -> Row | None:
        assert query.is_point, f"{query.name} is not marked as a point query"

        async def find(connection: Connection) -> Row | None:
            return await PostgresTransaction(connection, app_id).fetch_one(query, **args)

        return await self._with_connection(find)

    async def migrate(self) -> int:
        async def upgrade(connection: Connection) -> int:
            async with connection.transaction():
                await connection.execute("SET LOCAL lock_timeout = 0")  # another node may migrate
                await connection.execute(
                    f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})", timeout=MIGRATION_SECONDS
                )
                await connection.execute(dialect.postgres_schema(migrations.RECORD))
                found = int(await connection.fetchval(migrations.FIND_VERSION))
                for step in migrations.plan_migrations(found):
                    await connection.execute(
                        dialect.postgres_schema(step.text), timeout=MIGRATION_SECONDS
                    )
                    await connection.execute(
                        "INSERT INTO schema_migrations VALUES ($1, $2, $3)",
                        step.version,
                        step.name,
                        self._clock.now(),
                    )
                return int(await connection.fetchval(migrations.FIND_VERSION))

        return await self._with_connection(upgrade)

    async def maintain(self) -> None:
        """Analyse the tables that have grown much since they were last analysed.

        A prepared statement keeps the plan that it got while its table was small, even a bad one,
        until the table is analysed. The autovacuum of PostgreSQL checks once a minute, which is
        too late in a new and busy database.
        """

        async def analyse(connection: Connection) -> None:
            for row in await connection.fetch(GROWN_TABLES):
                await connection.execute(f'ANALYZE "{row[0]}"')

        await self._with_connection(analyse)

    async def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        while self._running:
            await asyncio.wait(self._running)
        if self._pool is not None:
            await self._pool.close()

    async def _with_connection(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """Run `work` on a connection of its own; once begun it ends, even if the caller leaves."""
        if self._is_closed:
            raise Unavailable("The server is shutting down.")
        accepted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._running.add(accepted)  # `close` also waits for work that waits for a connection
        try:
            pool, connection = await self._acquire()
            task = asyncio.create_task(self._run(pool, connection, work))
            self._running.add(task)
            task.add_done_callback(self._discard)
        finally:
            self._running.discard(accepted)
            accepted.set_result(None)
        return await asyncio.shield(task)

    async def _acquire(self) -> "tuple[asyncpg.Pool[Any], Connection]":
        try:
            pool = await self._open_pool()
            return pool, await pool.acquire(timeout=WAIT_SECONDS)
        except AWAY as failure:
            log.error("store_not_reached", reason=str(failure))
            raise Unavailable("The database can't be reached at the moment.") from failure

    def _discard(self, task: asyncio.Future[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # the caller may have left; this avoids the "never retrieved" warning

    async def _run(
        self,
        pool: "asyncpg.Pool[Any]",
        connection: Connection,
        work: Callable[[Connection], Awaitable[Result]],
    ) -> Result:
        try:
            return await work(connection)
        except AWAY as failure:
            log.error("store_failed", reason=str(failure))
            raise Unavailable(
                "The database is not available at the moment. Nothing was changed; try again."
            ) from None
        finally:
            await _release(pool, connection)

    async def _write(
        self, connection: Connection, app_id: str, operation: Operation[Result]
    ) -> Result:
        for attempt in range(1, MOST_TRIES + 1):
            try:
                return await self._try_write(connection, app_id, operation)
            except RETRIED as conflict:
                log.info("write_retried", attempt=attempt, reason=str(conflict))
                await asyncio.sleep(0.002 * attempt)
        raise Unavailable("The change conflicted with others too often. Try again shortly.")

    async def _try_write(
        self, connection: Connection, app_id: str, operation: Operation[Result]
    ) -> Result:
        tx = PostgresTransaction(connection, app_id)
        await connection.execute("BEGIN")
        try:
            result = await operation(tx)
            await self._finish(tx)
        except BaseException:
            if not _is_lost(connection):
                await connection.execute("ROLLBACK")
            raise
        if _is_lost(connection):
            raise asyncpg.ConnectionDoesNotExistError("the connection was lost before the commit")
        try:
            status = await connection.execute("COMMIT")
        except CONNECTION_LOST as failure:
            log.error("outcome_unknown", reason=str(failure))
            raise OutcomeUnknown from failure
        if status != "COMMIT":  # it is ROLLBACK when a statement has failed before
            raise StatementSwallowed
        return result

    async def _open_pool(self) -> "asyncpg.Pool[Any]":
        async with self._opening:
            if self._pool is None:
                self._pool = await asyncpg.create_pool(
                    self._url,
                    min_size=1,
                    max_size=self._connections,
                    statement_cache_size=1_000,
                    command_timeout=STATEMENT_SECONDS,
                    timeout=WAIT_SECONDS,
                    server_settings=self._session,
                    reset=_skip_reset,
                )
            return self._pool


async def _skip_reset(connection: Connection) -> None:
    """Do nothing when a connection returns to the pool: session state is never set on one."""


def _is_lost(connection: Connection) -> bool:
    """Return whether a connection has ended; one that the pool has taken back raises."""
    try:
        return bool(connection.is_closed())
    except asyncpg.InterfaceError:
        return True


async def _release(pool: "asyncpg.Pool[Any]", connection: Connection) -> None:
    if not _is_lost(connection) and connection.is_in_transaction():
        connection.terminate()
    await pool.release(connection)
