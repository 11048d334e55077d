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
    """What looks like an event, and has no name."""

    at: int = 0


async def watch_log(database: Database, app_id: str, end: asyncio.Event) -> list[list[int]]:
    """What is seen of the log, again and again, while others write."""
    seen = []
    while not end.is_set():
        seen.append(await list_numbers(database, app_id))
    return seen


async def test_numbers_are_dense_and_rise_in_commit_order(database: Database, app_id: str) -> None:
    """Many write at once and some fail: who sees number 7 sees 1 to 6, and none is left out."""
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
    """Announcements are numbered in the order in which they were made."""
    await database.write(app_id, announcing("carla", "anna", "ben"))

    events = await list_events(database, app_id)

    assert [event[0] for event in events] == [1, 2, 3]
    assert [json.loads(event[4])["author"] for event in events] == ["carla", "anna", "ben"]


async def test_event_row(database: Database, app_id: str) -> None:
    """A row of the log has the id of its writing, the event's name and hour, its fields as JSON."""
    await database.write(app_id, announcing("anna"))

    [(number, event_id, name, at, body)] = await list_events(database, app_id)

    assert (number, event_id, name, at) == (1, f"{EPOCH}-1", "note_written", NoteWritten("").at)
    assert json.loads(body) == {"author": "anna", "at": at}


async def test_rolled_back_numbers_come_back(database: Database, app_id: str) -> None:
    """The number of a failed write is the next one's."""
    with pytest.raises(Surprise):
        await database.write(app_id, announcing("anna", fails=True))
    await database.write(app_id, announcing("ben"))

    [event] = await list_events(database, app_id)

    assert (event[0], json.loads(event[4])["author"]) == (1, "ben")


async def test_apps_count_for_themselves(database: Database, app_id: str) -> None:
    """Each app's numbers begin at one and know nothing of the other's."""
    other_app = await make_app(database)
    await asyncio.gather(
        *(database.write(app_id, announcing(f"author-{number}")) for number in range(8)),
        *(database.write(other_app, announcing(f"author-{number}")) for number in range(5)),
    )

    assert await list_numbers(database, app_id) == list(range(1, 9))
    assert await list_numbers(database, other_app) == list(range(1, 6))


async def test_all_counters_are_stored(database: Database, app_id: str) -> None:
    """What a write adds to any counter of the app is there for the next one."""

    async def count(tx: Transaction) -> tuple[int, ...]:
        numbers = await lock_counters(tx)
        numbers.message += 2
        numbers.conversation += 3
        numbers.sent_at = 1_800_000_004
        numbers.users += 5
        numbers.groups += 6
        return (numbers.message, numbers.conversation, numbers.users, numbers.groups)

    await database.write(app_id, count)

    assert await database.write(app_id, count) == (4, 6, 10, 12)


async def test_numbers_are_taken_once(database: Database, app_id: str) -> None:
    """Taking them again within a transaction gives the same, with what was counted meanwhile."""

    async def within(tx: Transaction) -> bool:
        numbers = await lock_counters(tx)
        numbers.message += 1
        return await lock_counters(tx) is numbers

    assert await database.write(app_id, within)


async def test_announcing_without_the_numbers_is_a_defect(database: Database, app_id: str) -> None:
    """An operation that announces but did not take the numbers fails, and nothing is stored."""

    async def within(tx: Transaction) -> None:
        await tx.run(SQL.insert_note, author="anna", text="hello")
        tx.announce(NoteWritten("anna"))

    with pytest.raises(CountersNotLocked):
        await database.write(app_id, within)

    assert await list_authors(database, app_id) == []
    assert await list_numbers(database, app_id) == []


async def test_announcing_no_event_is_a_defect(database: Database, app_id: str) -> None:
    """An operation that announces what is not registered as an event stores nothing."""

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        await tx.run(SQL.insert_note, author="anna", text="hello")
        tx.announce(Unregistered())

    with pytest.raises(LookupError, match="Unregistered"):
        await database.write(app_id, within)

    assert await list_authors(database, app_id) == []
    assert await list_numbers(database, app_id) == []


async def test_app_that_is_gone_has_no_numbers(database: Database) -> None:
    """A write to an app without counters is refused like one with an unknown key."""
    with pytest.raises(NotAuthenticated, match="nowhere"):
        await database.write("nowhere", announcing("anna"))
