"""The PostgreSQL engine: each operation is a transaction on a connection of a pool."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, ClassVar, TypeVar
from weakref import WeakValueDictionary

import asyncpg
import structlog

from hubbub.kernel.clock import Clock
from hubbub.kernel.errors import OutcomeUnknown, Unavailable
from hubbub.storage import dialect, migrations
from hubbub.storage.errors import StatementSwallowed, StoreUnusable
from hubbub.storage.interface import Finish, Operation, Reading, Row
from hubbub.storage.kept import Memories
from hubbub.storage.postgres.failures import explain_failure
from hubbub.storage.postgres.transaction import NotCurrent, PostgresTransaction
from hubbub.storage.queries import Query

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

BEGIN_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
# A short reading is one whose indexes are known. Otherwise PostgreSQL would plan some queries anew
# each time, which takes several times as long as to run them.
BEGIN_SHORT = f"{BEGIN_READING}; SET LOCAL plan_cache_mode = force_generic_plan"

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
REFUSED = (
    asyncpg.InsufficientPrivilegeError,
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
)
AWAY = (
    *CONNECTION_LOST,
    *REFUSED,
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


class PostgresDatabase:
    """A PostgreSQL database, which several nodes may share."""

    engine: ClassVar[str] = "postgresql"
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
    ) -> None:
        self._url = url
        self._finish = finish
        self._clock = clock
        self._connections = connections
        self._lock_seconds = lock_seconds
        self._session = {**SESSION, "lock_timeout": str(round(lock_seconds * 1_000))}
        self._most_waiting = most_waiting
        self._waiting = 0
        self._memories = Memories()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._is_closed = False
        self._is_reached: bool | None = None
        """Whether the last connection or transaction succeeded; None before the first one."""
        self._pool: asyncpg.Pool[Any] | None = None
        self._opening = asyncio.Lock()
        self._running: set[asyncio.Future[Any]] = set()

    async def write(
        self, app_id: str, operation: Operation[Result], *, is_optimistic: bool = False
    ) -> Result:
        if self._waiting >= self._most_waiting:
            raise Unavailable("Too many changes are waiting to be stored. Try again shortly.")
        self._waiting += 1
        try:
            if is_optimistic:
                return await self._write_in_turn(app_id, operation)
            return await self._with_connection(
                lambda connection: self._write(connection, app_id, operation)
            )
        finally:
            self._waiting -= 1

    async def read(
        self, app_id: str, reading: Reading[Result], *, is_short: bool = False
    ) -> Result:
        async def run(connection: Connection) -> Result:
            await connection.execute(BEGIN_SHORT if is_short else BEGIN_READING)
            try:
                return await reading(PostgresTransaction(connection, app_id))
            finally:
                if not _is_lost(connection):
                    await connection.execute("ROLLBACK")

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

        return await self._with_new_connection(upgrade)

    async def schema_version(self) -> int:
        async def find(connection: Connection) -> int:
            if await connection.fetchval("SELECT to_regclass('schema_migrations')") is None:
                return 0
            return int(await connection.fetchval(migrations.FIND_VERSION))

        return await self._with_new_connection(find)

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

    async def _with_new_connection(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """Run `work` when a process starts; its operator is told what is wrong."""
        try:
            return await self._with_connection(work)
        except Unavailable as failure:
            raise StoreUnusable(explain_failure(failure.__cause__, self._url)) from failure

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
        except (*AWAY, ValueError) as failure:  # ValueError: the address is not valid
            self._note_away(failure)
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
            result = await work(connection)
        except AWAY as failure:
            if isinstance(failure, (*CONNECTION_LOST, *REFUSED)):
                self._note_away(failure)
            else:
                log.error("store_failed", reason=str(failure))
            raise Unavailable(
                "The database is not available at the moment. Nothing was changed; try again."
            ) from failure
        finally:
            await _release(pool, connection)
        self._note_back()
        return result

    def _note_away(self, failure: BaseException) -> None:
        """Log why the database can't be reached, once until it is back."""
        if self._is_reached:
            log.error("store_lost", reason=str(failure) or type(failure).__name__)
        self._is_reached = False

    def _note_back(self) -> None:
        if self._is_reached is False:
            log.info("store_back")
        self._is_reached = True

    async def _write_in_turn(self, app_id: str, operation: Operation[Result]) -> Result:
        """Carry out an optimistic write, after those of the app that this node has begun.

        Each goes on from the counters of the one before. Those that wait hold no connection.
        """
        turn = self._turns.setdefault(app_id, asyncio.Lock())
        try:
            async with asyncio.timeout(self._lock_seconds):
                await turn.acquire()
        except TimeoutError:
            raise Unavailable("Other changes of the app took too long. Try again.") from None
        try:
            return await self._with_connection(
                lambda connection: self._write_optimistic(connection, app_id, operation)
            )
        finally:
            turn.release()

    async def _write_optimistic(
        self, connection: Connection, app_id: str, operation: Operation[Result]
    ) -> Result:
        with suppress(NotCurrent, *RETRIED):
            return await self._write_expecting(connection, app_id, operation)
        return await self._write(connection, app_id, operation)

    async def _write(
        self, connection: Connection, app_id: str, operation: Operation[Result]
    ) -> Result:
        for attempt in range(1, MOST_TRIES + 1):
            try:
                return await self._write_locked(connection, app_id, operation)
            except RETRIED as conflict:
                log.info("write_retried", attempt=attempt, reason=str(conflict))
                await asyncio.sleep(0.002 * attempt)
        raise Unavailable("The change conflicted with others too often. Try again shortly.")

    async def _write_expecting(
        self, connection: Connection, app_id: str, operation: Operation[Result]
    ) -> Result:
        """Run an operation on what is kept in memory, and store it as one statement.

        The statement stores nothing if another transaction has written in the app since.

        Raises:
            NotCurrent: nothing was stored: the operation must run with the counters locked.
        """
        tx = PostgresTransaction(connection, app_id, self._memories, is_expecting=True)
        try:
            result = await operation(tx)
            await self._finish(tx)
        except BaseException as problem:
            self._memories.forget_volatile(tx)
            if isinstance(problem, AWAY) or not isinstance(problem, Exception):
                raise
            raise NotCurrent from problem  # it may follow from something that has changed
        try:
            await tx.store_expecting()
        except NotCurrent:
            self._memories.forget_volatile(tx)
            raise
        except BaseException as failure:
            self._memories.drop(tx)
            if isinstance(failure, CONNECTION_LOST):
                log.error("outcome_unknown", reason=str(failure))
                raise OutcomeUnknown from failure
            raise
        self._memories.close(tx)
        return result

    async def _write_locked(
        self, connection: Connection, app_id: str, operation: Operation[Result]
    ) -> Result:
        tx = PostgresTransaction(connection, app_id, self._memories)
        try:
            result = await self._commit(connection, tx, operation)
        except BaseException:
            self._memories.drop(tx)
            raise
        self._memories.close(tx)
        return result

    async def _commit(
        self, connection: Connection, tx: PostgresTransaction, operation: Operation[Result]
    ) -> Result:
        await connection.execute("BEGIN")
        try:
            result = await operation(tx)
            await self._finish(tx)
            await tx.flush()
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
