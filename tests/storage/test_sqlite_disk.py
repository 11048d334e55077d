"""The contract of SQLite's engine about failing disks: nothing half-stored, and true answers."""

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path

import apsw
import pytest
from tests.storage.disk import Disk
from tests.storage.notes import SQL, list_authors, writing
from tests.storage.stores import ONE_BATCH, OpenSqlite, closing
from tests.storage.turns import Pause, start, write_together

from hubbub.kernel.errors import NotFound, OutcomeUnknown, Unavailable
from hubbub.outbox import lock_counters
from hubbub.storage.interface import Operation, Snapshot, Transaction
from hubbub.storage.queries import Query
from hubbub.storage.sqlite.connection import open_connection
from hubbub.storage.sqlite.database import SqliteDatabase
from hubbub.storage.sqlite.writer import BatchLimits, die_of_fsync

NO_LIMIT = 2**30
FILLING = "x" * 100_000

WRITE_MANY = """
INSERT INTO notes (app_id, author, text) WITH RECURSIVE numbers (number) AS
    (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 1000)
SELECT :app_id, CAST(number AS TEXT), :text FROM numbers
"""


def limit_pages(pages: int) -> Operation[int]:
    """Return an operation after which the file may have no more pages: the disk is full."""
    return lambda tx: tx.run(Query("limit", f"PRAGMA max_page_count = {pages}"))


@pytest.fixture
def batch_limits() -> BatchLimits:
    """Have all that waits for SQLite's writer share a batch."""
    return ONE_BATCH


@pytest.fixture
def database(store_on_disk: SqliteDatabase) -> SqliteDatabase:
    """SQLite on a disk that is made to fail."""
    return store_on_disk


async def test_full_disk_fails_what_it_rolled_back(
    database: SqliteDatabase, app_id: str, pause: Pause
) -> None:
    """When the disk fills up within a batch, each undone operation fails and leaves nothing."""
    await database.write(app_id, limit_pages(1))  # as many as there are already

    outcomes = await write_together(
        database, app_id, pause, writing("anna"), writing("ben", FILLING), writing("carla")
    )

    assert [isinstance(outcome, Unavailable) for outcome in outcomes[:2]] == [True, True]
    assert not any(isinstance(outcome, OutcomeUnknown) for outcome in outcomes)
    assert outcomes[2] == "carla"  # it had not begun, and it fits
    assert await list_authors(database, app_id) == ["carla"]


async def test_full_disk_may_cost_one_operation_only(
    database: SqliteDatabase, app_id: str, pause: Pause
) -> None:
    """If SQLite undoes only the statement that found no space, the rest of the batch is stored."""
    await database.write(app_id, limit_pages(1))

    async def write_many(tx: Transaction) -> None:
        await tx.run(Query("write_many", WRITE_MANY), text="x" * 1_000)

    outcomes = await write_together(
        database, app_id, pause, writing("anna"), write_many, writing("carla")
    )

    assert [outcomes[0], type(outcomes[1]), outcomes[2]] == ["anna", Unavailable, "carla"]
    assert await list_authors(database, app_id) == ["anna", "carla"]


async def test_full_disk_gives_the_numbers_back(
    database: SqliteDatabase, app_id: str, pause: Pause
) -> None:
    """Numbers taken in a batch that was rolled back are taken again."""

    async def count(tx: Transaction) -> int:
        numbers = await lock_counters(tx)
        numbers.message += 1
        return numbers.message

    await database.write(app_id, limit_pages(1))
    await write_together(database, app_id, pause, count, writing("ben", FILLING))

    assert await database.write(app_id, count) == 1


async def test_room_on_the_disk_again(database: SqliteDatabase, app_id: str) -> None:
    """After a full disk, writes succeed as soon as there is space."""
    await database.write(app_id, limit_pages(1))
    with pytest.raises(Unavailable):
        await database.write(app_id, writing("anna", FILLING))

    await database.write(app_id, limit_pages(NO_LIMIT))
    await database.write(app_id, writing("anna", FILLING))

    assert await list_authors(database, app_id) == ["anna"]


