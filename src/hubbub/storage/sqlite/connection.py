"""Connections to the database file, and transactions on them."""

import math
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import apsw

from hubbub.storage.errors import OperationSuspended, StoreUnusable
from hubbub.storage.interface import Row
from hubbub.storage.measures import StoreFault
from hubbub.storage.queries import Query, Rows
from hubbub.storage.record_cache import RecordCaches
from hubbub.storage.transaction import BaseTransaction

Result = TypeVar("Result")

UNREADABLE = (
    apsw.BusyError,
    apsw.CantOpenError,
    apsw.CorruptError,
    apsw.FullError,
    apsw.IOError,
    apsw.NoMemError,
    apsw.NotADBError,
)
"""Errors of the disk or the file; any other error of SQLite is a defect in Hubbub."""

_UNWRITABLE = (apsw.CantOpenError, apsw.FullError, apsw.IOError, apsw.ReadOnlyError)
_DAMAGED = (apsw.CorruptError, apsw.NotADBError)

BUSY_TIMEOUT_MS = 5_000
READERS_CACHE_KIB = 65_536
WRITERS_CACHE_KIB = 8_192
"""A commit that has split a page goes through the whole cache: with 64 MiB it took a tenth of the
time of sends. What it lacks comes from the operating system's cache."""
# Without a mutex for each connection, which SQLite would lock and unlock for every value of a row:
# measured, a quarter of the time of a query of 50 rows.
_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_NOMUTEX
STATEMENTS_KEPT = 512


class TimeLimit:
    """When a reading must have ended. Other threads may end it at once."""

    __slots__ = ("ends_at", "is_over_at_once", "now")

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.ends_at = math.inf
        self.is_over_at_once = False
        """Whether nobody waits for the reading any more."""

    @property
    def is_over(self) -> bool:
        """Return whether the reading is to be interrupted."""
        return self.is_over_at_once or (self.ends_at < math.inf and self.now() >= self.ends_at)


def fault_of(failure: BaseException) -> StoreFault | None:
    """Return what an error of SQLite says of the store, if it concerns more than one statement."""
    if isinstance(failure, _DAMAGED):
        return StoreFault.DAMAGED
    return StoreFault.UNWRITABLE if isinstance(failure, _UNWRITABLE) else None


def open_connection(
    path: Path, *, read_only: bool = False, vfs: str | None = None
) -> apsw.Connection:
    """Open a connection whose commits are on disk when they return; `vfs` is a VFS of SQLite.

    Two threads must not use it at the same time. Cursors are not kept either: the garbage collector
    of another thread might close them.
    """
    connection = apsw.Connection(str(path), _FLAGS, vfs, STATEMENTS_KEPT)
    try:
        _set_up(connection, read_only=read_only)
    except apsw.NotADBError as failure:
        raise StoreUnusable(
            f"The file {path} is not a SQLite database. Restore a backup, or move the file away."
        ) from failure
    return connection


def _set_up(connection: apsw.Connection, *, read_only: bool) -> None:
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    cache_kib = READERS_CACHE_KIB if read_only else WRITERS_CACHE_KIB
    # Otherwise SQLite, built with STAT4, prepares a statement anew whenever it is bound to values
    # that might suit another plan: measured, three quarters of the time of a look-up by key.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    for pragma in (
        "journal_mode = WAL",
        "synchronous = FULL",
        f"cache_size = -{cache_kib}",
        "temp_store = MEMORY",
        "foreign_keys = OFF",
        "wal_autocheckpoint = 0",
        "secure_delete = ON",  # a deleted text must not stay in a free page, nor in a backup
    ):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    if read_only:
        connection.execute("PRAGMA query_only = ON").fetchall()
        connection.register_fts5_tokenizer("trigram", _take_terms)


