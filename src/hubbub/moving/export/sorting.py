"""Lines that come in another order than they are written in: sorted on disk, each key once."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

TOGETHER = 1000


class Sorting:
    """Sorts lines in a database file, which need not fit into memory."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path, isolation_level=None)
        self._database.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;"
            "CREATE TABLE lines (kind TEXT NOT NULL, key TEXT NOT NULL, body BLOB NOT NULL,"
            " PRIMARY KEY (kind, key)) WITHOUT ROWID"
        )
        self._waiting: list[tuple[str, str, bytes]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._database.close()

    def add(self, kind: str, key: str, body: bytes = b"") -> None:
        """Add a line; of several with one key the first one counts."""
        self._waiting.append((kind, key, body))
        if len(self._waiting) == TOGETHER:
            self._write()

    def has(self, kind: str, key: str) -> bool:
        """Return whether there is a line with a key."""
        self._write()
        query = "SELECT 1 FROM lines WHERE kind = ? AND key = ?"
        return self._database.execute(query, (kind, key)).fetchone() is not None

    def read(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Yield the keys and lines of a kind in the order of keys, by code point."""
        self._write()
        query = "SELECT key, body FROM lines WHERE kind = ? ORDER BY key"
        yield from self._database.execute(query, (kind,))

    def _write(self) -> None:
        if self._waiting:
            self._database.execute("BEGIN")
            self._database.executemany(
                "INSERT OR IGNORE INTO lines VALUES (?, ?, ?)", self._waiting
            )
            self._database.execute("COMMIT")
            self._waiting.clear()
