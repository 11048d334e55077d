"""Transactions on PostgreSQL, in few round trips.

Batches of writes are not sent one by one. They are collected, and sent as one statement when the
transaction reads again, or ends. If the app's counters are known from the transaction before, it
need not lock them first: it goes on with the record cache, and the one statement that stores
its writes checks that the counters are still the same.
"""

from typing import Any

from hubbub.storage import dialect
from hubbub.storage.dialect import BulkPart
from hubbub.storage.interface import Row
from hubbub.storage.postgres.pool import Connection
from hubbub.storage.postgres.together import find_shape
from hubbub.storage.queries import Query, Rows
from hubbub.storage.record_cache import RecordCaches
from hubbub.storage.transaction import BaseTransaction

_statements: dict[tuple[Query, ...], str] = {}


class NotCurrent(Exception):
    """Nothing is stored: others have written, or the operation can't be one statement."""


class PostgresTransaction(BaseTransaction):
    """A transaction of one app on a connection.

    With `is_optimistic` it is one statement. It begins with the record cache.

    Raises:
        NotCurrent: there is no cache of the app, or another transaction of this node has it.
    """

    __slots__ = ("_connection", "_is_optimistic", "_unsent")

    def __init__(
        self,
        connection: Connection,
        app_id: str,
        caches: RecordCaches | None = None,
        *,
        is_optimistic: bool = False,
    ) -> None:
        super().__init__(app_id, caches)
        self._connection = connection
        self._is_optimistic = is_optimistic
        self._unsent: list[tuple[Query, str]] = []
        if is_optimistic and not self.begin_optimistic():
            raise NotCurrent

    async def fetch(self, query: Query, **args: Any) -> list[Row]:
        if self._unsent:
            await self._send_before()
        rows: list[Row] = await self._connection.fetch(
            query.postgres, *query.bind(self.app_id, args)
        )
        return rows

    async def fetch_one(self, query: Query, **args: Any) -> Row | None:
        if self._unsent:
            await self._send_before()
        row: Row | None = await self._connection.fetchrow(
            query.postgres, *query.bind(self.app_id, args)
        )
        return row

    async def fetch_many(self, query: Query, rows: Rows) -> list[Row]:
        if not rows:
            return []
        if self._unsent:
            await self._send_before()
        found: list[Row]
        if (query.is_point or query.is_bulk) and len(rows) > 1:
            statement = await self._look_ups_of(query)
            found = await self._connection.fetch(statement, self.app_id, query.bind_bulk(rows))
        else:
            bound = query.bind_rows(self.app_id, rows)
            found = await self._connection.fetchmany(query.postgres, bound)
        return found

    async def run(self, query: Query, **args: Any) -> int:
        self.note_write(query)
        await self._before_single_write()
        status: str = await self._connection.execute(query.postgres, *query.bind(self.app_id, args))
        count = status.rpartition(" ")[2]
        return int(count) if count.isdigit() else 0

    async def run_many(self, query: Query, rows: Rows) -> None:
        if not rows:
            return
        self.note_write(query)
        if not query.is_bulk:
            await self._before_single_write()
            bound = query.bind_rows(self.app_id, rows)
            await self._connection.executemany(query.postgres, bound)
            return
        for batch in query.split_by_key(rows):
            if any(_depends(query, each) for each, _ in self._unsent):
                await self._send_before()
            self._unsent.append((query, query.bind_bulk(batch)))

    async def _before_single_write(self) -> None:
        if self._is_optimistic:
            raise NotCurrent
        await self.flush()

    async def _send_before(self) -> None:
        """Send what was collected before another statement, which may read it."""
        if self._is_optimistic:
            raise NotCurrent
        await self._send()

    async def flush(self) -> None:
        """Send the collected batches as one statement."""
        if self._unsent:
            await self._send()

    async def store_optimistic(self) -> None:
        """Store the collected batches, if no other transaction has written in the app.

        Raises:
            NotCurrent: one has, or there is nothing to store that would show it.
        """
        if not self._unsent or not await self._send():
            raise NotCurrent

    async def _send(self) -> int:
        """Send the collected batches; return the number of rows that the guard, if any, has."""
        queries = tuple(query for query, _ in self._unsent)
        statement = _statements.get(queries)
        if statement is None:
            parts = [BulkPart(each.text, await self._types_of(each)) for each in queries]
            guard = next((number for number, each in enumerate(queries) if each.is_guard), None)
            statement = _statements[queries] = dialect.compile_bulk(parts, guard)
        batches = [rows for _, rows in self._unsent]
        self._unsent = []
        return int(await self._connection.fetchval(statement, self.app_id, *batches))

    async def _look_ups_of(self, query: Query) -> str:
        """Return the statement that looks up all rows of a batch."""
        statement = _statements.get((query,))
        if statement is None:
            part = BulkPart(query.text, await self._types_of(query))
            statement = _statements[query,] = dialect.compile_look_ups(part)
        return statement

    async def _types_of(self, query: Query) -> dict[str, str]:
        return (await find_shape(self._connection, query)).types


def _depends(query: Query, earlier: Query) -> bool:
    """Return whether a batch must see the effect of an earlier one.

    The parts of one statement do not see each other. Adding rows after others were updated or
    deleted is fine; a row that was deleted can't be added again.
    """
    if earlier.table in query.reads:
        return True
    is_addition = query.is_insert and (earlier.is_update or earlier.is_delete)
    return earlier.table == query.table and not is_addition
