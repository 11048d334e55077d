"""Consumers of the log, on both engines: events in order, their effects stored once."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest
from tests.clock import START
from tests.storage.notes import SQL, NoteWritten, Surprise, announcing, list_notes
from tests.storage.stores import make_app

from hubbub.outbox import consumer as consumer_module
from hubbub.outbox import lock_counters
from hubbub.outbox.consumer import Consumer, end_position, find_position, start_position
from hubbub.outbox.log import LogBatch
from hubbub.outbox.registry import event
from hubbub.storage.interface import Database, Snapshot, Transaction
from hubbub.storage.queries import Query

COPIES = "copies"
LIST_APP = Query(
    "list_app",
    "INSERT INTO apps (id, name, region, version, owner, created_at)"
    " VALUES (:app_id, 'App', 'us', '3', 'anna', 0)",
)


@event("note_torn")
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
    meanwhile: Callable[[], Awaitable[object]] | None = None
    """Runs while a batch is prepared."""

    @property
    def consumer(self) -> Consumer[Sequence[str]]:
        return Consumer(COPIES, (NoteWritten,), self.database, self._prepare, self._apply)

    async def _prepare(self, batch: LogBatch) -> tuple[Sequence[str], int]:
        if self.meanwhile is not None:
            await self.meanwhile()
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


async def test_an_app_that_fails_delays_no_other(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All logs are read to their ends but that of the app whose batches fail."""
    monkeypatch.setattr(consumer_module, "BATCH_SIZE", 1)
    apps = [await make_app(database) for _ in range(3)]
    for app_id in apps:
        await database.write(app_id, lambda tx: tx.run(LIST_APP))
        await database.write(app_id, announcing("anna", "ben"))
    await Copying(database, broken={apps[0]}).consumer.consume_all()

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
