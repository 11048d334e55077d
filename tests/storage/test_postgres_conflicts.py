"""The contract of PostgreSQL's engine about conflicts: transactions are retried, or give up."""

import asyncio
import json
from collections import Counter

import asyncpg
import pytest
from tests.storage.notes import (
    SQL,
    NoteWritten,
    Surprise,
    announcing,
    list_authors,
    list_events,
    list_notes,
    list_numbers,
    putting,
    writing,
)
from tests.storage.stores import OpenPostgres, closing, make_app
from tests.storage.turns import Pause, start

from hubbub.kernel.errors import OutcomeUnknown, Unavailable
from hubbub.outbox import lock_counters
from hubbub.storage.errors import StatementSwallowed
from hubbub.storage.interface import Database, Operation, Transaction
from hubbub.storage.postgres.database import PostgresDatabase
from hubbub.storage.queries import Query

REPEATABLE_READ = Query("isolate", "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")


@pytest.fixture
def database(postgres: PostgresDatabase) -> PostgresDatabase:
    """PostgreSQL, the engine of these tests."""
    return postgres


class Tries:
    """Counts the tries of operations; the first tries of two meet in the middle."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._both_begun = asyncio.Barrier(2)

    def changing(self, first: str, second: str) -> Operation[None]:
        """Return an operation that changes two notes, one after the other."""

        async def within(tx: Transaction) -> None:
            self.counts[first] += 1
            await tx.run(SQL.change_note, author=first, text=f"by {first}")
            if self.counts[first] == 1:
                await self._both_begun.wait()
            await tx.run(SQL.change_note, author=second, text=f"by {first}")

        return within


async def test_deadlock_is_retried(database: Database, app_id: str) -> None:
    """Two operations lock two rows in opposite order: both are done, one after the other."""
    rows = [{"author": author, "text": "new"} for author in ("anna", "ben")]
    await database.write(app_id, lambda tx: tx.run_many(SQL.insert_note, rows))
    tries = Tries()

    await asyncio.gather(
        database.write(app_id, tries.changing("anna", "ben")),
        database.write(app_id, tries.changing("ben", "anna")),
    )

    assert tries.counts.total() > 2
    texts = [row[1] for row in await list_notes(database, app_id)]
    assert texts in (["by anna"] * 2, ["by ben"] * 2)


async def test_serialization_failure_is_retried(database: Database, app_id: str) -> None:
    """A change of a row that a concurrent transaction changed is retried on the new row."""
    await database.write(app_id, writing("anna", "new"))
    seen = []

    async def within(tx: Transaction) -> None:
        await tx.run(REPEATABLE_READ)
        row = await tx.fetch_one(SQL.find_note, author="anna")
        assert row is not None
        seen.append(row[0])
        if len(seen) == 1:
            await database.write(app_id, change_by_ben)
        await tx.run(SQL.change_note, author="anna", text=f"{row[0]} and anna")

    async def change_by_ben(tx: Transaction) -> None:
        await tx.run(SQL.change_note, author="anna", text="ben")

    await database.write(app_id, within)

    assert seen == ["new", "ben"]
    assert [row[1] for row in await list_notes(database, app_id)] == ["ben and anna"]


async def test_retried_operation_announces_once(database: Database, app_id: str) -> None:
    """Events and counters of failed tries are discarded."""
    tries = 0

    async def within(tx: Transaction) -> None:
        nonlocal tries
        tries += 1
        await lock_counters(tx)
        await writing("anna")(tx)
        tx.announce(NoteWritten("anna"))
        if tries < 3:
            raise asyncpg.SerializationError("once more")

    await database.write(app_id, within)

    assert tries == 3
    assert await list_numbers(database, app_id) == [1]


async def test_retries_come_to_an_end(database: Database, app_id: str) -> None:
    """An operation that conflicts again and again is finally unavailable, and not done."""

    async def within(tx: Transaction) -> None:
        await writing("anna")(tx)
        raise asyncpg.SerializationError("once more")

    with pytest.raises(Unavailable):
        await database.write(app_id, within)

    assert await list_authors(database, app_id) == []


async def test_lock_timeout(
    open_postgres: OpenPostgres, database: Database, app_id: str, pause: Pause
) -> None:
    """An operation that waits too long for a row fails and changes nothing; the other succeeds."""
    await database.write(app_id, writing("anna", "new"))

    async def hold(tx: Transaction) -> None:
        await tx.run(SQL.change_note, author="anna", text="held")
        await pause()

    async def wait(tx: Transaction) -> None:
        await writing("ben")(tx)
        await tx.run(SQL.change_note, author="anna", text="too late")

    async with closing(open_postgres(lock_seconds=0.05)) as impatient:
        [holder] = await start(database.write(app_id, hold))
        await pause.reached.wait()
        with pytest.raises(Unavailable) as refused:
            await impatient.write(app_id, wait)
    pause.end()
    await holder

    assert not isinstance(refused.value, OutcomeUnknown)
    assert [tuple(row) for row in await list_notes(database, app_id)] == [("anna", "held")]


async def test_waiting_for_an_optimistic_write_is_bounded(
    open_postgres: OpenPostgres, app_id: str
) -> None:
    """An optimistic write waits for the one before as long as for a lock; then nothing is done."""
    pause = Pause()
    async with closing(open_postgres(lock_seconds=0.05)) as impatient:
        [holder] = await start(impatient.write(app_id, pause, is_optimistic=True))
        await pause.reached.wait()
        with pytest.raises(Unavailable) as refused:
            await impatient.write(app_id, putting("anna"), is_optimistic=True)
        pause.end()
        await holder

        assert not isinstance(refused.value, OutcomeUnknown)
        assert await list_notes(impatient, app_id) == []
        assert await impatient.write(app_id, putting("ben"), is_optimistic=True) == 1


async def test_failed_statement_cannot_be_swallowed(database: Database, app_id: str) -> None:
    """PostgreSQL then aborts the whole transaction, so answering success would be false."""
    await database.write(app_id, writing("anna"))

    async def swallow(tx: Transaction) -> str:
        await writing("ben")(tx)
        try:
            await writing("anna")(tx)
        except asyncpg.UniqueViolationError:
            return "done"
        raise Surprise

    with pytest.raises(StatementSwallowed):
        await database.write(app_id, swallow)

    assert await list_authors(database, app_id) == ["anna"]


async def test_writes_of_an_app_run_side_by_side(
    database: Database, app_id: str, pause: Pause
) -> None:
    """Writes without counters do not wait, and neither do other apps."""
    other_app = await make_app(database)

    async with pause.holding(database):
        await database.write(app_id, writing("anna"))
        await database.write(other_app, writing("ben"))

    assert await list_authors(database, app_id) == ["anna"]


async def test_commits_are_on_disk(database: Database, app_id: str) -> None:
    """The session keeps PostgreSQL's durability: a commit returns when it is synced."""
    setting = Query("setting", "SELECT current_setting('synchronous_commit')")

    row = await database.write(app_id, lambda tx: tx.fetch_one(setting))

    assert tuple(row or ()) == ("on",)