async def refuse(_: Transaction) -> None:
    """Raise a refusal."""
    raise NotFound("There is no note of ben's.")


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("write", apsw.SQLITE_FULL),
        ("write", apsw.SQLITE_IOERR_WRITE),
        ("sync", apsw.SQLITE_IOERR),
        ("sync", apsw.SQLITE_FULL),
    ],
)
async def test_failed_commit_fails_the_batch(
    database: SqliteDatabase,
    app_id: str,
    pause: Pause,
    disk: Disk,
    deaths: list[str],
    call: str,
    code: int,
) -> None:
    """When a commit fails its whole batch fails, nothing remains, and the next one works."""
    with disk.failing(call, code):
        outcomes = await write_together(
            database, app_id, pause, writing("anna"), writing("ben"), refuse
        )

    assert [type(outcome) for outcome in outcomes] == [Unavailable] * 3
    assert await list_authors(database, app_id) == []
    assert await database.write(app_id, writing("anna")) == "anna"
    assert await list_authors(database, app_id) == ["anna"]
    assert deaths == []


async def test_fsync_error_ends_the_process(
    database: SqliteDatabase, app_id: str, disk: Disk, deaths: list[str]
) -> None:
    """After a failed sync the disk's content is unknown: the process ends."""
    with disk.failing("sync", apsw.SQLITE_IOERR_FSYNC), pytest.raises(Unavailable):
        await database.write(app_id, writing("anna"))

    assert deaths == ["fsync"]


async def test_fsync_error_in_mid_operation_ends_the_process(
    database: SqliteDatabase, app_id: str, disk: Disk, deaths: list[str], tmp_path: Path
) -> None:
    """The same when a change larger than the cache syncs before its commit."""

    async def within(tx: Transaction) -> None:
        await tx.run(Query("shrink_memory", "PRAGMA cache_size = 10"))
        await writing("anna", FILLING * 10)(tx)
        raise AssertionError("it should not come so far")

    empty_the_log(disk.connect(tmp_path / "hubbub.db"))
    with disk.failing("sync", apsw.SQLITE_IOERR_FSYNC), pytest.raises(Unavailable):
        await database.write(app_id, within)

    assert deaths == ["fsync"]


def empty_the_log(connection: apsw.Connection) -> None:
    """Move everything into the file: the next change starts a new log, and syncs its header."""
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    connection.close()


