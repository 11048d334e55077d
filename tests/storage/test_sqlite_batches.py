"""The contract of SQLite's engine about its batches: one commit for many operations."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.storage.disk import Disk
from tests.storage.notes import SQL, list_authors, writing
from tests.storage.stores import ONE_BATCH, make_app
from tests.storage.turns import Pause, start, write_together

from hubbub.kernel.errors import NotFound
from hubbub.storage.errors import OperationSuspended
from hubbub.storage.interface import Database, Snapshot, Transaction
from hubbub.storage.sqlite.database import SqliteDatabase
from hubbub.storage.sqlite.writer import BatchLimits


def with_limits(**limits: Any) -> pytest.MarkDecorator:
    """Lower limits of the one batch that a test otherwise has."""
    return pytest.mark.parametrize("batch_limits", [replace(ONE_BATCH, **limits)])


@pytest.fixture
def batch_limits() -> BatchLimits:
    """Have all that waits for SQLite's writer share a batch."""
    return ONE_BATCH


@pytest.fixture
def database(store_on_disk: SqliteDatabase) -> SqliteDatabase:
    """SQLite on a disk that counts."""
    return store_on_disk


async def test_answer_comes_after_the_sync(database: Database, app_id: str, disk: Disk) -> None:
    """When a write is answered, the log is synced to the disk."""
    before = disk.syncs

    await database.write(app_id, writing("anna"))

    assert disk.is_synced
    assert disk.syncs == before + 1


async def test_queued_writes_share_a_commit(
    database: Database, app_id: str, pause: Pause, disk: Disk
) -> None:
    """A hundred writes that arrive during another one need one more sync."""
    before = disk.syncs

    names = [f"author-{number:03}" for number in range(100)]
    await write_together(database, app_id, pause, *map(writing, names))

    assert disk.syncs == before + 1
    assert await list_authors(database, app_id) == names


@with_limits(most_jobs=10)
async def test_batch_is_bounded(database: Database, app_id: str, pause: Pause, disk: Disk) -> None:
    """A batch has a limited number of operations; then it is committed."""
    before = disk.syncs

    names = [f"author-{number:02}" for number in range(29)]
    await write_together(database, app_id, pause, *map(writing, names))

    assert disk.syncs == before + 3
    assert await list_authors(database, app_id) == names


@with_limits(longest_of_app_seconds=0.0, recent_seconds=60.0)
async def test_an_app_has_a_part_of_a_batch_while_others_write(
    database: Database, app_id: str, pause: Pause, disk: Disk
) -> None:
    """A change is committed without most of those that another app has waiting."""
    loud = await make_app(database)
    before = disk.syncs
    async with pause.holding(database):
        writes = await start(
            *(database.write(loud, writing(f"author-{number}")) for number in range(9)),
            database.write(app_id, writing("anna")),
        )
    await asyncio.gather(*writes)

    assert disk.syncs == before + 9
    assert await list_authors(database, app_id) == ["anna"]


@with_limits(slow_seconds=0.0, recent_seconds=60.0)
async def test_slow_changes_of_an_app_do_not_join_another_apps_batch(
    database: Database, pause: Pause, disk: Disk
) -> None:
    """A change is committed before one of an app whose changes took long lately begins."""
    loud = await make_app(database)  # any change is slow here
    committed: list[int] = []

    async def note_syncs(_: Transaction) -> None:
        committed.append(disk.syncs)

    async with pause.holding(database):
        writes = await start(
            database.write("new", writing("ben")), database.write(loud, note_syncs)
        )
        before = disk.syncs
    await asyncio.gather(*writes)

    assert committed == [before + 1]


@with_limits(longest_of_app_seconds=0.0, recent_seconds=-1.0)
async def test_an_app_that_writes_alone_has_whole_batches(
    database: Database, app_id: str, pause: Pause, disk: Disk
) -> None:
    """Nothing is saved up for others as long as there are none."""
    await database.write(await make_app(database), writing("another app's, long ago"))
    before = disk.syncs

    await write_together(database, app_id, pause, *map(writing, ["anna", "ben", "cleo"]))

    assert disk.syncs == before + 1


async def test_error_is_answered_after_the_commit(
    database: Database, app_id: str, pause: Pause
) -> None:
    """A refusal because of a row is not answered before that row is committed."""

    async def refuse(tx: Transaction) -> None:
        if await tx.fetch_one(SQL.find_note, author="anna"):
            raise NotFound("anna was first")

    holder, anna, ben, last = await start(
        database.write(app_id, pause),
        database.write(app_id, writing("anna")),
        database.write(app_id, refuse),
        database.write(app_id, (end_of_batch := Pause())),
    )
    pause.end()
    await end_of_batch.reached.wait()
    answered_early = [write.done() for write in (holder, anna, ben)]
    end_of_batch.end()
    await asyncio.gather(holder, anna, last)

    assert answered_early == [False, False, False]
    with pytest.raises(NotFound, match="anna was first"):
        await ben


@pytest.mark.parametrize("seconds", [0, 1])
async def test_operation_that_suspends_is_a_defect(
    database: Database, app_id: str, seconds: int
) -> None:
    """An operation that awaits anything but its transaction fails, and stores nothing."""

    async def within(tx: Transaction) -> None:
        await writing("anna")(tx)
        await asyncio.sleep(seconds)
        await writing("ben")(tx)

    with pytest.raises(RuntimeError):
        await database.write(app_id, within)

    assert await list_authors(database, app_id) == []


async def test_reading_that_suspends_is_a_defect(database: Database, app_id: str) -> None:
    """A read, too, may await nothing but its snapshot."""

    async def within(_: Snapshot) -> None:
        await asyncio.sleep(0)

    with pytest.raises(OperationSuspended):
        await database.read(app_id, within)

    assert await list_authors(database, app_id) == []


async def test_a_change_knows_whether_other_apps_wait(
    database: Database, app_id: str, pause: Pause
) -> None:
    """One that can be divided ends when a change of another app waits for it."""
    other_app = await make_app(database)
    seen: list[bool] = []

    async def look(tx: Transaction) -> None:
        seen.append(tx.others_wait)
        await pause(tx)
        seen.append(tx.others_wait)

    [change] = await start(database.write(app_id, look))
    await pause.reached.wait()
    others = await start(database.write(other_app, writing("ben")))
    pause.end()
    await asyncio.gather(change, *others)

    assert seen == [False, True]


async def test_changes_of_the_same_app_are_not_given_way(
    database: Database, app_id: str, pause: Pause
) -> None:
    """While only changes of its own app wait, a change goes on."""
    seen: list[bool] = []

    async def look(tx: Transaction) -> None:
        await pause(tx)
        seen.append(tx.others_wait)

    [change] = await start(database.write(app_id, look))
    await pause.reached.wait()
    own = await start(database.write(app_id, writing("anna")))
    pause.end()
    await asyncio.gather(change, *own)

    assert seen == [False]
