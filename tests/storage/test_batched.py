"""Batched writes: concurrent calls share a transaction and nothing else."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from tests.clock import ManualClock
from tests.storage.notes import SQL, Surprise, list_authors, list_notes
from tests.storage.stores import make_app
from tests.storage.turns import Pause, start

from hubbub.kernel.errors import Conflict, Refusal, Unavailable
from hubbub.outbox import lock_counters
from hubbub.storage.batched import Batched, Batches
from hubbub.storage.interface import Database, Transaction


@dataclass(frozen=True, slots=True)
class Notes:
    """A batched write of notes, on one node."""

    batched: Batched[str, str]
    batches: Batches

    async def call(self, app_id: str, author: str) -> str:
        """Write a note of the author."""
        return await self.batched.call(self.batches, app_id, author)

    async def call_all(self, app_id: str, authors: Sequence[str]) -> list[str | Refusal]:
        """Write a note of each author."""
        return await self.batched.call_all(self.batches, app_id, authors)


NewNotes = Callable[..., Notes]


class Writing:
    """An operation that writes a note for each author; it refuses ben and fails for zoe."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        """The drafts of each call, in order."""
        self.pause: Pause | None = None

    async def __call__(
        self, tx: Transaction, drafts: Sequence[str], now: int
    ) -> list[str | Refusal]:
        self.batches.append(list(drafts))
        pause, self.pause = self.pause, None
        if pause is not None:
            await pause()
        return [await self._write(tx, author) for author in drafts]

    async def _write(self, tx: Transaction, author: str) -> str | Refusal:
        if author == "ben":
            return Conflict("ben has a note")
        await tx.run(SQL.insert_note, author=author, text="hello")
        if author == "zoe":
            raise Surprise("zoe")
        return f"by {author}"


class Lock:
    """The lock of the app, which the next batch may be held to wait for."""

    def __init__(self) -> None:
        self.pause: Pause | None = None

    async def __call__(self, tx: Transaction) -> None:
        pause, self.pause = self.pause, None
        if pause is not None:
            await pause()
        await lock_counters(tx)


@pytest.fixture
def lock() -> Lock:
    """Return the lock that each batch begins with."""
    return Lock()


@pytest.fixture
def operation() -> Writing:
    """Return the operation whose calls are batched."""
    return Writing()


@pytest.fixture
def new_notes(database: Database, operation: Writing, lock: Lock) -> NewNotes:
    """Return a function that makes batched writes of the operation, with limits of the test."""
    return lambda **limits: Notes(
        Batched(operation, lock, **limits), Batches(database, ManualClock())
    )


@pytest.fixture
def notes(new_notes: NewNotes) -> Notes:
    """Return a batched write with the default limits."""
    return new_notes()


async def start_behind(
    pause: Pause, operation: Writing, notes: Notes, app_id: str, *drafts: str
) -> list[asyncio.Task[str]]:
    """Begin a call for each draft while the first call, anna's, is held at `pause`."""
    operation.pause = pause
    [first] = await start(notes.call(app_id, "anna"))
    await pause.reached.wait()
    return [first, *await start(*(notes.call(app_id, draft) for draft in drafts))]


async def test_call_alone_goes_alone(
    notes: Notes, operation: Writing, database: Database, app_id: str
) -> None:
    """A single call does not wait for others: it is stored when it is answered."""
    assert await notes.call(app_id, "anna") == "by anna"
    assert operation.batches == [["anna"]]
    assert await list_authors(database, app_id) == ["anna"]


async def test_calls_that_come_meanwhile_become_few_transactions(
    notes: Notes, operation: Writing, app_id: str, pause: Pause
) -> None:
    """450 calls that arrive while one is under way are three transactions, in order."""
    names = [f"author-{number:03}" for number in range(450)]

    calls = await start_behind(pause, operation, notes, app_id, *names)
    pause.end()
    answers = await asyncio.gather(*calls)

    assert [len(batch) for batch in operation.batches] == [1, 200, 200, 50]
    assert [author for batch in operation.batches for author in batch] == ["anna", *names]
    assert answers == [f"by {author}" for author in ["anna", *names]]


