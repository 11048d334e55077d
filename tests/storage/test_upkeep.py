"""The upkeep of an engine, every second while a node runs."""

import asyncio

import asyncpg
from tests.storage.notes import SQL
from tests.storage.stores import make_app

from hubbub.storage.interface import Database, Transaction
from hubbub.storage.postgres.database import PostgresDatabase

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
