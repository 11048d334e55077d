"""Consumers of the log, on both engines: events in order, their effects stored once."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.clock import START, ManualClock
from tests.storage.notes import SQL, NoteWritten, Surprise, announcing, list_notes
from tests.storage.stores import make_app

from hubbub.kernel.errors import Unavailable
from hubbub.kernel.pages import PageRequest
from hubbub.outbox import consumer as consumer_module
from hubbub.outbox import lock_counters
from hubbub.outbox.audience import NOBODY
from hubbub.outbox.consumer import (
    Consumer,
    ConsumerState,
    Pace,
    end_position,
    find_position,
    start_position,
)
from hubbub.outbox.log import LogBatch
from hubbub.outbox.registry import event
from hubbub.outbox.set_aside import SetAside, insert_set_aside, list_set_aside
from hubbub.storage.interface import Database, Snapshot, Transaction
from hubbub.storage.queries import Query

COPIES = "copies"


@pytest.fixture(autouse=True)
def logged() -> Iterator[list[Any]]:
    """Keep what is logged from being written: tracebacks take long."""
    with capture_logs() as logged:
        yield logged


LIST_APP = Query(
    "list_app",
    "INSERT INTO apps (id, name, region, version, owner, created_at)"
    " VALUES (:app_id, 'App', 'us', '3', 'anna', 0)",
)


@event("note_torn", told=NOBODY, actor=None)
@dataclass(frozen=True, slots=True)
class NoteTorn:
    """An author tore up their note; the consumers here do not read this event."""

    author: str
    at: int = START


@dataclass
class Copying:
    """A consumer that copies each note. A second copy of a note violates the primary key."""

    database: Database
    at_most: int = 1_000
    """The number of notes of a batch that are copied at once."""
    broken: set[str] = field(default_factory=set)
    """The apps in which storing copies fails."""
    failing: dict[str, Exception] = field(default_factory=dict)
    """What preparing fails with, by the author of a note in the batch."""
    at_once: int = 200
    """The events of a batch."""
    state: ConsumerState = field(default_factory=lambda: ConsumerState(ManualClock()))
    meanwhile: Callable[[], Awaitable[object]] | None = None
    """Runs while a batch is prepared."""

    @property
    def consumer(self) -> Consumer[Sequence[str]]:
        return Consumer(
            COPIES,
            (NoteWritten,),
            self.database,
            self._prepare,
            self._apply,
            self.state,
            batch_size=self.at_once,
        )

    async def run(self, times: int = 4) -> None:
        """Read all logs as often as it takes until an event that fails is set aside."""
        for _ in range(times):
            await self.consumer.consume_all()

    async def _prepare(self, batch: LogBatch) -> tuple[Sequence[str], int]:
        if self.meanwhile is not None:
            await self.meanwhile()
        for entry in batch.entries:
            if isinstance(entry.event, NoteWritten) and entry.event.author in self.failing:
                raise self.failing[entry.event.author]
        entries = batch.entries[: self.at_most]
        upto = batch.upto if len(entries) == len(batch.entries) else entries[-1].number
        written = [each.event for each in entries if isinstance(each.event, NoteWritten)]
        return [each.author for each in written], upto

    async def _apply(self, tx: Transaction, authors: Sequence[str]) -> None:
        for author in authors:
            await tx.run(SQL.insert_note, author=f"copy of {author}", text="copied")
        if tx.app_id in self.broken:
            raise Surprise(tx.app_id)


async def copied(database: Database, app_id: str) -> list[str]:
    """The authors whose notes were copied."""
    rows = await list_notes(database, app_id)
    return [row[0].removeprefix("copy of ") for row in rows if row[0].startswith("copy of ")]


async def position(database: Database, app_id: str) -> int:
    """The number of the last event that the consumer covered."""
    return await database.read(app_id, lambda snapshot: find_position(snapshot, COPIES))


async def test_it_reads_to_the_end_of_the_log(database: Database, app_id: str) -> None:
    """It reads the log batch by batch, then what was added later, and no event twice."""
    consumer = Copying(database, at_most=2).consumer
    assert not await consumer.consume_batch(app_id)
    await database.write(app_id, announcing("anna", "ben", "carla"))

    assert await consumer.consume_batch(app_id)
    assert await copied(database, app_id) == ["anna", "ben"]
    assert await consumer.consume_batch(app_id)
    assert not await consumer.consume_batch(app_id)
    await database.write(app_id, announcing("dana"))
    assert await consumer.consume_batch(app_id)
    assert await copied(database, app_id) == ["anna", "ben", "carla", "dana"]


async def test_it_passes_over_other_events(database: Database, app_id: str) -> None:
    """It passes over events of other kinds, and over events that only a newer version knows."""

    async def tear(tx: Transaction) -> None:
        await lock_counters(tx)
        tx.announce(NoteTorn("anna"))
        tx.announce(NoteTorn("ben"))
        tx.announce(NoteWritten("carla"))

    newer = "UPDATE events SET name = 'note_framed', body = '?' WHERE app_id = :app_id AND number"
    await database.write(app_id, tear)
    await database.write(app_id, lambda tx: tx.run(Query("newer", f"{newer} = 2")))
    await Copying(database).consumer.consume_batch(app_id)

    assert await copied(database, app_id) == ["carla"]
    assert await position(database, app_id) == 3


async def test_a_failed_batch_stores_nothing(database: Database, app_id: str) -> None:
    """Effects and position are stored together or not at all; the batch is repeated."""
    await database.write(app_id, announcing("anna"))
    with pytest.raises(Surprise):
        await Copying(database, broken={app_id}).consumer.consume_batch(app_id)
    assert (await copied(database, app_id), await position(database, app_id)) == ([], 0)
    await Copying(database).consumer.consume_batch(app_id)

    assert (await copied(database, app_id), await position(database, app_id)) == (["anna"], 1)


async def test_a_node_that_was_overtaken_stores_nothing(database: Database, app_id: str) -> None:
    """If another node stores a batch while this one prepares it, the effects are stored once."""
    await database.write(app_id, announcing("anna", "ben"))
    quick = Copying(database, at_most=1).consumer
    slow = Copying(database, meanwhile=lambda: quick.consume_batch(app_id)).consumer

    assert not await slow.consume_batch(app_id)
    assert (await copied(database, app_id), await position(database, app_id)) == (["anna"], 1)


async def make_listed_apps(database: Database, count: int) -> list[str]:
    """Make apps that a consumer finds, after it has read all others; return their ids, sorted."""
    await Copying(database).consumer.consume_all()  # the logs of other tests
    apps = sorted([await make_app(database) for _ in range(count)])
    for app_id in apps:
        await database.write(app_id, lambda tx: tx.run(LIST_APP))
    return apps


async def test_an_app_that_fails_delays_no_other(database: Database) -> None:
    """All logs are read to their ends but that of the app whose batches fail."""
    apps = await make_listed_apps(database, 3)
    for app_id in apps:
        await database.write(app_id, announcing("anna", "ben"))
    await Copying(database, broken={apps[0]}, at_once=1).consumer.consume_all()

    assert [await copied(database, each) for each in apps] == [[], ["anna", "ben"], ["anna", "ben"]]


async def test_events_of_a_busy_app_wait_for_the_next_call(database: Database, app_id: str) -> None:
    """A call reads a log to the end that it has at the start, and leaves what arrives meanwhile."""
    await Copying(database).consumer.consume_all()  # the logs of other tests
    await database.write(app_id, lambda tx: tx.run(LIST_APP))
    await database.write(app_id, announcing("anna"))
    arriving = iter(["ben", "chiara", "dai"])

    async def write_another() -> None:
        await database.write(app_id, announcing(next(arriving)))

    await Copying(database, meanwhile=write_another).consumer.consume_all()

    assert await copied(database, app_id) == ["anna"]
    assert next(arriving) == "chiara", "one batch was prepared"


async def test_an_optional_consumer_reads_apps_where_it_was_started(database: Database) -> None:
    """It reads a log from where it was started to where it was ended, and no other app's."""
    apps = [await make_app(database) for _ in range(2)]
    started, _ = apps
    consumer = replace(Copying(database).consumer, is_optional=True)
    for app_id in apps:
        await database.write(app_id, announcing("anna"))
    await database.write(started, lambda tx: start_position(tx, COPIES, 1))
    for app_id in apps:
        await database.write(app_id, announcing("ben"))
    await consumer.consume_all()

    assert [await copied(database, each) for each in apps] == [["ben"], []]
    await database.write(started, lambda tx: start_position(tx, COPIES, 0))
    assert await position(database, started) == 2, "it goes on where it is"
    await database.write(started, lambda tx: end_position(tx, COPIES))
    await database.write(started, announcing("chiara"))
    await consumer.consume_all()
    assert await copied(database, started) == ["ben"]


