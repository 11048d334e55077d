"""The connections of a node to PostgreSQL: a pool, whether the server is reached, or why not."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

import asyncpg
import structlog

from hubbub.kernel.errors import Unavailable
from hubbub.kernel.places import Place, Places
from hubbub.storage.measures import StoreFault
from hubbub.storage.postgres.pool import Connection, ConnectionPool, Plans, PooledConnection

log = structlog.get_logger()
Result = TypeVar("Result")
Work = Callable[[Connection], Awaitable[Result]]
Begin = Callable[[Connection], Coroutine[Any, Any, None]]

WAIT_SECONDS = 5.0
MOST_READS_WAITING = 1_000
"""So many readings of an app may wait."""
STATEMENT_SECONDS = 30.0
SHARED = 3
"""Fewer connections are used by all shares, one after the other."""
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
        self._patience = patience
        self._session = {**SESSION, "lock_timeout": str(round(lock_seconds * 1_000))}
        self._is_closed = False
        self._is_reached: bool | None = None
        """Whether the last connection or transaction succeeded; None before the first one."""
        self._changes = 0
        """How often the server was lost or came back. What began before the last change, such as a
        transaction that broke with those that were noticed first, says nothing of the time since.
        """
        self._pool = ConnectionPool(self._open, most)
        # Otherwise there is a connection for each place.
        self._free = asyncio.Semaphore(most) if most < SHARED else None
        self._running: set[asyncio.Future[Any]] = set()

    async def use(self, share: Places, app_id: str, work: Work[Result]) -> Result:
        """Run `work` on a connection of a share; once begun it ends, even if the caller leaves."""
        with self._accepted():
            place, session, began = await self._begin(share, app_id, None)
        task = asyncio.create_task(self._run(session, work, began))
        self._running.add(task)

        def end(_: asyncio.Future[Result]) -> None:
            share.give_back(place)
            self._discard(task)

        task.add_done_callback(end)
        return await asyncio.shield(task)

    async def read(
        self, share: Places, app_id: str, work: Work[Result], *, user: str | None = None
    ) -> Result:
        """Run `work` that only reads, on a connection of a share.

        If its caller is cancelled, so is the statement that is under way. A transaction that it
        has begun is ended afterwards, which nobody waits for.
        """
        with self._accepted():
            place, session, began = await self._begin(share, app_id, user)
            is_left = True  # perhaps in the middle of a statement
            try:
                with self._explained(began):
                    result = await work(session.connection)
                is_left = False
            except Exception:
                is_left = False
                raise
            finally:
                if is_left or session.connection.is_in_transaction():
                    self._roll_back(share, place, session)
                else:
                    self._give_back(session)
                    share.give_back(place)
            return result

    @contextmanager
    def _accepted(self) -> Iterator[None]:
        """Keep `close` waiting for work that waits for a connection, or has one."""
        if self._is_closed:
            raise Unavailable("The server is shutting down.")
        accepted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._running.add(accepted)
        try:
            yield
        finally:
            self._running.discard(accepted)
            accepted.set_result(None)

    async def _begin(
        self, share: Places, app_id: str, user: str | None
    ) -> tuple[Place, PooledConnection, int]:
        place = await share.take(app_id, user)
        began = self._changes
        try:
            plans = Plans.ONCE if share is self.shares.pages else Plans.USUAL
            return place, await self._take(plans, began), began
        except BaseException:
            share.give_back(place)
            raise

    def count(self) -> tuple[int, int]:
        """Return how many connections are open, and how many of them are idle."""
        return self._pool.size, self._pool.idle

    async def close(self) -> None:
        """Close the connections, after all work that has begun has ended."""
        if self._is_closed:
            return
        self._is_closed = True
        while self._running:
            await asyncio.wait(self._running)
        await self._pool.close()

    async def _take(self, plans: Plans, began: int) -> PooledConnection:
        if self._free is not None:
            try:
                async with asyncio.timeout(self._patience):
                    await self._free.acquire()
            except TimeoutError as failure:
                raise Unavailable("The database is busy. Try again shortly.") from failure
        try:
            return await self._pool.take(plans)
        except (*AWAY, ValueError) as failure:  # ValueError: the address is not valid
            self._note_away(failure, began)
            self._let_go()
            raise Unavailable("The database can't be reached at the moment.") from failure
        except BaseException:
            self._let_go()
            raise

    def _give_back(self, session: PooledConnection) -> None:
        self._pool.give_back(session)
        self._let_go()

    def _let_go(self) -> None:
        if self._free is not None:
            self._free.release()

    def _roll_back(self, share: Places, place: Place, session: PooledConnection) -> None:
        """End what a reading leaves open; then others may have its connection, and its place."""
        task = asyncio.create_task(_roll_back(session.connection))
        self._running.add(task)

        def end(_: asyncio.Future[None]) -> None:
            self._give_back(session)
            share.give_back(place)
            self._discard(task)

        task.add_done_callback(end)

    def _discard(self, task: asyncio.Future[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # the caller may have left; this avoids the "never retrieved" warning

    async def _run(self, session: PooledConnection, work: Work[Result], began: int) -> Result:
        try:
            with self._explained(began):
                return await work(session.connection)
        finally:
            if session.connection.is_in_transaction():
                session.connection.terminate()
            self._give_back(session)

    @contextmanager
    def _explained(self, began: int) -> Iterator[None]:
        """Have callers told when the server is away; note that it is, or is back."""
        try:
            yield
        except AWAY as failure:
            if isinstance(failure, (*CONNECTION_LOST, *REFUSED)):
                self._note_away(failure, began)
            else:
                log.error("store_failed", reason=str(failure))
            raise Unavailable(
                "The database is not available at the moment. Nothing was changed; try again."
            ) from failure
        except asyncpg.InvalidCachedStatementError:
            self._pool.expire()  # another node has changed the tables that statements read
            raise
        self._note_back(began)

    def _note_away(self, failure: BaseException, began: int) -> None:
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
        if not isinstance(failure, TimeoutError):
            self._pool.expire()

    def _note_back(self, began: int) -> None:
        if self._is_reached or began != self._changes:
            return
        if self._is_reached is False:
            log.info("store_back")
            self._changes += 1
        self._is_reached = True

    async def _open(self, plans: Plans) -> Connection:
        connection = await asyncpg.connect(
            self._url,
            statement_cache_size=1_000,
            command_timeout=STATEMENT_SECONDS,
            timeout=WAIT_SECONDS,
            server_settings={**self._session, "plan_cache_mode": plans.value},
        )
        try:
            if self._begin_connection is not None:
                async with asyncio.timeout(WAIT_SECONDS):
                    await self._begin_connection(connection)
        except BaseException:
            connection.terminate()
            raise
        return connection


def fault_of(failure: BaseException | None) -> StoreFault | None:
    """Return what an error of PostgreSQL says of the store, if it is reached."""
    if isinstance(failure, DAMAGED):
        return StoreFault.DAMAGED
    return StoreFault.UNWRITABLE if isinstance(failure, UNWRITABLE) else None


def is_lost(connection: Connection) -> bool:
    """Return whether a connection has ended."""
    return bool(connection.is_closed())


async def _roll_back(connection: Connection) -> None:
    """End the transaction of a reading, after what was cancelled in it; or the connection."""
    try:
        if not connection.is_closed():
            await connection.execute("ROLLBACK")
    except BaseException:
        connection.terminate()
        raise


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