async def test_derived_commits_do_not_wait_for_the_disk(
    open_postgres: OpenPostgres, app_id: str
) -> None:
    """Wait for no sync of what can be made again; the next change on the connection waits."""
    setting = Query("setting", "SELECT current_setting('synchronous_commit')")

    async with closing(open_postgres(connections=1)) as database:
        settings = [
            await database.write(app_id, lambda tx: tx.fetch_one(setting), is_derived=is_derived)
            for is_derived in (False, True, False)
        ]

    assert [tuple(row or ()) for row in settings] == [("on",), ("off",), ("on",)]


async def test_numbers_are_a_lock_of_one_app(
    database: PostgresDatabase, app_id: str, pause: Pause
) -> None:
    """While one write holds an app's counters its other writes wait, and other apps do not."""

    async def within(tx: Transaction) -> None:
        await announcing("anna")(tx)
        await pause()

    other_app = await make_app(database)
    anna, ben = await start(
        database.write(app_id, within), database.write(app_id, announcing("ben"))
    )
    await pause.reached.wait()
    await database.write(other_app, announcing("carla"))

    assert not ben.done()
    pause.end()
    await asyncio.gather(anna, ben)
    names = [json.loads(event[4])["author"] for event in await list_events(database, app_id)]
    assert names == ["anna", "ben"]