async def test_an_optional_consumer_that_is_ended_meanwhile(
    database: Database, app_id: str
) -> None:
    """A batch that was prepared when its consumer was ended stores nothing."""
    await database.write(app_id, lambda tx: start_position(tx, COPIES, 0))
    await database.write(app_id, announcing("anna"))

    async def end() -> None:
        await database.write(app_id, lambda tx: end_position(tx, COPIES))

    consumer = replace(Copying(database, meanwhile=end).consumer, is_optional=True)

    assert await consumer.consume_batch(app_id) is None
    assert await copied(database, app_id) == []
    assert await database.read(app_id, count_positions) == 0


async def count_positions(snapshot: Snapshot) -> int:
    """Count the positions of the consumer in an app: a position at 0 is not the same as none."""
    query = "SELECT count(*) FROM consumer_positions WHERE app_id = :app_id"
    return int((await snapshot.fetch(Query("count_positions", query)))[0][0])


async def set_aside(database: Database, app_id: str) -> list[SetAside]:
    """The events of an app that were set aside, newest first."""
    rows, _ = await database.read(app_id, lambda snapshot: list_set_aside(snapshot, PageRequest()))
    return rows


async def test_a_poison_event_is_set_aside(database: Database) -> None:
    """An event that can't be processed is set aside with its reason; all others are processed."""
    [app_id] = await make_listed_apps(database, 1)
    copying = Copying(database, failing={"ben": ValueError("ben's own words")})
    await database.write(app_id, announcing("anna", "ben", "chiara"))
    await copying.run()
    await database.write(app_id, announcing("dai"))
    await copying.run(1)

    assert await copied(database, app_id) == ["anna", "chiara", "dai"]
    [event] = await set_aside(database, app_id)
    place = event.reason.removeprefix("ValueError in hubbub/outbox/consumer.py, line ")
    assert place.isdigit(), "the reason has no content"
    assert event == SetAside(START, 2, COPIES, "7-2", "note_written", event.reason)
    assert copying.state.set_aside == 1
    assert copying.state.troubles == {}


