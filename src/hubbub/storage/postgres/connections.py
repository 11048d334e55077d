"""The connections of a node to PostgreSQL: a pool, whether the server is reached, or why not."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

import asyncpg
import structlog

from hubbub.kernel.errors import Unavailable
from hubbub.kernel.places import Places
from hubbub.storage.measures import StoreFault

log = structlog.get_logger()
Result = TypeVar("Result")
Connection = Any  # asyncpg's pool hands out a proxy that its stubs do not describe
Work = Callable[[Connection], Awaitable[Result]]
Begin = Callable[[Connection], Coroutine[Any, Any, None]]

WAIT_SECONDS = 5.0
MOST_READS_WAITING = 1_000
"""So many readings of an app may wait."""
STATEMENT_SECONDS = 30.0
SHARED = 3
"""Fewer connections are used by all shares."""
SESSION = {
    "application_name": "hubbub",
    "idle_in_transaction_session_timeout": "5000",
    "jit": "off",
    "tcp_keepalives_idle": "10",
}


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
DAMAGED = (asyncpg.DataCorruptedError, asyncpg.IndexCorruptedError)
UNWRITABLE = (
    asyncpg.DiskFullError,
    asyncpg.PostgresIOError,
    asyncpg.ReadOnlySQLTransactionError,
)
AWAY = (
    *CONNECTION_LOST,
    *REFUSED,
    *DAMAGED,
    asyncpg.CannotConnectNowError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.InsufficientResourcesError,
    asyncpg.LockNotAvailableError,
    asyncpg.OperatorInterventionError,
    asyncpg.PostgresIOError,
    asyncpg.ReadOnlySQLTransactionError,
)
EXAMPLE = "postgresql://user:password@host:5432/database"


@dataclass(frozen=True, slots=True)
class Shares:
    """The places of the pool: for writes, for pages and look-ups, and for long readings.

    So nothing that is read takes a connection that a send needs, and no search one that a page
    needs.
    """

    writes: Places
    pages: Places
    searches: Places

    @classmethod
    def of(cls, most: int, most_waiting: int, patience: float) -> "Shares":
        """Divide a number of connections; if there are very few they are shared."""
        searches = max(1, most // 5)
        writes = max(1, (most - searches) // 2)
        pages = max(1, most - searches - writes)
        waiting = min(most_waiting, MOST_READS_WAITING)
        return cls(
            Places(writes, most_waiting=most_waiting, patience=patience),
            Places(pages, most_waiting=waiting, patience=patience),
            Places(searches, most_waiting=waiting, patience=patience),
        )

    def count_waiting(self) -> dict[str, int]:
        """Return how much waits for a connection, by the name of the queue."""
        return {
            "connections_for_writes": self.writes.turns.waiting,
            "connections_for_pages": self.pages.turns.waiting,
            "connections_for_searches": self.searches.turns.waiting,
        }


class Connections:
    """A pool of connections. The log says once that the server is lost, once that it is back."""

    def __init__(
        self,
        url: str,
        most: int,
        lock_seconds: float,
        *,
        most_waiting: int,
        patience: float = WAIT_SECONDS,
        begin: Begin | None = None,
    ) -> None:
        """`begin` is called with each new connection before it is used.

        What waits for a connection is refused after `patience` seconds.
        """
        self.shares = Shares.of(most, most_waiting, patience)
        self._url = url
        self._begin_connection = begin
        self._most = most
        # With a connection for each place, one is free or is opened, which has its own limit:
        # another one would be a task more for each reading.
        self._pool_seconds = None if most >= SHARED else patience
        self._session = {**SESSION, "lock_timeout": str(round(lock_seconds * 1_000))}
        self._is_closed = False
        self._is_reached: bool | None = None
        """Whether the last connection or transaction succeeded; None before the first one."""
        self._changes = 0
        """How often the server was lost or came back. What began before the last change, such as a
        transaction that broke with those that were noticed first, says nothing of the time since.
        """
        self._pool: asyncpg.Pool[Any] | None = None
        self._opening = asyncio.Lock()
        self._running: set[asyncio.Future[Any]] = set()

    async def use(
        self, share: Places, app_id: str, work: Work[Result], *, user: str | None = None
    ) -> Result:
        """Run `work` on a connection of a share; once begun it ends, even if the caller leaves.

        Work of the shares for reading is cancelled then, and its statement with it.
        """
        if self._is_closed:
            raise Unavailable("The server is shutting down.")
        accepted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._running.add(accepted)  # `close` also waits for work that waits for a connection
        try:
            task = await self._begin(share, app_id, work, user)
        finally:
            self._running.discard(accepted)
            accepted.set_result(None)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if share is not self.shares.writes:
                task.cancel()
            raise

    async def _begin(
        self, share: Places, app_id: str, work: Work[Result], user: str | None
    ) -> "asyncio.Task[Result]":
        place = await share.take(app_id, user)
        began = self._changes
        try:
            pool, connection = await self._acquire(began)
        except BaseException:
            share.give_back(place)
            raise
        task = asyncio.create_task(self._run(pool, connection, work, began))
        self._running.add(task)

        def end(_: asyncio.Future[Result]) -> None:
            share.give_back(place)
            self._discard(task)

        task.add_done_callback(end)
        return task

    def count(self) -> tuple[int, int]:
        """Return how many connections are open, and how many of them are idle."""
        pool = self._pool
        return (pool.get_size(), pool.get_idle_size()) if pool is not None else (0, 0)

    async def close(self) -> None:
        """Close the connections, after all work that has begun has ended."""
        if self._is_closed:
            return
        self._is_closed = True
        while self._running:
            await asyncio.wait(self._running)
        if self._pool is not None:
            await self._pool.close()

    async def _acquire(self, began: int) -> "tuple[asyncpg.Pool[Any], Connection]":
        try:
            pool = await self._open_pool()
            return pool, await pool.acquire(timeout=self._pool_seconds)
        except (*AWAY, ValueError) as failure:  # ValueError: the address is not valid
            await self._note_away(failure, began)
            raise Unavailable("The database can't be reached at the moment.") from failure

    def _discard(self, task: asyncio.Future[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # the caller may have left; this avoids the "never retrieved" warning

    async def _run(
        self,
        pool: "asyncpg.Pool[Any]",
        connection: Connection,
        work: Work[Result],
        began: int,
    ) -> Result:
        try:
            result = await work(connection)
        except AWAY as failure:
            if isinstance(failure, (*CONNECTION_LOST, *REFUSED)):
                await self._note_away(failure, began)
            else:
                log.error("store_failed", reason=str(failure))
            raise Unavailable(
                "The database is not available at the moment. Nothing was changed; try again."
            ) from failure
        finally:
            await _release(pool, connection)
        self._note_back(began)
        return result

    async def _note_away(self, failure: BaseException, began: int) -> None:
        """Log why the database can't be reached, once until it is back.

        Connections that were open are not used again, except after a statement that took too long:
        they may end a moment later, and what is done on one until then does not show that the
        server is back.
        """
        if self._is_reached is False or began != self._changes:
            return
        if self._is_reached:
            log.error("store_lost", reason=str(failure) or type(failure).__name__)
        self._is_reached = False
        self._changes += 1
        if self._pool is not None and not isinstance(failure, TimeoutError):
            await self._pool.expire_connections()

    def _note_back(self, began: int) -> None:
        if self._is_reached or began != self._changes:
            return
        if self._is_reached is False:
            log.info("store_back")
            self._changes += 1
        self._is_reached = True

    async def _begin_in_time(self, connection: Connection) -> None:
        if self._begin_connection is not None:
            async with asyncio.timeout(WAIT_SECONDS):
                await self._begin_connection(connection)

    async def _open_pool(self) -> "asyncpg.Pool[Any]":
        async with self._opening:
            if self._pool is None:
                self._pool = await asyncpg.create_pool(
                    self._url,
                    min_size=1,
                    max_size=self._most,
                    statement_cache_size=1_000,
                    command_timeout=STATEMENT_SECONDS,
                    timeout=WAIT_SECONDS,
                    server_settings=self._session,
                    reset=_skip_reset,
                    init=self._begin_in_time,
                )
            return self._pool


def fault_of(failure: BaseException | None) -> StoreFault | None:
    """Return what an error of PostgreSQL says of the store, if it is reached."""
    if isinstance(failure, DAMAGED):
        return StoreFault.DAMAGED
    return StoreFault.UNWRITABLE if isinstance(failure, UNWRITABLE) else None


def is_lost(connection: Connection) -> bool:
    """Return whether a connection has ended; one that the pool has taken back raises."""
    try:
        return bool(connection.is_closed())
    except asyncpg.InterfaceError:
        return True


async def _skip_reset(connection: Connection) -> None:
    """Do nothing when a connection returns to the pool: session state is never set on one."""


async def _release(pool: "asyncpg.Pool[Any]", connection: Connection) -> None:
    if not is_lost(connection) and connection.is_in_transaction():
        connection.terminate()
    await pool.release(connection, timeout=WAIT_SECONDS)


def explain_failure(failure: BaseException | None, url: str) -> str:
    """Return in a sentence why the database at an address can't be used; the password is not in it.

    `failure` is what the driver raised when it connected, or made the tables.
    """
    try:
        parts = urlsplit(url)
        host, database = parts.netloc.rpartition("@")[2], parts.path.lstrip("/") or parts.username
        is_address = parts.scheme in ("postgresql", "postgres") and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        return f"The address of the database is not valid. It looks like {EXAMPLE}."
    match failure:
        case asyncpg.InvalidCatalogNameError():
            return (
                f"PostgreSQL at {host} has no database {database}. Create it: createdb {database}"
            )
        case asyncpg.InvalidAuthorizationSpecificationError():
            return f"PostgreSQL at {host} refuses the log-in: {failure}."
        case asyncpg.InsufficientPrivilegeError():
            return f"The role may not make Hubbub's tables in {database} at {host}: {failure}."
        case TimeoutError():
            reason = "it does not answer"
        case OSError(errno=int(number)) if number > 0:
            reason = os.strerror(number)
        case OSError(strerror=str(reason)):
            pass
        case _:
            reason = str(failure)
    return f"PostgreSQL can't be reached at {host}: {reason}."
