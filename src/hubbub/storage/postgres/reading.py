"""A reading on PostgreSQL: a snapshot whose parts may be limited in time."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import TypeVar

from hubbub.storage.postgres.transaction import Connection, PostgresTransaction

Result = TypeVar("Result")


class PostgresReading(PostgresTransaction):
    """A snapshot of one app on a connection."""

    __slots__ = ("_ends_at", "_now")

    def __init__(self, connection: Connection, app_id: str, now: Callable[[], float]) -> None:
        super().__init__(connection, app_id)
        self._now = now
        self._ends_at = math.inf

    @property
    def is_overdue(self) -> bool:
        return self._ends_at < math.inf and self._now() >= self._ends_at

    async def within(self, seconds: float, work: Callable[[], Awaitable[Result]]) -> Result | None:
        before = self._ends_at
        self._ends_at = min(before, self._now() + seconds)
        # A statement that is cancelled ends the transaction, except what came before the savepoint.
        await self._connection.execute("SAVEPOINT part")
        try:
            async with asyncio.timeout(seconds) as limit:
                return await work()
        except TimeoutError:
            if not limit.expired():
                raise
            await self._connection.execute("ROLLBACK TO SAVEPOINT part")
            return None
        finally:
            self._ends_at = before
