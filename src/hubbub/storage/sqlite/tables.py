"""All rows of a database file, for a copy of the whole store."""

import secrets
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import apsw

from hubbub.storage.errors import RowsNotStored, StoreAway, StoreUnusable
from hubbub.storage.interface import EPOCH_BITS, Row
from hubbub.storage.migrations import UNFINISHED_COPY
from hubbub.storage.sqlite.connection import open_connection
from hubbub.storage.sqlite.copy import BEGIN_EPOCHS, RANDOM_SECONDS
from hubbub.storage.tables import NOT_COPIED, StoredTable

LIST_TABLES = """
SELECT name FROM pragma_table_list
WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
"""
"""Neither virtual tables, which are indexes for searches, nor those in which they are stored."""
LIST_COLUMNS = "SELECT name, type, pk FROM pragma_table_info(?)"
MAKE_PROGRESS = f"""
CREATE TABLE {UNFINISHED_COPY} (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID
"""
NOTE_PROGRESS = f"""
INSERT INTO {UNFINISHED_COPY} VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value
"""
_AWAY = (apsw.BusyError, apsw.FullError, apsw.IOError, apsw.LockedError)


class SqliteTables:
    """The tables of a file: a `CopySource` or a `CopyTarget`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = open_connection(path)

    @asynccontextmanager
    async def unchanging(self) -> AsyncIterator[None]:
        # The lock of a writer: nobody else writes until it is given back, or the process ends.
        with self._explained():
            self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            self._connection.execute("ROLLBACK")

    async def list_tables(self) -> list[StoredTable]:
        with self._explained():
            names = [name for (name,) in self._connection.execute(LIST_TABLES)]
            return [self._describe(name) for name in names if name not in NOT_COPIED]

    async def list_names(self) -> list[str]:
        with self._explained():
            return [name for (name,) in self._connection.execute(LIST_TABLES)]

    def _describe(self, name: str) -> StoredTable:
        found = self._connection.execute(LIST_COLUMNS, (name,)).fetchall()
        key = sorted((place, str(column)) for column, _, place in found if place)
        types = {str(column): str(type_) for column, type_, _ in found}
        return StoredTable.of(name, types, [column for _, column in key])

    async def count(self, table: StoredTable) -> int:
        with self._explained():
            count: int = self._connection.execute(f"SELECT count(*) FROM {table.name}").get
            return count

    async def rows(self, table: StoredTable, after: Sequence[Any] = ()) -> AsyncIterator[Row]:
        key = ", ".join(table.key)
        marks = ", ".join("?" * len(after))
        condition = f"WHERE ({key}) > ({marks})" if after else ""
        query = f"SELECT {', '.join(table.names)} FROM {table.name} {condition} ORDER BY {key}"
        with self._explained():
            for row in self._connection.execute(query, tuple(after)):
                yield row

    async def find_progress(self) -> dict[str, str] | None:
        with self._explained():
            found = "SELECT count(*) FROM sqlite_schema WHERE name = ?"
            if not self._connection.execute(found, (UNFINISHED_COPY,)).get:
                return None
            return dict(self._connection.execute(f"SELECT name, value FROM {UNFINISHED_COPY}"))

    async def begin(self, progress: Mapping[str, str]) -> None:
        with self._transaction():
            self._connection.execute(MAKE_PROGRESS)
            self._note(progress)

    async def insert(
        self, table: StoredTable, rows: Sequence[Row], progress: Mapping[str, str]
    ) -> None:
        marks = ", ".join("?" * len(table.columns))
        statement = f"INSERT INTO {table.name} ({', '.join(table.names)}) VALUES ({marks})"
        with self._transaction():
            try:
                self._connection.executemany(statement, rows)
            except apsw.ConstraintError as failure:
                raise RowsNotStored(table.name, failure) from failure
            self._note(progress)

    async def note(
        self, progress: Mapping[str, str], *, emptied: StoredTable | None = None
    ) -> None:
        with self._transaction():
            if emptied is not None:
                self._connection.execute(f"DELETE FROM {emptied.name}")
            self._note(progress)

    async def finish(self, now: int) -> None:
        values = {
            "now": now,
            "later": secrets.randbelow(RANDOM_SECONDS),
            "bits": EPOCH_BITS,
            "low": (1 << EPOCH_BITS) - 1,
            "other": secrets.randbits(EPOCH_BITS),
        }
        with self._transaction():
            self._connection.execute(BEGIN_EPOCHS, values)
            self._connection.execute(f"DROP TABLE {UNFINISHED_COPY}")

    async def close(self) -> None:
        """Close the file; its log becomes part of it."""
        self._connection.close()

    def _note(self, progress: Mapping[str, str]) -> None:
        self._connection.executemany(NOTE_PROGRESS, list(progress.items()))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._explained():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except _AWAY as failure:
            raise StoreAway(f"The database {self._path} can't be used now: {failure}.") from failure
        except (apsw.CorruptError, apsw.NotADBError, apsw.CantOpenError) as failure:
            raise StoreUnusable(
                f"The database {self._path} can't be read: {failure}. See hubbub doctor."
            ) from failure
