"""A reading on PostgreSQL: a snapshot whose parts may be limited in time."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from hubbub.kernel.rests import Rests
from hubbub.storage.interface import Row
from hubbub.storage.postgres.pool import Connection
from hubbub.storage.postgres.transaction import PostgresTransaction
from hubbub.storage.queries import Query, Rows

Result = TypeVar("Result")

PART_ROWS = 100
"""Of a long list, so many rows are sent at once: all that has arrived is decoded in one turn."""


class ShortReading(PostgresTransaction):
    """A snapshot of one app on a connection.

    While several apps ask for something it rests after each part of a long list.
    """

    __slots__ = ("_ends_at", "_goes_on_since", "_now", "_rests")

    def __init__(
        self, connection: Connection, app_id: str, now: Callable[[], float], rests: Rests
    ) -> None:
        super().__init__(connection, app_id)
        self._now = now
        self._rests = rests
        self._ends_at = math.inf
        self._goes_on_since = time.perf_counter()

    @property
    def is_overdue(self) -> bool:
        return self._ends_at < math.inf and self._now() >= self._ends_at

    async def fetch(self, query: Query, **args: Any) -> list[Row]:
        if _count_most(args) <= PART_ROWS:
            return await super().fetch(query, **args)
        bound = query.bind(self.app_id, args)
        cursor = await self._connection.cursor(query.postgres, *bound)
        rows: list[Row] = []
        while len(part := await cursor.fetch(PART_ROWS)) == PART_ROWS:
            rows += part
            await self.give_way()
        return [*rows, *part]

    async def give_way(self) -> None:
        seconds = time.perf_counter() - self._goes_on_since
        await asyncio.sleep(self._rests.after(self.app_id, seconds))
        self._goes_on_since = time.perf_counter()

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


class LongReading(ShortReading):
    """A snapshot for a reading that may take long: it rests after each statement, too."""

    __slots__ = ()

    async def fetch(self, query: Query, **args: Any) -> list[Row]:
        rows = await super().fetch(query, **args)
        await self.give_way()
        return rows

    async def fetch_one(self, query: Query, **args: Any) -> Row | None:
        row = await super().fetch_one(query, **args)
        await self.give_way()
        return row

    async def fetch_many(self, query: Query, rows: Rows) -> list[Row]:
        found = await super().fetch_many(query, rows)
        await self.give_way()
        return found


def _count_most(args: Mapping[str, Any]) -> int:
    """Return how many rows are asked for: with a limit, or by as many keys."""
    most: int = args.get("limit") or 0
    for each in args.values():
        if isinstance(each, (list, tuple, set)) and len(each) > most:
            most = len(each)
    return most
