"""Short readings on SQLite run on the event loop, and a long one does not hold it."""

import threading
from collections.abc import AsyncIterator

import apsw
import pytest
from tests.storage.notes import SQL, list_authors, writing
from tests.storage.stores import OpenSqlite, closing, make_app, make_schema

from hubbub.storage.interface import Reading, Row, Snapshot
from hubbub.storage.queries import Query
from hubbub.storage.sqlite.database import SqliteDatabase
from hubbub.storage.sqlite.loop_reader import (
    LONGEST_SECONDS,
    MOST_SECONDS,
    PAUSE_SECONDS,
    STEPS,
    LoopReader,
    Used,
)

COUNT = Query(
    "count",
    """WITH RECURSIVE numbers (number) AS
        (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < :upto)
    SELECT count(*) FROM numbers""",
)
MANY, FEW = 100_000, 10
"""How far to count: MANY takes a million steps of SQLite."""


class Watch:
    """A clock that advances whenever it is read, and what the thread of the loop has used."""

    def __init__(self) -> None:
        self.time = 0.0
        self.step = MOST_SECONDS / 4
        self.looks = 0
        self.waits_only = False
        """Whether the time passes without use of the processor."""
        self.blocks = 0
        self.blocks_per_look = 0

    def now(self) -> float:
        self.time += self.step
        self.looks += 1
        return self.time

    def used(self) -> Used:
        self.blocks += self.blocks_per_look
        return Used(0.0 if self.waits_only else self.time, self.blocks)


class Threads:
    """Readings that count, and the threads that they ran on, in order."""

    def __init__(self, database: SqliteDatabase, app_id: str) -> None:
        self.database = database
        self.app_id = app_id
        self.on_loop: list[bool] = []
        self._loop = threading.get_ident()

    async def count(self, upto: int) -> int:
        """Count in a short reading."""

        async def counting(snapshot: Snapshot) -> int:
            return await self._count(snapshot, upto)

        return await self._read(counting)

    async def count_otherwise(self, upto: int) -> int:
        """Count in a short reading of another kind."""

        async def counting_otherwise(snapshot: Snapshot) -> int:
            return await self._count(snapshot, upto)

        return await self._read(counting_otherwise)

    async def _read(self, reading: Reading[int]) -> int:
        return await self.database.read(self.app_id, reading, is_short=True)

    async def _count(self, snapshot: Snapshot, upto: int) -> int:
        self.on_loop.append(threading.get_ident() == self._loop)
        row = await snapshot.fetch_one(COUNT, upto=upto)
        assert row is not None
        return int(row[0])


@pytest.fixture
def watch() -> Watch:
    """The clock of the readings on the loop."""
    return Watch()


@pytest.fixture
async def database(open_sqlite: OpenSqlite, watch: Watch) -> AsyncIterator[SqliteDatabase]:
    """SQLite with that clock."""

    def on_loop(connection: apsw.Connection) -> LoopReader:
        return LoopReader(connection, now=watch.now, used=watch.used)

    async with closing(open_sqlite(on_loop=on_loop)) as database:
        await make_schema(database)
        yield database


@pytest.fixture
async def threads(database: SqliteDatabase) -> Threads:
    """Readings of an app."""
    return Threads(database, await make_app(database))


async def test_short_readings_run_on_the_loop(threads: Threads) -> None:
    """A reading that ends within the limit never leaves the thread of the loop."""
    assert [await threads.count(FEW) for _ in range(3)] == [FEW] * 3
    assert threads.on_loop == [True] * 3


async def test_a_long_reading_is_interrupted_and_run_again(threads: Threads, watch: Watch) -> None:
    """It holds the loop for a few hundred steps of SQLite, and is answered by a thread."""
    assert await threads.count(MANY) == MANY

    assert threads.on_loop == [True, False]
    assert watch.looks * STEPS < 2_000  # of a million


async def test_its_kind_is_read_on_threads_for_a_while(threads: Threads, watch: Watch) -> None:
    """Others of the kind go to the threads at once, until the pause ends; other kinds do not."""
    await threads.count(MANY)
    threads.on_loop.clear()

    await threads.count(FEW)
    await threads.count_otherwise(FEW)
    watch.time += PAUSE_SECONDS
    await threads.count(FEW)

    assert threads.on_loop == [False, True, True]


async def test_waiting_for_the_disk_is_interrupted(threads: Threads, watch: Watch) -> None:
    """A reading that has waited for the disk is interrupted, though it used no processor."""
    watch.waits_only, watch.blocks_per_look = True, 8

    assert await threads.count(MANY) == MANY
    assert threads.on_loop == [True, False]


async def test_waiting_for_others_is_not(threads: Threads, watch: Watch) -> None:
    """Time that other threads and processes took is not the reading's: it goes on."""
    watch.waits_only = True
    watch.step = LONGEST_SECONDS / 20_000

    assert await threads.count(MANY) == MANY
    assert MOST_SECONDS < watch.time < LONGEST_SECONDS
    assert threads.on_loop == [True]


async def test_nothing_holds_the_loop_for_very_long(threads: Threads, watch: Watch) -> None:
    """A reading that waits for an unknown reason is interrupted, too, only later."""
    watch.waits_only = True

    assert await threads.count(MANY) == MANY
    assert threads.on_loop == [True, False]
    assert watch.time < 2 * LONGEST_SECONDS


async def test_an_interruption_leaves_no_transaction(
    database: SqliteDatabase, threads: Threads
) -> None:
    """The next reading on the loop sees what was written after the interrupted one."""
    await threads.count(MANY)
    await database.write(threads.app_id, writing("anna"))

    assert await threads.count_otherwise(FEW) == FEW
    assert await list_authors(database, threads.app_id) == ["anna"]

    async def find_note(snapshot: Snapshot) -> Row | None:
        return await snapshot.fetch_one(SQL.find_note, author="anna")

    assert await database.read(threads.app_id, find_note, is_short=True) is not None


async def test_an_interruption_reaches_no_look_up(
    database: SqliteDatabase, threads: Threads, watch: Watch
) -> None:
    """Wherever a reading is interrupted, even as it begins, look-ups after it are not."""
    watch.step = 2 * MOST_SECONDS
    for _ in range(2 * STEPS):
        await threads.count(FEW)
        await database.point(threads.app_id, SQL.find_note, author="anna")
        watch.time += PAUSE_SECONDS

    assert set(threads.on_loop) == {True, False}
