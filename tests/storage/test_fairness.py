"""The contract of both engines about fairness: no app keeps another waiting."""

import asyncio

from tests.storage.notes import SQL, list_authors, writing
from tests.storage.stores import (
    ONE_BATCH,
    Open,
    OpenPostgres,
    OpenSqlite,
    closing,
    make_app,
    make_schema,
)
from tests.storage.turns import LONGEST_SECONDS, Pause, start

from hubbub.kernel.turns import QueueFull
from hubbub.storage.interface import Database, Operation, Snapshot, Transaction
from hubbub.storage.queries import Query

ENDLESS = Query(
    "endless",
    """WITH RECURSIVE numbers (number) AS
        (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 1000000000)
    SELECT count(*) FROM numbers""",
)
MANY = 40
SOON = 4
"""After so many readings of another user, it is the turn of one who has read nothing."""


async def test_long_readings_leave_room_for_others(
    database: Database, app_id: str, pause: Pause
) -> None:
    """However many readings of an app are under way, others read, look up and write."""
    loud = await make_app(database)
    readings = await start(*(database.read(loud, pause) for _ in range(MANY)))
    await pause.reached.wait()

    assert await database.write(app_id, writing("anna")) == "anna"
    assert await list_authors(database, app_id) == ["anna"]
    assert await database.point(app_id, SQL.find_note, author="anna") is not None
    assert await database.write(loud, writing("ben")) == "ben"
    assert not any(reading.done() for reading in readings)
    pause.end()
    await asyncio.gather(*readings)


async def test_who_fills_the_queue_of_readings_is_refused(
    open_store: Open, database: Database, app_id: str, pause: Pause
) -> None:
    """Too many readings of an app are refused with a time to come back; no other app's are."""
    loud = await make_app(database)
    async with closing(open_store(most_waiting=4)) as narrow:
        readings = await start(*(narrow.read(loud, pause) for _ in range(MANY)))
        await pause.reached.wait()
        refused = [reading for reading in readings if reading.done()]

        assert len(refused) >= MANY - 4 - 4
        for reading in refused:
            assert isinstance(problem := reading.exception(), QueueFull)
            assert problem.retry_after_seconds > 0
        assert await list_authors(narrow, app_id) == []
        pause.end()
        await asyncio.gather(*(each for each in readings if each not in refused))


async def test_users_take_turns_at_readings(database: Database, app_id: str) -> None:
    """A user who asks once is not behind the tenth reading of another user of the app."""

    async def nothing(_: Snapshot) -> None:
        """Read nothing, and end."""

    pauses = [Pause() for _ in range(10)]
    many = [database.read(app_id, each, user="anna") for each in pauses]
    *readings, once = await start(*many, database.read(app_id, nothing, user="ben"))
    for each in pauses[:SOON]:
        each.end()

    await asyncio.wait_for(once, LONGEST_SECONDS)

    assert not all(reading.done() for reading in readings)
    for each in pauses:
        each.end()
    await asyncio.gather(*readings)


async def test_a_part_of_a_reading_is_limited(database: Database, app_id: str) -> None:
    """A statement that takes too long is stopped, and the reading goes on on its snapshot."""
    await database.write(app_id, writing("anna"))

    async def within(snapshot: Snapshot) -> tuple[object, bool, int]:
        async def endless() -> object:
            return await snapshot.fetch_one(ENDLESS)

        rows = await snapshot.fetch(SQL.list_notes)
        stopped = await snapshot.within(0.0, endless)
        return stopped, snapshot.is_overdue, len(rows + await snapshot.fetch(SQL.list_notes))

    assert await database.read(app_id, within) == (None, False, 2)


async def test_a_part_that_is_quick_enough(database: Database, app_id: str) -> None:
    """Return what ends in time; a transaction that writes is never stopped."""

    async def within(snapshot: Snapshot) -> int | None:
        async def count() -> int:
            return len(await snapshot.fetch(SQL.list_notes))

        return await snapshot.within(60.0, count)

    async def within_write(tx: Transaction) -> int | None:
        async def write() -> int:
            return await tx.run(SQL.insert_note, author="anna", text="hello")

        return await tx.within(0.0, write)

    assert await database.read(app_id, within) == 0
    assert await database.write(app_id, within_write) == 1
    assert await list_authors(database, app_id) == ["anna"]


async def test_a_reading_ends_with_its_caller(open_store: Open, database: Database) -> None:
    """When the caller leaves, the statement under way is stopped: closing does not wait for it."""
    app_id = await make_app(database)
    loop, began = asyncio.get_running_loop(), asyncio.Event()

    async def within(snapshot: Snapshot) -> object:
        loop.call_soon_threadsafe(began.set)
        return await snapshot.fetch_one(ENDLESS)

    async with asyncio.timeout(30.0), closing(open_store()) as left:
        readings = await start(left.read(app_id, within), left.read(app_id, within))
        await began.wait()
        for reading in readings:
            reading.cancel()
        await asyncio.wait(readings)

        assert await list_authors(left, app_id) == []


async def test_writes_of_apps_take_turns_on_sqlite(open_sqlite: OpenSqlite, pause: Pause) -> None:
    """A change of one app is stored before the second of a thousand that another has waiting."""
    order: list[str] = []

    def noting(name: str) -> Operation[None]:
        async def within(_: Transaction) -> None:
            order.append(name)

        return within

    async with closing(open_sqlite(batch_limits=ONE_BATCH)) as database:
        await make_schema(database)
        loud, quiet = await make_app(database), await make_app(database)
        async with pause.holding(database):
            writes = await start(
                *(database.write(loud, noting("loud")) for _ in range(1_000)),
                database.write(quiet, noting("quiet")),
            )
        await asyncio.gather(*writes)

    assert order.index("quiet") <= 1
    assert len(order) == 1_001


async def test_writes_of_apps_take_turns_on_postgres(
    open_postgres: OpenPostgres, pause: Pause
) -> None:
    """An app never has all the connections that changes may take."""
    async with closing(open_postgres()) as database:
        loud, quiet = await make_app(database), await make_app(database)
        writes = await start(*(database.write(loud, pause) for _ in range(MANY)))
        await pause.reached.wait()

        assert await database.write(quiet, writing("anna")) == "anna"
        assert not any(write.done() for write in writes)
        pause.end()
        await asyncio.gather(*writes)


async def test_the_queue_of_changes_is_each_apps_own(
    open_store: Open, database: Database, pause: Pause
) -> None:
    """An app that has too many changes waiting is refused; another's change is stored."""
    loud, quiet = await make_app(database), await make_app(database)
    async with closing(open_store(most_waiting=3)) as narrow:
        async with pause.holding(narrow):
            writes = await start(*(narrow.write(loud, writing(f"{n}")) for n in range(9)))
            other = asyncio.create_task(narrow.write(quiet, writing("anna")))
            await asyncio.sleep(0)
        outcomes = await asyncio.gather(*writes, return_exceptions=True)

        assert sum(isinstance(each, QueueFull) for each in outcomes) == 6
        assert await other == "anna"