async def test_calls_join_a_batch_that_waits_for_the_lock(
    new_notes: NewNotes, operation: Writing, lock: Lock, app_id: str, pause: Pause
) -> None:
    """Calls that arrive before a batch has the lock are part of it, up to the largest size."""
    notes = new_notes(largest=3)
    lock.pause = pause
    [first] = await start(notes.call(app_id, "anna"))
    await pause.reached.wait()
    others = await start(*(notes.call(app_id, name) for name in ("carla", "dora", "emil")))
    pause.end()
    answers = await asyncio.gather(first, *others)

    assert operation.batches == [["anna", "carla", "dora"], ["emil"]]
    assert answers == ["by anna", "by carla", "by dora", "by emil"]


async def test_apps_are_collected_apart(
    notes: Notes, operation: Writing, database: Database, app_id: str
) -> None:
    """Calls of two apps never share a transaction."""
    other_app = await make_app(database)

    await asyncio.gather(
        *(notes.call(app_id, f"here-{number}") for number in range(3)),
        *(notes.call(other_app, f"there-{number}") for number in range(3)),
    )

    assert sorted(map(len, operation.batches)) == [3, 3]
    assert await list_authors(database, app_id) == ["here-0", "here-1", "here-2"]
    assert await list_authors(database, other_app) == ["there-0", "there-1", "there-2"]


async def test_refusal_reaches_only_its_caller(
    notes: Notes,
    operation: Writing,
    database: Database,
    app_id: str,
    pause: Pause,
) -> None:
    """One draft of a batch is refused, the others are stored with it in one transaction."""
    calls = await start_behind(pause, operation, notes, app_id, "ben", "carla")
    pause.end()
    answers = await asyncio.gather(*calls, return_exceptions=True)

    assert [str(answer) for answer in answers] == ["by anna", "ben has a note", "by carla"]
    assert isinstance(answers[1], Conflict)
    assert operation.batches == [["anna"], ["ben", "carla"]]
    assert await list_authors(database, app_id) == ["anna", "carla"]


async def test_refusal_is_raised(notes: Notes, app_id: str) -> None:
    """An outcome that is a refusal is raised to the caller, not returned."""
    with pytest.raises(Conflict, match="ben has a note"):
        await notes.call(app_id, "ben")


async def test_one_bad_draft_fails_alone(
    notes: Notes,
    operation: Writing,
    database: Database,
    app_id: str,
    pause: Pause,
) -> None:
    """A draft that makes the operation raise fails its own call; the others are stored once."""
    calls = await start_behind(pause, operation, notes, app_id, "carla", "zoe", "ben", "dora")
    pause.end()
    answers = await asyncio.gather(*calls, return_exceptions=True)

    assert [type(answer) for answer in answers] == [str, str, Surprise, Conflict, str]
    assert await list_authors(database, app_id) == ["anna", "carla", "dora"]
    assert operation.batches[2:] == [["carla"], ["zoe"], ["ben"], ["dora"]]
    assert await notes.call(app_id, "emil") == "by emil"


async def test_caller_who_left_is_left_out(
    notes: Notes,
    operation: Writing,
    database: Database,
    app_id: str,
    pause: Pause,
) -> None:
    """A call that was cancelled before its turn is not carried out; one under way is."""
    first, second, third = await start_behind(pause, operation, notes, app_id, "carla", "dora")
    first.cancel()
    second.cancel()
    pause.end()
    await third
    await asyncio.gather(first, second, return_exceptions=True)

    assert operation.batches == [["anna"], ["dora"]]
    assert await list_authors(database, app_id) == ["anna", "dora"]


async def test_everybody_left(notes: Notes, operation: Writing, app_id: str, pause: Pause) -> None:
    """A batch whose callers have all left is not written, and the next call works."""
    calls = await start_behind(pause, operation, notes, app_id, "carla", "dora")
    for call in calls[1:]:
        call.cancel()
    pause.end()
    await asyncio.gather(*calls, return_exceptions=True)

    assert await notes.call(app_id, "emil") == "by emil"
    assert operation.batches == [["anna"], ["emil"]]


