"""SQLite's log is moved into the database file, and started anew when it is long."""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tests.storage.notes import writing
from tests.storage.stores import OpenSqlite, closing, make_app, make_schema

from hubbub.storage.sqlite.checkpointer import Checkpointer
from hubbub.storage.sqlite.connection import open_connection
from hubbub.storage.sqlite.database import SqliteDatabase

LONG_LOG_BYTES = 128 * 1024
FEW_PAGES = 10
EVERY_SECONDS = 0.01
BLOCKED_SECONDS = 5.0
"""How long a write would wait if the writer waited for readers."""
MOST_WRITES = 20_000
RESTARTS = 5
TEXT = "x" * 2_000
AT_ONCE = 8
_numbers = itertools.count(1)


@pytest.fixture
async def database(open_sqlite: OpenSqlite) -> AsyncIterator[SqliteDatabase]:
    """A store that thinks that a short log is long, and looks often."""
    often = partial(Checkpointer, every_seconds=EVERY_SECONDS, long_log_bytes=LONG_LOG_BYTES)
    async with closing(open_sqlite(checkpointer=often)) as database:
        await make_schema(database)
        yield database


async def test_a_long_log_is_started_anew_while_writes_go_on(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    """The log is written from its beginning again and again, although there is no pause."""
    app_id = await make_app(database)
    log = tmp_path / "hubbub.db-wal"
    before = count_restarts(log)
    with capture_logs() as lines:
        await write_until(database, app_id, lambda: count_restarts(log) >= before + RESTARTS)
    assert not lines
    assert log.stat().st_size < 100 * LONG_LOG_BYTES


async def test_a_long_reader_does_not_block_writes(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    """Beside a reader, such as a backup, writes go on; when it ends, the log is started anew."""
    app_id = await make_app(database)
    log = tmp_path / "hubbub.db-wal"
    reader = open_connection(tmp_path / "hubbub.db", read_only=True)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM notes").fetchall()
    # A reader of a log of which all was moved reads the file alone: one more write starts it anew.
    await database.write(app_id, writing("author", TEXT))
    before = count_restarts(log)

    with capture_logs() as lines:
        longest = await write_until(
            database, app_id, lambda: log.stat().st_size > 10 * LONG_LOG_BYTES
        )
        while_read = count_restarts(log)
        reader.execute("ROLLBACK")
        await write_until(database, app_id, lambda: count_restarts(log) > before)
    reader.close()
    assert while_read == before
    assert longest < BLOCKED_SECONDS
    assert not lines


def test_the_writer_is_asked_once_nobody_reads_a_long_log(tmp_path: Path) -> None:
    """While somebody reads what a long log has had, the writer is left alone; then it is asked."""
    path = tmp_path / "store.db"
    writer, reader = open_connection(path), open_connection(path)
    writer.execute("CREATE TABLE notes (text TEXT)")
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM notes").fetchall()
    for _ in range(2 * LONG_LOG_BYTES // len(TEXT)):
        writer.execute("INSERT INTO notes VALUES (?)", (TEXT,))
    asked: list[bool] = []
    connection = open_connection(path)
    looking = Checkpointer(
        connection,
        lambda: asked.append(True),
        long_log_bytes=LONG_LOG_BYTES,
        few_pages=FEW_PAGES,
    )

    looking.checkpoint()
    assert not asked
    reader.execute("ROLLBACK")
    looking.checkpoint()
    assert asked == [True]
    for each in (connection, reader, writer):
        each.close()


async def write_until(
    database: SqliteDatabase, app_id: str, is_enough: Callable[[], bool]
) -> float:
    """Write without a pause until something is true; return the seconds of the longest write."""
    writers = (_write_until(database, app_id, is_enough) for _ in range(AT_ONCE))
    return max(await asyncio.gather(*writers))


async def _write_until(
    database: SqliteDatabase, app_id: str, is_enough: Callable[[], bool]
) -> float:
    longest = 0.0
    while not is_enough():
        number = next(_numbers)
        assert number < MOST_WRITES
        began = time.monotonic()
        await database.write(app_id, writing(f"author-{number}", TEXT))
        longest = max(longest, time.monotonic() - began)
    return longest


def count_restarts(log: Path) -> int:
    """Return how often a log was started anew: the sequence number in its header.

    Source: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
    """
    with log.open("rb") as header:
        return int.from_bytes(header.read(16)[12:16], "big")
