"""The tables of a store as they are, for a copy of all their rows: the same for both engines.

They are found in the engine's catalogue, so a table of a later schema is copied, too.
"""

import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

import msgspec

from hubbub.storage.interface import Row

NOT_COPIED = frozenset({"schema_migrations", "unfinished_copy"})
"""What each store has of its own: the steps of its schema, and how far a copy into it has come."""
SUM_BYTES = 16
_encode = msgspec.msgpack.Encoder().encode


class Kind(Enum):
    """The type of a column; its values are the same on both engines once they are normalized."""

    TEXT = "text"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    BYTES = "bytes"
    REAL = "real"


KINDS: Mapping[str, Kind] = {
    "text": Kind.TEXT,
    "bigint": Kind.INTEGER,
    "integer": Kind.INTEGER,
    "boolean": Kind.BOOLEAN,
    "bytea": Kind.BYTES,
    "blob": Kind.BYTES,
    "double precision": Kind.REAL,
    "real": Kind.REAL,
}
"""The types that the schema may use, by their names in the catalogues, in lower case."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table, with its columns by name, and the names of those of its primary key in order."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns, in the order of the values of a row."""
        return tuple(column.name for column in self.columns)

    @property
    def booleans(self) -> tuple[int, ...]:
        """Return the places of the columns whose values are true or false."""
        kinds = enumerate(column.kind for column in self.columns)
        return tuple(place for place, kind in kinds if kind is Kind.BOOLEAN)

    def key_of(self, row: Row) -> list[Any]:
        """Return the values of a row's primary key."""
        return [row[self.names.index(name)] for name in self.key]

    @classmethod
    def of(cls, name: str, types: Mapping[str, str], key: Sequence[str]) -> "StoredTable":
        """Return a table with the types of its columns as the catalogue names them."""
        columns = (Column(column, KINDS[types[column].lower()]) for column in sorted(types))
        return cls(name, tuple(columns), tuple(key))


@dataclass(slots=True)
class RowSum:
    """The number of some rows, and the sum of their digests, in which their order is no matter."""

    rows: int = 0
    total: int = 0

    def add(self, row: Row) -> None:
        """Add a row, whose values are normalized."""
        digest = hashlib.blake2b(_encode(row), digest_size=SUM_BYTES).digest()
        self.total = (self.total + int.from_bytes(digest)) % (1 << 8 * SUM_BYTES)
        self.rows += 1

    def __str__(self) -> str:
        return f"{self.rows}/{self.total:x}"


class StoredRows(Protocol):
    """All rows of a store, to be read."""

    async def list_tables(self) -> list[StoredTable]:
        """Return the tables whose rows are copied, by name: all but those made of others."""
        ...

    async def count(self, table: StoredTable) -> int:
        """Return the number of rows of a table."""
        ...

    def rows(self, table: StoredTable, after: Sequence[Any] = ()) -> AsyncIterator[Row]:
        """Yield the rows of a table in the order of their keys, normalized, those after a key."""
        ...

    async def find_progress(self) -> dict[str, str] | None:
        """Return how far a copy into this store has come; None if none has begun, or it is done."""
        ...


class CopySource(StoredRows, Protocol):
    """A store that is copied."""

    def unchanging(self) -> AbstractAsyncContextManager[None]:
        """Keep everybody from writing inside the block; they read on. All rows are of one moment.

        Raises:
            StoreAway: the store can't be reached, or somebody writes for long.
        """
        ...


class CopyTarget(StoredRows, Protocol):
    """A store that is filled."""

    async def list_names(self) -> list[str]:
        """Return the names of all tables that the store has."""
        ...

    async def begin(self, progress: Mapping[str, str]) -> None:
        """Store that a copy has begun, and how far it has come; no node starts meanwhile."""
        ...

    async def insert(
        self, table: StoredTable, rows: Sequence[Row], progress: Mapping[str, str]
    ) -> None:
        """Insert rows, and store how far the copy has come, in one transaction.

        Raises:
            RowsNotStored: the engine does not take one of them.
        """
        ...

    async def note(
        self, progress: Mapping[str, str], *, emptied: StoredTable | None = None
    ) -> None:
        """Store how far the copy has come; with a table that is to be copied again, empty it."""
        ...

    async def finish(self, now: int) -> None:
        """Begin a new epoch in every app, and end the copy, in one transaction."""
        ...
