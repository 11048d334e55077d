"""What both engines promise about an app's log: dense numbers that rise in commit order."""

import asyncio
import json
from dataclasses import dataclass

import pytest
from tests.storage.notes import (
    SQL,
    NoteWritten,
    Surprise,
    announcing,
    list_authors,
    list_events,
    list_numbers,
)
from tests.storage.stores import EPOCH, make_app
from tests.storage.turns import start

from hubbub.kernel.errors import NotAuthenticated
from hubbub.outbox import lock_counters
from hubbub.storage.errors import CountersNotLocked
from hubbub.storage.interface import Database, Transaction

WRITERS = 60


@dataclass(frozen=True, slots=True)
class Unregistered:
    """An event without a name."""

    at: int = 0


async def watch_log(database: Database, app_id: str, end: asyncio.Event) -> list[list[int]]:
    """Read the numbers of the log again and again while others write."""
    seen = []
    while not end.is_set():
        seen.append(await list_numbers(database, app_id))
    return seen


async def test_numbers_are_dense_and_rise_in_commit_order(database: Database, app_id: str) -> None:
    """Concurrent writes, some of which fail: a reader of number 7 sees 1 to 6, without gaps."""
    end = asyncio.Event()
    [watcher] = await start(watch_log(database, app_id, end))
    writes = [
        database.write(app_id, announcing(f"author-{number}", fails=number % 3 == 0))
        for number in range(WRITERS)
    ]
    outcomes = await asyncio.gather(*writes, return_exceptions=True)
    end.set()

    assert sum(isinstance(outcome, Surprise) for outcome in outcomes) == WRITERS // 3
    assert all(seen == list(range(1, len(seen) + 1)) for seen in await watcher)
    assert await list_numbers(database, app_id) == list(range(1, WRITERS * 2 // 3 + 1))
    assert len(await list_authors(database, app_id)) == WRITERS * 2 // 3


async def test_events_of_one_transaction_keep_their_order(database: Database, app_id: str) -> None:
    """Events are numbered in the order of their announcements."""
    await database.write(app_id, announcing("carla", "anna", "ben"))

    events = await list_events(database, app_id)

    assert [event[0] for event in events] == [1, 2, 3]
    assert [json.loads(event[4])["author"] for event in events] == ["carla", "anna", "ben"]


async def test_event_row(database: Database, app_id: str) -> None:
    """A row of the log has the id from its writing, the event's name and time, its JSON body."""
    await database.write(app_id, announcing("anna"))

    [(number, event_id, name, at, body)] = await list_events(database, app_id)

    assert (number, event_id, name, at) == (1, f"{EPOCH}-1", "note_written", NoteWritten("").at)
    assert json.loads(body) == {"author": "anna", "at": at}


async def test_rolled_back_numbers_come_back(database: Database, app_id: str) -> None:
    """The next write gets the number of one that was rolled back."""
    with pytest.raises(Surprise):
        await database.write(app_id, announcing("anna", fails=True))
    await database.write(app_id, announcing("ben"))

    [event] = await list_events(database, app_id)

    assert (event[0], json.loads(event[4])["author"]) == (1, "ben")


async def test_apps_count_for_themselves(database: Database, app_id: str) -> None:
    """The numbers of each app begin at one, independent of other apps."""
    other_app = await make_app(database)
    await asyncio.gather(
        *(database.write(app_id, announcing(f"author-{number}")) for number in range(8)),
        *(database.write(other_app, announcing(f"author-{number}")) for number in range(5)),
    )

    assert await list_numbers(database, app_id) == list(range(1, 9))
    assert await list_numbers(database, other_app) == list(range(1, 6))


async def test_all_counters_are_stored(database: Database, app_id: str) -> None:
    """Every counter that a write advances is stored for the next write."""

    async def count(tx: Transaction) -> tuple[int, ...]:
        counters = await lock_counters(tx)
        counters.message += 2
        counters.conversation += 3
        counters.sent_at = 1_800_000_004
        counters.users += 5
        counters.groups += 6
        return (counters.message, counters.conversation, counters.users, counters.groups)

    await database.write(app_id, count)

    assert await database.write(app_id, count) == (4, 6, 10, 12)


async def test_counters_are_locked_once(database: Database, app_id: str) -> None:
    """A second lock in a transaction returns the same counters, with what was counted since."""

    async def within(tx: Transaction) -> bool:
        counters = await lock_counters(tx)
        counters.message += 1
        return await lock_counters(tx) is counters

    assert await database.write(app_id, within)


async def test_announcing_without_the_counters_is_a_defect(database: Database, app_id: str) -> None:
    """An operation that announces without locking the counters fails and stores nothing."""

    async def within(tx: Transaction) -> None:
        await tx.run(SQL.insert_note, author="anna", text="hello")
        tx.announce(NoteWritten("anna"))

    with pytest.raises(CountersNotLocked):
        await database.write(app_id, within)

    assert await list_authors(database, app_id) == []
    assert await list_numbers(database, app_id) == []


async def test_announcing_an_unregistered_event_is_a_defect(
    database: Database, app_id: str
) -> None:
    """An operation that announces an unregistered struct fails and stores nothing."""

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        await tx.run(SQL.insert_note, author="anna", text="hello")
        tx.announce(Unregistered())

    with pytest.raises(KeyError, match="Unregistered"):
        await database.write(app_id, within)

    assert await list_authors(database, app_id) == []
    assert await list_numbers(database, app_id) == []


async def test_a_missing_app_has_no_counters(database: Database) -> None:
    """A write to an app that does not exist is refused like one with an unknown key."""
    with pytest.raises(NotAuthenticated, match="nowhere"):
        await database.write("nowhere", announcing("anna"))