async def test_events_that_fail_only_together(database: Database) -> None:
    """If each event of a failing batch can be processed alone, none is set aside."""
    [app_id] = await make_listed_apps(database, 1)
    copying = Copying(database)

    async def refuse_many(batch: LogBatch) -> tuple[Sequence[str], int]:
        if len(batch.entries) > 1:
            raise Surprise(app_id)
        return await copying._prepare(batch)

    consumer = replace(copying.consumer, prepare=refuse_many)
    await database.write(app_id, announcing("anna", "ben", "chiara"))
    for _ in range(3):
        await consumer.consume_all()

    assert await copied(database, app_id) == ["anna", "ben", "chiara"]
    assert await set_aside(database, app_id) == []


async def test_a_failure_that_passes(database: Database) -> None:
    """A batch that fails once is processed when it is tried again, and nothing is set aside."""
    [app_id] = await make_listed_apps(database, 1)
    copying = Copying(database, failing={"ben": Surprise("ben")})
    await database.write(app_id, announcing("anna", "ben"))
    await copying.run(1)
    assert await copied(database, app_id) == []
    copying.failing.clear()
    await copying.run(1)

    assert await copied(database, app_id) == ["anna", "ben"]
    assert copying.state.troubles == {}


async def test_what_the_database_refuses_is_never_set_aside(database: Database) -> None:
    """While something is not available, an event waits, however often it is tried."""
    apps = await make_listed_apps(database, 2)
    copying = Copying(database, failing={"ben": Unavailable("The database is away.")})
    await database.write(apps[0], announcing("anna", "ben"))
    await database.write(apps[1], announcing("chiara"))
    await copying.run(10)
    assert [await copied(database, each) for each in apps] == [[], ["chiara"]]
    copying.failing.clear()
    await copying.run(1)

    assert await copied(database, apps[0]) == ["anna", "ben"]
    assert await set_aside(database, apps[0]) == []


