"""A reading on PostgreSQL: a snapshot whose parts may be limited in time."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar, cast

from hubbub.kernel.rests import Rests
from hubbub.storage.interface import Row
from hubbub.storage.postgres.pool import Connection
from hubbub.storage.postgres.together import fetch_joined, resolve
from hubbub.storage.postgres.transaction import PostgresTransaction
from hubbub.storage.queries import Query, Rows
from hubbub.storage.together import Asked, LookedUp, WantedRows, Work, run_until_wanted

Result = TypeVar("Result")

BEGIN_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
PART_ROWS = 100
"""Of a long list, so many rows are sent at once: all that has arrived is decoded in one turn."""

FEW_ROWS = 4
"""So many look-ups that can't be a batch are parts of one statement."""


class MoreIsAsked(Exception):
    """A reading that seemed to be one statement has another: begin again, as a transaction."""


class ShortReading(PostgresTransaction):
    """A snapshot of one app on a connection.

    While several apps ask for something it rests after each part of a long list.

    Raises:
        MoreIsAsked: it `may_be_one` statement, which is its own snapshot, and is not.
    """

    __slots__ = (
        "_ends_at",
        "_foreseen",
        "_goes_on_since",
        "_has_begun",
        "_is_gathering",
        "_is_one",
        "_may_be_one",
        "_now",
        "_rests",
    )

    def __init__(
        self,
        connection: Connection,
        app_id: str,
        now: Callable[[], float],
        rests: Rests,
        *,
        may_be_one: bool = False,
        has_begun: bool = False,
    ) -> None:
        super().__init__(connection, app_id)
        self._may_be_one = may_be_one
        self._has_begun = has_begun
        self._is_one = False
        self._is_gathering = False
        self._foreseen: dict[tuple[Query, Hashable], list[Row]] = {}
        self._now = now
        self._rests = rests
        self._ends_at = math.inf
        self._goes_on_since = time.perf_counter()

    @property
    def is_overdue(self) -> bool:
        return self._ends_at < math.inf and self._now() >= self._ends_at

    async def foresee(self, plan: Callable[[], Sequence[Asked]], *, is_all: bool = False) -> None:
        asked = plan()
        if is_all and self._may_be_one and not self._has_begun:
            self._is_one = True
            found = await fetch_joined(self._connection, self.app_id, asked)
        else:
            found = await self._ask(asked)
        resolved = resolve(asked, found)
        for each, args, rows in zip(asked, resolved, found, strict=True):
            (key,) = each.query.keys_of([args])
            self._foreseen[each.query, key] = rows

    async def gather(self, *work: Work) -> list[Any]:
        """Run look-ups in rounds: in each, all that they ask is one statement."""
        was_gathering = self._is_gathering
        ended: dict[int, LookedUp] = {}
        rows: dict[int, list[list[Row]] | None] = dict.fromkeys(range(len(work)))
        try:
            while rows:
                wanted: dict[int, WantedRows] = {}
                for number, found in rows.items():
                    self._is_gathering = True
                    end = await run_until_wanted(work[number], found)
                    if isinstance(end, LookedUp):
                        ended[number] = end
                    else:
                        wanted[number] = end
                self._is_gathering = was_gathering
                rows = await self._ask_all(wanted)
        finally:
            self._is_gathering = was_gathering
            for each in work:
                each.close()
        return [ended[number].result for number in range(len(work))]

    async def _ask_all(self, wanted: Mapping[int, WantedRows]) -> dict[int, list[list[Row]] | None]:
        """Return what several look-ups want, by their numbers."""
        asked = [each for some in wanted.values() for each in some.asked]
        answers = iter(await self._ask(asked) if asked else ())
        return {number: [next(answers) for _ in some.asked] for number, some in wanted.items()}

    async def _ask(self, asked: Sequence[Asked]) -> list[list[Row]]:
        """Return the rows of queries; those of a look-up that is gathered come with others."""
        if self._is_gathering:
            return await WantedRows(asked)
        await self._begin()
        if len(asked) > 1:
            return await fetch_joined(self._connection, self.app_id, asked)
        [only] = asked
        if only.rows is not None:
            return [await super().fetch_many(only.query, only.rows)]
        return [await super().fetch(only.query, **only.args)]

    async def _begin(self) -> None:
        """Begin a transaction before the first statement, so that all see the same."""
        if self._is_one:
            raise MoreIsAsked
        if not self._has_begun:
            self._has_begun = True
            await self._connection.execute(BEGIN_READING)

    async def _before_single_write(self) -> None:
        await self._begin()  # within the transaction, PostgreSQL refuses it
        await super()._before_single_write()

    def _recall(self, query: Query, rows: Rows) -> list[Row] | None:
        """Return what was foreseen of a query, for each of some rows of arguments."""
        found: list[Row] = []
        for key in query.keys_of(rows):
            foreseen = self._foreseen.get((query, key))
            if foreseen is None:
                return None
            found += foreseen
        return found

    async def fetch_one(self, query: Query, **args: Any) -> Row | None:
        if self._foreseen or self._is_gathering:
            rows = await self.fetch(query, **args)
            return rows[0] if rows else None
        await self._begin()
        return await super().fetch_one(query, **args)

    async def fetch_many(self, query: Query, rows: Rows) -> list[Row]:
        if not rows:
            return []
        if self._foreseen and (foreseen := self._recall(query, rows)) is not None:
            return foreseen
        if query.is_point or query.is_bulk:
            [found] = await self._ask([Asked(query, {}, rows)])
            return found
        if len(rows) <= FEW_ROWS and isinstance(rows[0], Mapping):
            each_asked = [Asked(query, cast("Mapping[str, Any]", row)) for row in rows]
            return [row for found in await self._ask(each_asked) for row in found]
        await self._begin()
        return await super().fetch_many(query, rows)

    async def fetch(self, query: Query, **args: Any) -> list[Row]:
        if self._foreseen and (foreseen := self._recall(query, [args])) is not None:
            return foreseen
        if _count_most(args) <= PART_ROWS:
            [found] = await self._ask([Asked(query, args)])
            return found
        await self._begin()
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
        await self._begin()
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
        await self._rest()
        return rows

    async def fetch_one(self, query: Query, **args: Any) -> Row | None:
        row = await super().fetch_one(query, **args)
        await self._rest()
        return row

    async def fetch_many(self, query: Query, rows: Rows) -> list[Row]:
        found = await super().fetch_many(query, rows)
        await self._rest()
        return found

    async def gather(self, *work: Work) -> list[Any]:
        found = await super().gather(*work)
        await self._rest()
        return found

    async def _rest(self) -> None:
        if not self._is_gathering:
            await self.give_way()


def _count_most(args: Mapping[str, Any]) -> int:
    """Return how many rows are asked for: with a limit, or by as many keys."""
    most: int = args.get("limit") or 0
    for each in args.values():
        if isinstance(each, (list, tuple, set)) and len(each) > most:
            most = len(each)
    return most