async def test_full_queue_answers_at_once(
    new_notes: NewNotes, operation: Writing, database: Database, app_id: str, pause: Pause
) -> None:
    """A call beyond the limit is refused while the others wait; those are stored."""
    notes = new_notes(most_waiting=2)

    *accepted, last = await start_behind(pause, operation, notes, app_id, "carla", "dora", "emil")
    with pytest.raises(Unavailable):
        await last
    assert not any(call.done() for call in accepted)
    pause.end()
    await asyncio.gather(*accepted)

    assert await list_authors(database, app_id) == ["anna", "carla", "dora"]


async def test_limit_is_each_apps_own(
    new_notes: NewNotes, operation: Writing, database: Database, app_id: str, pause: Pause
) -> None:
    """A full queue of one app does not limit other apps."""
    notes = new_notes(most_waiting=1)
    other_app = await make_app(database)

    calls = await start_behind(pause, operation, notes, app_id, "carla", "dora")
    [other] = await start(notes.call(other_app, "emil"))
    pause.end()
    answers = await asyncio.gather(*calls, other, return_exceptions=True)

    assert [type(answer) for answer in answers] == [str, str, Unavailable, str]


async def test_list_of_drafts_is_answered_in_order(
    notes: Notes, operation: Writing, app_id: str
) -> None:
    """`call_all` returns the outcome or the refusal of each draft, from one transaction."""
    answers = await notes.call_all(app_id, ["carla", "ben", "anna"])

    assert [str(answer) for answer in answers] == ["by carla", "ben has a note", "by anna"]
    assert isinstance(answers[1], Conflict)
    assert operation.batches == [["carla", "ben", "anna"]]


async def test_list_with_a_bad_draft_raises(notes: Notes, database: Database, app_id: str) -> None:
    """`call_all` raises other errors than refusals; the other drafts of the list are stored."""
    with pytest.raises(Surprise):
        await notes.call_all(app_id, ["anna", "zoe", "carla"])

    assert await list_authors(database, app_id) == ["anna", "carla"]


async def test_empty_list(notes: Notes, operation: Writing, app_id: str) -> None:
    """Without drafts there is no transaction."""
    assert await notes.call_all(app_id, []) == []
    assert operation.batches == []


async def test_store_that_is_away_refuses_the_whole_batch(
    notes: Notes, database: Database, app_id: str
) -> None:
    """When the database is not available, each caller of the batch gets a refusal."""
    await database.close()

    answers = await notes.call_all(app_id, ["anna", "carla"])

    assert [type(answer) for answer in answers] == [Unavailable, Unavailable]


async def test_operation_that_answers_too_little(database: Database, app_id: str) -> None:
    """Drafts without an outcome are a defect: they are not stored, and the next call works."""

    async def forget_the_last(tx: Transaction, drafts: Sequence[str], now: int) -> list[str]:
        for author in drafts:
            await tx.run(SQL.insert_note, author=author, text="hello")
        return [author for author in drafts if author != "zoe"]

    notes = Notes(Batched(forget_the_last, lock_counters), Batches(database, ManualClock()))
    with pytest.raises(AssertionError):
        await notes.call_all(app_id, ["anna", "zoe"])

    assert await notes.call(app_id, "carla") == "carla"
    assert await list_authors(database, app_id) == ["anna", "carla"]


async def test_drain_waits_for_what_is_under_way(
    notes: Notes,
    operation: Writing,
    database: Database,
    app_id: str,
    pause: Pause,
) -> None:
    """After `drain`, the drafts of all earlier calls are stored."""
    calls = await start_behind(pause, operation, notes, app_id, "carla")
    [drained] = await start(notes.batches.drain())
    assert not drained.done()
    pause.end()
    await drained

    assert [row[0] for row in await list_notes(database, app_id)] == ["anna", "carla"]
    await asyncio.gather(*calls)


async def test_an_app_goes_on_after_a_batch_that_was_stopped(
    notes: Notes, operation: Writing, app_id: str, pause: Pause
) -> None:
    """Whoever waits for a task of batches that is cancelled is told; later calls are answered."""
    calls = await start_behind(pause, operation, notes, app_id, "carla")
    [run] = notes.batches.running
    run.cancel()
    await asyncio.wait([run])
    pause.end()
    await asyncio.wait(calls)

    assert all(call.cancelled() for call in calls)
    assert await notes.call(app_id, "emil") == "by emil"