@pytest.mark.parametrize("body", ["{", "[{}, {}]", "no JSON"])
async def test_an_event_that_can_not_be_read(database: Database, body: str) -> None:
    """An event whose body this version can't decode is set aside as well."""
    [app_id] = await make_listed_apps(database, 1)
    for author in ("anna", "ben", "chiara"):
        await database.write(app_id, announcing(author))
    spoil = Query(
        "spoil", "UPDATE events SET body = :body WHERE app_id = :app_id AND number = :number"
    )
    await database.write(app_id, lambda tx: tx.run(spoil, body=body, number=2))
    await Copying(database).run()

    assert await copied(database, app_id) == ["anna", "chiara"]
    assert [each.number for each in await set_aside(database, app_id)] == [2]


async def test_an_event_that_another_node_has_processed(database: Database) -> None:
    """If another node goes on meanwhile, the event is not set aside."""
    [app_id] = await make_listed_apps(database, 1)
    other = Copying(database)
    await database.write(app_id, announcing("anna", "ben"))
    copying = Copying(database, failing={"anna": Surprise("anna")})
    await copying.run(2)  # from now on one at a time

    async def go_on() -> None:
        await other.consumer.consume_batch(app_id, limit=1)

    copying.meanwhile = go_on
    await copying.run(1)

    assert await copied(database, app_id) == ["anna"]
    assert await set_aside(database, app_id) == []


async def test_an_app_keeps_its_newest_events_that_were_set_aside(
    database: Database, app_id: str
) -> None:
    """However many events fail, the table holds a bounded number for each app."""
    for number in range(1, 7):
        event = SetAside(START, number, COPIES, f"7-{number}", "note_written", "Surprise")
        await database.write(app_id, partial(insert_set_aside, event=event, most=3))

    assert [each.number for each in await set_aside(database, app_id)] == [6, 5, 4]


async def test_busy_apps_starve_no_other(database: Database) -> None:
    """However many apps always have something new, each app is served in a round."""
    apps = await make_listed_apps(database, 60)
    for app_id in apps:
        await database.write(app_id, announcing("anna"))
    copying = Copying(database)
    served: list[str] = []

    async def stay_busy(batch: LogBatch) -> tuple[Sequence[str], int]:
        served.append(batch.app_id)
        await database.write(batch.app_id, announcing(f"author {len(served)}"))
        return await copying._prepare(batch)

    await replace(copying.consumer, prepare=stay_busy).consume_all()

    assert set(served) == set(apps)


async def test_a_backlog_starves_no_other(database: Database) -> None:
    """An app that has little to read does not wait until another one has read much."""
    long, short = await make_listed_apps(database, 2)
    await database.write(long, announcing(*(f"author {number}" for number in range(40))))
    await database.write(short, announcing("anna", "ben"))
    served: list[str] = []
    copying = Copying(database, at_once=1)

    async def note(batch: LogBatch) -> tuple[Sequence[str], int]:
        served.append(batch.app_id)
        return await copying._prepare(batch)

    await replace(copying.consumer, prepare=note).consume_all()

    assert short in served[:2]
    assert len(served) == 42
    assert max(place for place, each in enumerate(served) if each == short) < 20


@pytest.mark.parametrize(("before", "rests"), [(None, 39), (41, 39), (20, 0)])
async def test_what_a_burst_has_left_is_not_urgent(
    database: Database, monkeypatch: pytest.MonkeyPatch, before: int | None, rests: int
) -> None:
    """A consumer that is far behind rests after each batch, unless it is falling further behind."""
    monkeypatch.setattr(consumer_module, "LOOK_SECONDS", 1_000)
    [app_id] = await make_listed_apps(database, 1)
    await database.write(app_id, announcing(*(f"author {number}" for number in range(40))))
    copying = Copying(database, at_once=1)
    if before is not None:
        copying.state.lags = {app_id: before}
    asked: list[bool] = []

    def is_needed() -> bool:
        asked.append(True)
        return False

    await replace(copying.consumer, pace=Pace(far_behind=10, is_needed=is_needed)).consume_all()

    assert len(await copied(database, app_id)) == 40
    assert len(asked) == rests
