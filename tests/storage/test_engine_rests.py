"""The contract of the engines about rests: who has used much gives way while others ask."""

import asyncio
from functools import partial

from tests.rests import GivenRests
from tests.storage.notes import writing
from tests.storage.stores import OpenPostgres, OpenSqlite, closing, make_app, make_schema
from tests.storage.turns import start

from hubbub.storage.interface import Row, Snapshot
from hubbub.storage.postgres.reading import PART_ROWS
from hubbub.storage.queries import Query
from hubbub.storage.sqlite.writer import BatchLimits

LONG = Query(
    "long",
    """WITH RECURSIVE numbers (number) AS
        (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 300000)
    SELECT count(*) FROM numbers""",
)
NUMBERS = Query(
    "numbers",
    """WITH RECURSIVE numbers (number) AS
        (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < :limit)
    SELECT number FROM numbers ORDER BY number""",
)
SECONDS = 0.2
EACH_IS_SLOW = BatchLimits(slow_seconds=0.0)


async def read_long(snapshot: Snapshot) -> None:
    """Read something that takes many milliseconds."""
    await snapshot.fetch(LONG)


async def read_numbers(snapshot: Snapshot, *, count: int) -> list[Row]:
    """Read so many rows."""
    return await snapshot.fetch(NUMBERS, limit=count)


async def test_a_reading_on_a_thread_rests_in_its_middle(open_sqlite: OpenSqlite) -> None:
    """While SQLite reads at length, others have their turn again and again."""
    rests = GivenRests()
    async with closing(open_sqlite(rests=rests)) as database:
        await make_schema(database)
        app_id = await make_app(database)
        rests.asked.clear()

        await database.read(app_id, read_long)

    assert len(rests.asked) >= 3
    assert set(rests.asked) == {app_id}


async def test_an_app_rests_after_a_slow_change(open_sqlite: OpenSqlite) -> None:
    """Until an app has rested its next change waits, and those of another app are stored."""
    order: list[str] = []
    rests = GivenRests()
    async with closing(open_sqlite(rests=rests, batch_limits=EACH_IS_SLOW)) as database:
        await make_schema(database)
        loud, quiet = await make_app(database), await make_app(database)

        async def write(app_id: str, author: str) -> None:
            await database.write(app_id, writing(author))
            order.append(author)

        rests.seconds[loud] = SECONDS
        await write(loud, "anna")
        tasks = await start(write(loud, "ben"), write(quiet, "cleo"))
        await tasks[1]
        await write(quiet, "dana")
        await tasks[0]

    assert order == ["anna", "cleo", "dana", "ben"]


async def test_what_rests_is_stored_before_the_end(open_sqlite: OpenSqlite) -> None:
    """A store that is closed carries out the changes that wait, rests or not."""
    rests = GivenRests()
    async with closing(open_sqlite(rests=rests, batch_limits=EACH_IS_SLOW)) as database:
        await make_schema(database)
        app_id = await make_app(database)
        rests.seconds[app_id] = 3_600.0
        await database.write(app_id, writing("anna"))
        (waiting,) = await start(database.write(app_id, writing("ben")))

    assert await waiting == "ben"


async def test_a_long_reading_on_a_connection_rests(open_postgres: OpenPostgres) -> None:
    """Until it has rested a long reading does not go on; pages, and other apps, do not wait."""
    order: list[str] = []
    async with closing(open_postgres(rests=(rests := GivenRests()))) as database:
        loud, quiet = await make_app(database), await make_app(database)

        async def read(app_id: str, name: str, *, is_short: bool = False) -> None:
            await database.read(app_id, read_long, is_short=is_short)
            order.append(name)

        rests.seconds[loud] = 3 * SECONDS
        tasks = await start(read(loud, "search"), read(quiet, "another app's"))
        await read(loud, "page", is_short=True)
        await asyncio.gather(*tasks)

    assert order[-1] == "search"
    assert set(rests.asked) == {loud, quiet}


async def test_a_long_list_on_a_connection_comes_in_parts(open_postgres: OpenPostgres) -> None:
    """All rows are read, in order; between two parts of them an app gives way."""
    async with closing(open_postgres(rests=(rests := GivenRests()))) as database:
        app_id = await make_app(database)
        for count in (PART_ROWS - 1, PART_ROWS, PART_ROWS + 1, 3 * PART_ROWS):
            rests.asked.clear()

            rows = await database.read(app_id, partial(read_numbers, count=count), is_short=True)

            assert [row[0] for row in rows] == list(range(1, count + 1))
            assert len(rests.asked) == (count // PART_ROWS if count > PART_ROWS else 0)