def test_end_of_the_process() -> None:
    """The process ends at once, as in a crash, and its exit code gives the reason."""
    code = f"""
import {die_of_fsync.__module__} as writer
try:
    writer.die_of_fsync()
finally:
    print("still alive", flush=True)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)

    assert (ended.returncode, ended.stdout) == (os.EX_IOERR, b"")


async def test_disk_that_cannot_be_read(database: SqliteDatabase, app_id: str, disk: Disk) -> None:
    """Reads and look-ups on a failing disk are unavailable until the disk works again."""
    await database.write(app_id, writing("anna"))

    with disk.failing("read", apsw.SQLITE_IOERR_READ):
        with pytest.raises(Unavailable):
            await list_authors(database, app_id)
        with pytest.raises(Unavailable):
            await database.point(app_id, SQL.find_note, author="anna")

    assert await list_authors(database, app_id) == ["anna"]
    assert await database.point(app_id, SQL.find_note, author="anna")


async def test_disk_that_fails_during_a_reading(
    database: SqliteDatabase, app_id: str, disk: Disk
) -> None:
    """A read whose second statement meets the failing disk is unavailable, too."""
    await database.write(app_id, writing("anna", FILLING))

    async def within(snapshot: Snapshot) -> None:
        await snapshot.fetch(Query("begin", "SELECT app_id FROM counters"))
        with disk.failing("read", apsw.SQLITE_IOERR_READ):
            await snapshot.fetch(SQL.list_notes)

    with pytest.raises(Unavailable):
        await database.read(app_id, within)

    assert await list_authors(database, app_id) == ["anna"]


async def test_reader_that_cannot_be_opened(
    open_sqlite: OpenSqlite, database: SqliteDatabase, app_id: str
) -> None:
    """When a reader cannot open the file its read is unavailable, and the next one tries again."""
    failures = [apsw.CantOpenError("too many files")]

    def connect(path: Path, *, read_only: bool = False) -> apsw.Connection:
        if threading.current_thread().name.startswith("hubbub-reader") and failures:
            raise failures.pop()
        return open_connection(path, read_only=read_only)

    async with closing(open_sqlite(connect=connect)) as other:
        with pytest.raises(Unavailable):
            await list_authors(other, app_id)

        assert await list_authors(other, app_id) == []


async def test_file_that_another_process_holds(
    open_sqlite: OpenSqlite,
    database: SqliteDatabase,
    app_id: str,
    tmp_path: Path,
) -> None:
    """When the write lock is not available the write is unavailable, and a later one works."""

    def connect(path: Path, *, read_only: bool = False) -> apsw.Connection:
        connection = open_connection(path, read_only=read_only)
        connection.set_busy_timeout(0)
        return connection

    intruder = open_connection(tmp_path / "hubbub.db")
    async with closing(open_sqlite(connect=connect)) as impatient:
        intruder.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable):
            await impatient.write(app_id, writing("anna"))
        intruder.execute("ROLLBACK")

        assert await impatient.write(app_id, writing("anna")) == "anna"
    intruder.close()


async def test_derived_writes_do_not_wait_for_the_disk(
    database: SqliteDatabase, app_id: str, disk: Disk
) -> None:
    """Store what can be made again without a sync; the sync of the next change covers it."""
    await database.write(app_id, writing("anna"))
    assert disk.is_synced

    await database.write(app_id, writing("ben"), is_derived=True)
    assert not disk.is_synced
    assert await list_authors(database, app_id) == ["anna", "ben"]

    await database.write(app_id, writing("carla"))
    assert disk.is_synced


@pytest.mark.parametrize("kinds", ["doo", "odo", "ddo", "odd", "dod"])
async def test_a_change_among_derived_ones_is_on_disk(
    database: SqliteDatabase, app_id: str, pause: Pause, disk: Disk, kinds: str
) -> None:
    """A change is never answered without a sync, whatever derived writes wait beside it."""
    holder = asyncio.create_task(database.write(app_id, pause, is_derived=True))
    await pause.reached.wait()
    writes = await start(
        *(
            database.write(app_id, writing(f"{number}"), is_derived=kind == "d")
            for number, kind in enumerate(kinds)
        )
    )
    pause.end()
    await asyncio.gather(holder, *writes)

    assert disk.is_synced
    assert await list_authors(database, app_id) == ["0", "1", "2"]


async def test_only_derived_writes_are_lost_with_the_machine(
    database: SqliteDatabase, open_sqlite: OpenSqlite, app_id: str, disk: Disk, tmp_path: Path
) -> None:
    """If the machine fails, what was not synced is gone as a whole, and the store goes on."""
    await database.write(app_id, writing("anna"), is_derived=True)
    await database.write(app_id, writing("ben"))
    await database.write(app_id, writing("carla"), is_derived=True)
    log = tmp_path / "hubbub.db-wal"
    synced, file = log.read_bytes()[: disk.synced_bytes], (tmp_path / "hubbub.db").read_bytes()
    await database.close()
    (tmp_path / "hubbub.db").write_bytes(file)
    log.write_bytes(synced)

    async with closing(open_sqlite()) as restarted:
        assert await list_authors(restarted, app_id) == ["anna", "ben"]
        await restarted.write(app_id, writing("dora"))
        assert await list_authors(restarted, app_id) == ["anna", "ben", "dora"]
