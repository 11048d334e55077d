"""The contract of both engines about writes, reads and look-ups."""

import asyncio
from typing import Any

import pytest
from tests.storage.notes import (
    SQL,
    Surprise,
    list_authors,
    list_notes,
    writing,
)
from tests.storage.stores import ONE_BATCH, Open, closing, make_app
from tests.storage.turns import Pause, start

from hubbub.kernel.errors import NotFound, Unavailable
from hubbub.storage.interface import Database, Snapshot, Transaction
from hubbub.storage.sqlite.writer import BatchLimits


@pytest.fixture
def batch_limits() -> BatchLimits:
    """Have all that waits for SQLite's writer share a batch."""
    return ONE_BATCH


async def test_a_write_is_read_afterwards(database: Database, app_id: str) -> None:
    """A write that has answered is visible to every read and look-up that begins later."""
    answer = await database.write(app_id, writing("anna", "hello"))

    assert answer == "anna"
    assert [tuple(row) for row in await list_notes(database, app_id)] == [("anna", "hello")]
    assert tuple(await database.point(app_id, SQL.find_note, author="anna") or ()) == ("hello",)


async def test_point_without_a_row(database: Database, app_id: str) -> None:
    """A look-up of a missing row returns None."""
    assert await database.point(app_id, SQL.find_note, author="anna") is None


async def test_point_takes_point_queries_only(database: Database, app_id: str) -> None:
    """A query that is not marked as a look-up cannot run on the event loop by mistake."""
    with pytest.raises(AssertionError, match="list_notes"):
        await database.point(app_id, SQL.list_notes)


async def test_read_sees_one_snapshot(database: Database, app_id: str, pause: Pause) -> None:
    """Two statements of a read see the same rows, whatever is written between them."""

    async def within(snapshot: Snapshot) -> tuple[int, int]:
        before = await snapshot.fetch(SQL.list_notes)
        await pause()
        return len(before), len(await snapshot.fetch(SQL.list_notes))

    [reading] = await start(database.read(app_id, within))
    await pause.reached.wait()
    await database.write(app_id, writing("anna"))
    pause.end()

    assert await reading == (0, 0)
    assert await list_authors(database, app_id) == ["anna"]


async def test_uncommitted_changes_are_not_seen(
    database: Database, app_id: str, pause: Pause
) -> None:
    """A read runs during a write, and sees nothing of it."""

    async def within(tx: Transaction) -> None:
        await writing("anna")(tx)
        await pause()

    [write] = await start(database.write(app_id, within))
    await pause.reached.wait()
    during = await list_authors(database, app_id)
    found = await database.point(app_id, SQL.find_note, author="anna")
    pause.end()
    await write

    assert (during, found) == ([], None)
    assert await list_authors(database, app_id) == ["anna"]


async def test_operation_sees_its_own_work(database: Database, app_id: str) -> None:
    """A statement of a transaction sees the changes of earlier statements."""

    async def within(tx: Transaction) -> list[str]:
        await writing("anna")(tx)
        return [row[0] for row in await tx.fetch(SQL.list_notes)]

    assert await database.write(app_id, within) == ["anna"]


async def test_apps_never_see_each_other(database: Database, app_id: str) -> None:
    """The same query finds in each app what was written there."""
    other_app = await make_app(database)
    await database.write(app_id, writing("anna", "here"))
    await database.write(other_app, writing("anna", "there"))

    assert [row[1] for row in await list_notes(database, app_id)] == ["here"]
    assert [row[1] for row in await list_notes(database, other_app)] == ["there"]


async def test_a_batch_of_lookups_is_answered_in_order(database: Database, app_id: str) -> None:
    """Several look-ups by one query find their rows one after the other, each within its limit."""
    for author in ("anna", "ben", "zoe"):
        await database.write(app_id, writing(author, f"by {author}"))
    wanted = [("ben", 5), ("anna", 2), ("zz", 1), ("anna", 1), ("ben", 5)]

    async def within(snapshot: Snapshot) -> list[str]:
        lookups = [{"author": author, "limit": limit} for author, limit in wanted]
        return [row[0] for row in await snapshot.fetch_many(SQL.list_notes_from, lookups)]

    found = await database.read(app_id, within)

    assert found == ["ben", "zoe", "anna", "ben", "anna", "ben", "zoe"]


async def test_error_undoes_its_own_work_only(
    database: Database, app_id: str, pause: Pause
) -> None:
    """An operation that raises leaves nothing behind; the rest of its batch is stored."""

    async def fail(tx: Transaction) -> None:
        await writing("ben")(tx)
        await tx.run(SQL.change_note, author="anna", text="changed by ben")
        raise Surprise("ben")

    async with pause.holding(database):
        writes = await start(
            database.write(app_id, writing("anna")),
            database.write(app_id, fail),
            database.write(app_id, writing("carla")),
        )
    outcomes = await asyncio.gather(*writes, return_exceptions=True)

    assert [str(outcome) for outcome in outcomes] == ["anna", "ben", "carla"]
    assert isinstance(outcomes[1], Surprise)
    notes = [tuple(row) for row in await list_notes(database, app_id)]
    assert notes == [("anna", "hello"), ("carla", "hello")]


