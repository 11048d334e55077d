"""Optimistic writes: what a node knows from its last transaction may be outdated, never wrong."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.storage.notes import (
    SQL,
    Surprise,
    list_authors,
    list_notes,
    list_numbers,
    putting,
)
from tests.storage.stores import EPOCH, Open, closing

from hubbub.outbox import lock_counters
from hubbub.outbox.log import insert_counters
from hubbub.records.blocks.model import Block
from hubbub.records.blocks.store import delete_blocks, find_blocks, insert_blocks
from hubbub.records.roles.model import FRIENDS_ONLY, Role
from hubbub.records.roles.store import insert_role
from hubbub.records.users.model import Profile, UserDraft
from hubbub.records.users.store import find_people, insert_users
from hubbub.storage.errors import CountersNotLocked
from hubbub.storage.interface import Database, Operation, Transaction
from hubbub.storage.queries import Query

WRITERS = 40


@pytest.fixture
async def other(open_store: Open, database: Database) -> AsyncIterator[Database]:
    """Another node on the same store."""
    async with closing(open_store()) as other:
        yield other


async def put(database: Database, app_id: str, *authors: str, fails: bool = False) -> int:
    """Write a batch of notes optimistically."""
    return await database.write(app_id, putting(*authors, fails=fails), is_optimistic=True)


async def test_an_optimistic_write_is_a_write(database: Database, app_id: str) -> None:
    """Its rows, events and counters are stored like those of any other transaction."""
    assert [await put(database, app_id, each) for each in ("anna", "ben", "cleo")] == [1, 2, 3]

    assert await list_authors(database, app_id) == ["anna", "ben", "cleo"]
    assert await list_numbers(database, app_id) == [1, 2, 3]


async def test_other_writes_in_between(database: Database, other: Database, app_id: str) -> None:
    """Whoever wrote meanwhile, here or on another node: no number is given twice."""
    await put(database, app_id, "anna")
    await database.write(app_id, putting("ben"))
    await put(other, app_id, "cleo")
    await put(database, app_id, "dora")

    assert await put(other, app_id, "emil") == 5
    assert await list_numbers(database, app_id) == [1, 2, 3, 4, 5]


async def test_many_writers_on_two_nodes(database: Database, other: Database, app_id: str) -> None:
    """Concurrent batches of two nodes have consecutive numbers; those that fail have none."""
    outcomes = await asyncio.gather(
        *(
            put(node, app_id, f"{name}-{number}", fails=number % 4 == 0)
            for number in range(WRITERS)
            for name, node in (("here", database), ("there", other))
        ),
        return_exceptions=True,
    )

    failed = [each for each in outcomes if isinstance(each, Surprise)]
    count = len(outcomes) - len(failed)
    assert sorted(each for each in outcomes if isinstance(each, int)) == [*range(1, count + 1)]
    assert await list_numbers(database, app_id) == [*range(1, count + 1)]
    assert len(await list_authors(database, app_id)) == count


async def test_a_failed_write_leaves_nothing(database: Database, app_id: str) -> None:
    """The numbers of a failed transaction are given again."""
    await put(database, app_id, "anna")
    with pytest.raises(Surprise):
        await put(database, app_id, "ben", fails=True)

    assert await put(database, app_id, "cleo") == 2
    assert await list_authors(database, app_id) == ["anna", "cleo"]


async def test_reading_its_own_writes(database: Database, app_id: str) -> None:
    """An operation that reads after it has written sees its rows."""

    async def within(tx: Transaction) -> list[str]:
        await putting("ben")(tx)
        return [row[0] for row in await tx.fetch(SQL.list_notes)]

    await put(database, app_id, "anna")

    assert await database.write(app_id, within, is_optimistic=True) == ["anna", "ben"]


async def test_a_write_that_reads_and_then_fails(database: Database, app_id: str) -> None:
    """A write that comes before a read is undone with the rest of its operation."""

    async def within(tx: Transaction) -> None:
        await putting("ben")(tx)
        await tx.fetch(SQL.list_notes)
        raise Surprise

    await put(database, app_id, "anna")
    with pytest.raises(Surprise):
        await database.write(app_id, within, is_optimistic=True)

    assert await list_authors(database, app_id) == ["anna"]


async def test_batches_of_one_table(database: Database, app_id: str) -> None:
    """Rows that an operation adds and then changes end as it has changed them."""

    async def within(tx: Transaction) -> None:
        await putting("anna", "ben")(tx)
        await tx.run_many(SQL.change_notes, [{"author": "anna", "text": "changed"}])
        await tx.run_many(SQL.add_note, [{"author": "cleo", "text": "late"}])

    await put(database, app_id, "dora")
    await database.write(app_id, within, is_optimistic=True)

    notes = dict(map(tuple, await list_notes(database, app_id)))
    assert notes == {"anna": "changed", "ben": "new", "cleo": "late", "dora": "new"}


async def test_nothing_to_store(database: Database, other: Database, app_id: str) -> None:
    """An operation that stores nothing finds what is current, too."""

    async def count(tx: Transaction) -> int:
        return (await lock_counters(tx)).message

    await put(database, app_id, "anna")
    await put(other, app_id, "ben", "cleo")

    assert await database.write(app_id, count, is_optimistic=True) == 3


# The record cache ---------------------------------------------------------------------------------

PAIR = ("anna", "ben")


async def is_blocked(tx: Transaction) -> bool:
    """Return whether Anna blocks Ben, perhaps from the cache."""
    await lock_counters(tx)
    return PAIR in await find_blocks(tx, [PAIR])


def blocking(*, fails: bool = False) -> Operation[bool]:
    """Return an operation that stores a block, and returns whether it finds it then."""

    async def within(tx: Transaction) -> bool:
        assert not await is_blocked(tx)
        await insert_blocks(tx, [Block(*PAIR, 1)])
        if fails:
            raise Surprise(PAIR)
        return await is_blocked(tx)

    return within


async def unblock(tx: Transaction) -> None:
    """Delete the block."""
    await lock_counters(tx)
    await delete_blocks(tx, "anna", ["ben"])


async def test_cached_records_follow_changes(
    database: Database, other: Database, app_id: str
) -> None:
    """A record is found as it is, whoever has changed it, also within the transaction."""

    async def see() -> list[bool]:
        return [await node.write(app_id, is_blocked) for node in (database, other)]

    assert await see() == [False, False]
    assert await database.write(app_id, blocking())
    assert await see() == [True, True]
    await other.write(app_id, unblock)
    assert await see() == [False, False]
    for node in (database, other):
        with pytest.raises(Surprise):
            await node.write(app_id, blocking(fails=True))
        assert await see() == [False, False]


FORGET_EVENTS = Query("forget_events", "DELETE FROM events WHERE app_id = :app_id")
FORGET_COUNTERS = Query("forget_counters", "DELETE FROM counters WHERE app_id = :app_id")


async def test_an_app_whose_id_is_taken_anew(
    database: Database, other: Database, app_id: str
) -> None:
    """Drop what is cached of an erased app when another one gets its id."""
    for author in ("anna", "ben", "cleo"):
        await put(database, app_id, author)
    assert await database.write(app_id, blocking())

    await other.write(app_id, lambda tx: tx.run(FORGET_EVENTS))
    await other.write(app_id, lambda tx: tx.run(FORGET_COUNTERS))
    await other.write(app_id, lambda tx: insert_counters(tx, EPOCH + 1))
    await other.write(app_id, unblock)
    for author in ("dora", "emil", "finn", "gina", "hana", "ines"):
        await put(other, app_id, author)

    assert not await database.write(app_id, is_blocked)


async def test_a_new_row_of_a_joined_table(
    database: Database, other: Database, app_id: str
) -> None:
    """A role that is created changes the rules of the users who have it already."""

    async def make_guest(tx: Transaction) -> None:
        await lock_counters(tx)
        await insert_users(tx, [UserDraft("anna", Profile("Anna", role="guest"))], 1, 1)

    async def make_role(tx: Transaction) -> None:
        await lock_counters(tx)
        await insert_role(tx, Role("guest", "Guest", 1, send_messages_to=FRIENDS_ONLY))

    async def writes_to_friends_only(tx: Transaction) -> bool:
        await lock_counters(tx)
        return (await find_people(tx, ["anna"]))["anna"].rules.writes_to_friends_only

    async def see() -> list[bool]:
        return [await node.write(app_id, writes_to_friends_only) for node in (database, other)]

    await database.write(app_id, make_guest)
    assert await see() == [False, False]
    await database.write(app_id, make_role)
    assert await see() == [True, True]


async def test_a_change_that_others_would_miss_is_a_defect(database: Database, app_id: str) -> None:
    """Cached records may be changed only by a transaction that has locked the counters."""
    with pytest.raises(CountersNotLocked):
        await database.write(app_id, lambda tx: delete_blocks(tx, "anna", ["ben"]))
