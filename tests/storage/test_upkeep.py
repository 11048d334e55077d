"""The upkeep of an engine, every second while a node runs; and for which queries it plans."""

import asyncio

import asyncpg
from tests.storage.notes import SQL
from tests.storage.stores import make_app

from hubbub.storage.interface import Database, Snapshot, Transaction
from hubbub.storage.postgres.database import PostgresDatabase
from hubbub.storage.queries import Query

PLANNING = Query("planning", "SELECT current_setting('plan_cache_mode')")
KNOWN_ROWS = "SELECT reltuples FROM pg_class WHERE relname = 'notes'"


async def test_upkeep_leaves_the_store_as_it_is(database: Database) -> None:
    """Upkeep may run on either engine at any time."""
    await database.maintain()


async def test_tables_that_grew_are_analysed(postgres: PostgresDatabase, postgres_url: str) -> None:
    """PostgreSQL soon plans for the rows that a new table has, instead of an empty one."""
    app_id = await make_app(postgres)
    rows = [{"author": f"author-{number}", "text": "Hello"} for number in range(2_000)]

    async def within(tx: Transaction) -> None:
        await tx.run_many(SQL.insert_note, rows)

    await postgres.write(app_id, within)
    connection = await asyncpg.connect(postgres_url)
    try:
        for _ in range(100):  # the server's statistics are up to a second late
            await postgres.maintain()
            if await connection.fetchval(KNOWN_ROWS) >= len(rows):
                break
            await asyncio.sleep(0.1)
        assert await connection.fetchval(KNOWN_ROWS) >= len(rows)
    finally:
        await connection.close()


async def test_short_readings_are_not_planned_anew(postgres: PostgresDatabase) -> None:
    """PostgreSQL plans a query of short readings once; others may get a plan for their values."""

    async def planning(snapshot: Snapshot) -> str:
        return str((await snapshot.fetch(PLANNING))[0][0])

    found = [
        await postgres.read("app", planning, is_short=is_short) for is_short in (False, True, False)
    ]

    assert found == ["auto", "force_generic_plan", "auto"]