async def test_failed_statement_fails_its_operation_only(database: Database, app_id: str) -> None:
    """A statement that breaks a constraint fails the write that contains it; the next one works."""
    await database.write(app_id, writing("anna", "first"))

    with pytest.raises(Exception, match=r"(?i)unique"):
        await database.write(app_id, writing("anna", "second"))
    await database.write(app_id, writing("ben", "third"))

    texts = [row[1] for row in await list_notes(database, app_id)]
    assert texts == ["first", "third"]


async def test_refusal_reaches_the_caller(database: Database, app_id: str) -> None:
    """A refusal is raised to the caller unchanged; what the operation wrote is undone."""
    refusal = NotFound("There is no note of ben's.")

    async def refuse(tx: Transaction) -> None:
        await writing("anna")(tx)
        raise refusal

    with pytest.raises(NotFound) as raised:
        await database.write(app_id, refuse)

    assert raised.value is refusal
    assert await list_authors(database, app_id) == []


async def test_refusal_of_a_reading_reaches_the_caller(database: Database, app_id: str) -> None:
    """A read may refuse, too, and the next read works."""

    async def refuse(_: Snapshot) -> None:
        raise NotFound("There is no note of ben's.")

    with pytest.raises(NotFound):
        await database.read(app_id, refuse)

    assert await list_authors(database, app_id) == []


async def test_reading_cannot_write(database: Database, app_id: str) -> None:
    """A read that tries to write fails, and nothing is stored."""

    async def within(snapshot: Any) -> None:
        await snapshot.run(SQL.insert_note, author="anna", text="smuggled")

    with pytest.raises(Exception, match=r"(?i)read|not available"):
        await database.read(app_id, within)

    assert await list_authors(database, app_id) == []


async def test_begun_operation_runs_to_its_end(
    open_store: Open, database: Database, app_id: str, pause: Pause
) -> None:
    """An operation that has begun is stored even if its caller leaves."""

    async def within(tx: Transaction) -> None:
        await pause()
        await writing("anna")(tx)

    async with closing(open_store()) as left:  # closing waits for operations that have begun
        [caller] = await start(left.write(app_id, within))
        await pause.reached.wait()
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        pause.end()

    assert await list_authors(database, app_id) == ["anna"]


async def test_cancelled_caller_takes_back_what_has_not_begun(
    one_by_one: Database, app_id: str, pause: Pause
) -> None:
    """An operation whose caller leaves before its turn is not run."""
    async with pause.holding(one_by_one):
        anna, ben = await start(
            one_by_one.write(app_id, writing("anna")), one_by_one.write(app_id, writing("ben"))
        )
        anna.cancel()
        with pytest.raises(asyncio.CancelledError):
            await anna
    await ben

    assert await list_authors(one_by_one, app_id) == ["ben"]


async def test_full_queue_answers_at_once(
    open_store: Open, database: Database, app_id: str, pause: Pause
) -> None:
    """Beyond the limit a write is refused before the others are done; those are all stored."""
    async with closing(open_store(most_waiting=3)) as narrow:
        async with pause.holding(narrow):
            names = [f"author-{number}" for number in range(9)]
            writes = await start(*(narrow.write(app_id, writing(name)) for name in names))
            refused = [write for write in writes if write.done()]
        accepted = [await write for write in writes if write not in refused]

    assert all(isinstance(write.exception(), Unavailable) for write in refused)
    assert 2 <= len(accepted) <= 3
    assert await list_authors(database, app_id) == accepted


async def test_close_finishes_what_was_accepted(
    open_store: Open, database: Database, app_id: str, pause: Pause
) -> None:
    """Closing waits for queued writes without blocking the event loop; later ones are refused."""
    closed = open_store()
    async with pause.holding(closed):
        [accepted] = await start(closed.write(app_id, writing("anna")))
        [closing_down] = await start(closed.close())
        with pytest.raises(Unavailable):
            await closed.write(app_id, writing("ben"))
        assert not closing_down.done()
    await closing_down

    assert await accepted == "anna"
    assert await list_authors(database, app_id) == ["anna"]


async def test_closed_store_refuses_everything(database: Database, app_id: str) -> None:
    """After `close` each call is refused as unavailable, and closing again does nothing."""
    await database.close()
    await database.close()

    with pytest.raises(Unavailable):
        await database.write(app_id, writing("anna"))
    with pytest.raises(Unavailable):
        await list_authors(database, app_id)
    with pytest.raises(Unavailable):
        await database.point(app_id, SQL.find_note, author="anna")