def _take_terms(_connection: apsw.Connection, _args: list[str]) -> "apsw.Tokenizer":
    """Return a tokenizer for the terms of searches, in place of SQLite's, which cuts entries.

    SQLite's drops terms of one or two characters. Taken as they are, FTS5 finds the trigrams that
    begin with them. So only connections that read can search for them.
    """
    return lambda term, _reason, _locale: [term.decode()]


def drive(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end in one step; it may await nothing but a `SqliteTransaction`.

    Raises:
        OperationSuspended: the coroutine awaited something else.
    """
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: Result = done.value
        return result
    coroutine.close()
    raise OperationSuspended


class SqliteTransaction(BaseTransaction):
    """A transaction of one app on a connection; its methods never suspend."""

    __slots__ = ("_connection", "_execute", "_limit", "_others_wait")

    def __init__(
        self,
        connection: apsw.Connection,
        app_id: str,
        caches: RecordCaches | None = None,
        *,
        limit: TimeLimit | None = None,
        others_wait: Callable[[str], bool] | None = None,
    ) -> None:
        """Of a writer, `others_wait` says whether apps other than this one wait for it."""
        super().__init__(app_id, caches)
        self._others_wait = others_wait
        self._limit = limit
        self._connection = connection
        self._execute = connection.execute

    async def fetch(self, query: Query, **args: Any) -> list[Row]:
        rows: list[Row] = []
        rows.extend(self._execute(query.sqlite, query.bind_sqlite(self.app_id, args)))
        return rows

    async def fetch_one(self, query: Query, **args: Any) -> Row | None:
        rows = self._execute(query.sqlite, query.bind_sqlite(self.app_id, args)).fetchall()
        return rows[0] if rows else None

    async def fetch_many(self, query: Query, rows: Rows) -> list[Row]:
        found: list[Row] = []
        if rows:
            bound = query.bind_rows_sqlite(self.app_id, rows)
            found.extend(self._connection.executemany(query.sqlite, bound))
        return found

    async def run(self, query: Query, **args: Any) -> int:
        self.note_write(query)
        self._execute(query.sqlite, query.bind_sqlite(self.app_id, args)).fetchall()
        return self._connection.changes()

    async def run_many(self, query: Query, rows: Rows) -> None:
        if rows:
            self.note_write(query)
            bound = query.bind_rows_sqlite(self.app_id, rows)
            self._connection.executemany(query.sqlite, bound).fetchall()

    @property
    def is_overdue(self) -> bool:
        return self._limit is not None and self._limit.is_over

    @property
    def others_wait(self) -> bool:
        return self._others_wait is None or self._others_wait(self.app_id)

    async def within(self, seconds: float, work: Callable[[], Awaitable[Result]]) -> Result | None:
        limit = self._limit
        if limit is None:
            return await work()
        before = limit.ends_at
        limit.ends_at = min(before, limit.now() + seconds)
        try:
            return await work()
        except apsw.InterruptError:
            if limit.is_over_at_once:
                raise
            return None
        finally:
            limit.ends_at = before

    def run_text(self, sql: str, values: tuple[Any, ...]) -> int:
        """Run a statement of SQLite's own; return the changes, those of virtual tables included."""
        before = self._connection.total_changes()
        self._execute(sql, values).fetchall()
        return self._connection.total_changes() - before


SqliteReading = Callable[[SqliteTransaction], Coroutine[Any, Any, Any]]


def read_snapshot(
    connection: apsw.Connection,
    app_id: str,
    reading: SqliteReading,
    *,
    before_end: Callable[[], None] = lambda: None,
    limit: TimeLimit | None = None,
) -> Any:
    """Run `reading` on one snapshot of a connection; `before_end` is called before it is ended."""
    try:
        connection.execute("BEGIN")  # this may be interrupted as well, when it has taken effect
        return drive(reading(SqliteTransaction(connection, app_id, limit=limit)))
    finally:
        before_end()
        if connection.in_transaction:  # some errors have rolled it back
            connection.execute("ROLLBACK")
