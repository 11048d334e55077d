"""All rows of a PostgreSQL database, for a copy of the whole store."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from itertools import groupby
from operator import itemgetter
from typing import Any

import asyncpg

from hubbub.storage.errors import RowsNotStored, StoreAway, StoreUnusable
from hubbub.storage.interface import EPOCH_BITS, Row
from hubbub.storage.migrations import UNFINISHED_COPY
from hubbub.storage.postgres.connections import (
    AWAY,
    DAMAGED,
    REFUSED,
    SESSION,
    WAIT_SECONDS,
    explain_failure,
)
from hubbub.storage.postgres.history import BEGIN_EPOCHS, RANDOM_SECONDS
from hubbub.storage.tables import NOT_COPIED, StoredTable

LIST_TABLES = """
SELECT CAST(relname AS TEXT) FROM pg_class
WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind IN ('r', 'p') ORDER BY 1
"""
LIST_COLUMNS = """
SELECT CAST(c.relname AS TEXT), CAST(a.attname AS TEXT), format_type(a.atttypid, NULL),
    coalesce(array_position(CAST(i.indkey AS SMALLINT[]), a.attnum), -1)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind IN ('r', 'p')
ORDER BY 1, 2
"""
INDEXED_TERMS = "tsvector"
"""The type of a column that only indexes for searches have."""
MAKE_PROGRESS = f"CREATE TABLE {UNFINISHED_COPY} (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
NOTE_PROGRESS = f"""
INSERT INTO {UNFINISHED_COPY} VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET value = excluded.value
"""
_NOT_TAKEN = (
    asyncpg.DataError,
    asyncpg.IntegrityConstraintViolationError,
    asyncpg.UntranslatableCharacterError,
    UnicodeEncodeError,
)
ROWS_AHEAD = 200
LOCK_TRIES = 5
LONGEST_SECONDS = 6 * 3600.0
"""For a statement about a whole table."""


async def open_tables(url: str) -> "PostgresTables":
    """Connect to the database at an address.

    Raises:
        StoreAway: it can't be reached.
        StoreUnusable: it does not exist, or refuses the log-in.
    """
    session = {**SESSION, "idle_in_transaction_session_timeout": "0"}
    try:
        connection = await asyncpg.connect(
            url, timeout=WAIT_SECONDS, server_settings=session, command_timeout=LONGEST_SECONDS
        )
    except (*REFUSED, ValueError) as failure:
        raise StoreUnusable(explain_failure(failure, url)) from failure
    except AWAY as failure:
        raise StoreAway(explain_failure(failure, url)) from failure
    return PostgresTables(url, connection)


class PostgresTables:
    """The tables of a database: a `CopySource` or a `CopyTarget`."""

    def __init__(self, url: str, connection: Any) -> None:
        self._url = url
        self._connection = connection

    @asynccontextmanager
    async def unchanging(self) -> AsyncIterator[None]:
        with self._explained():
            names = await self._names()
            transaction = await self._lock(f"LOCK TABLE {', '.join(names)} IN SHARE MODE")
        try:
            yield
        finally:
            if not self._connection.is_closed():
                await transaction.rollback()

    async def _lock(self, statement: str) -> Any:
        """Begin a transaction in which nobody else writes.

        The snapshot is taken by the first reading, and that is after the locks. Nodes whose writes
        wait for these give up after five seconds. Whoever writes to several tables may lock them in
        another order, so PostgreSQL may end one of the two.
        """
        for attempt in range(1, LOCK_TRIES + 1):
            transaction = self._connection.transaction(isolation="repeatable_read")
            await transaction.start()
            try:
                await self._connection.execute(f"SET LOCAL lock_timeout = 30000; {statement}")
                return transaction
            except asyncpg.DeadlockDetectedError:
                await transaction.rollback()
                if attempt == LOCK_TRIES:
                    raise
                await asyncio.sleep(0.1 * attempt)

    async def list_tables(self) -> list[StoredTable]:
        with self._explained():
            found = await self._connection.fetch(LIST_COLUMNS)
        tables = []
        for name, columns in groupby(found, key=itemgetter(0)):
            rows = [(column, type_, place) for _, column, type_, place in columns]
            types = {column: type_ for column, type_, _ in rows}
            if name in NOT_COPIED or INDEXED_TERMS in types.values():
                continue
            key = sorted((place, column) for column, _, place in rows if place >= 0)
            tables.append(StoredTable.of(name, types, [column for _, column in key]))
        return tables

    async def list_names(self) -> list[str]:
        with self._explained():
            return await self._names()

    async def _names(self) -> list[str]:
        return [name for (name,) in await self._connection.fetch(LIST_TABLES)]

    async def count(self, table: StoredTable) -> int:
        with self._explained():
            return int(await self._connection.fetchval(f"SELECT count(*) FROM {table.name}"))

    async def rows(self, table: StoredTable, after: Sequence[Any] = ()) -> AsyncIterator[Row]:
        key = ", ".join(table.key)
        marks = ", ".join(f"${number}" for number in range(1, len(after) + 1))
        condition = f"WHERE ({key}) > ({marks})" if after else ""
        columns = ", ".join(
            f"CAST({name} AS INTEGER)" if place in table.booleans else name
            for place, name in enumerate(table.names)
        )
        query = f"SELECT {columns} FROM {table.name} {condition} ORDER BY {key}"
        with self._explained():
            async with self._connection.transaction():  # a cursor needs one
                async for row in self._connection.cursor(query, *after, prefetch=ROWS_AHEAD):
                    yield tuple(row)

    async def find_progress(self) -> dict[str, str] | None:
        with self._explained():
            if await self._connection.fetchval("SELECT to_regclass($1)", UNFINISHED_COPY) is None:
                return None
            found = await self._connection.fetch(f"SELECT name, value FROM {UNFINISHED_COPY}")
            return {str(name): str(value) for name, value in found}

    async def begin(self, progress: Mapping[str, str]) -> None:
        with self._explained():
            async with self._connection.transaction():
                await self._connection.execute(MAKE_PROGRESS)
                await self._note(progress)

    async def insert(
        self, table: StoredTable, rows: Sequence[Row], progress: Mapping[str, str]
    ) -> None:
        records = [_with_booleans(row, table.booleans) for row in rows] if table.booleans else rows
        with self._explained():
            async with self._connection.transaction():
                await self._store(table, records)
                await self._note(progress)

    async def _store(self, table: StoredTable, records: Sequence[Row]) -> None:
        try:
            await self._connection.copy_records_to_table(
                table.name, records=records, columns=table.names
            )
        except _NOT_TAKEN as failure:
            raise RowsNotStored(table.name, failure) from failure

    async def note(
        self, progress: Mapping[str, str], *, emptied: StoredTable | None = None
    ) -> None:
        with self._explained():
            async with self._connection.transaction():
                if emptied is not None:
                    await self._connection.execute(f"TRUNCATE {emptied.name}")
                await self._note(progress)

    async def finish(self, now: int) -> None:
        del now  # the server's own clock is taken
        later, other = secrets.randbelow(RANDOM_SECONDS), secrets.randbits(EPOCH_BITS)
        low = (1 << EPOCH_BITS) - 1
        with self._explained():
            await self._connection.execute("ANALYZE")
            async with self._connection.transaction():
                await self._connection.execute(BEGIN_EPOCHS, EPOCH_BITS, low, later, other)
                await self._connection.execute(f"DROP TABLE {UNFINISHED_COPY}")

    async def close(self) -> None:
        """End the connection."""
        await self._connection.close()

    async def _note(self, progress: Mapping[str, str]) -> None:
        await self._connection.executemany(NOTE_PROGRESS, list(progress.items()))

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DAMAGED as failure:
            raise StoreUnusable(explain_failure(failure, self._url)) from failure
        except (*AWAY, asyncpg.DeadlockDetectedError) as failure:
            raise StoreAway(explain_failure(failure, self._url)) from failure


def _with_booleans(row: Row, places: Sequence[int]) -> Row:
    """Return a row with true and false in some places, which have one and zero."""
    values = list(row)
    for place in places:
        values[place] = None if values[place] is None else bool(values[place])
    return values
