"""Stores for tests of the engines: opened, migrated, with a table of notes and an app."""

import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from hubbub.outbox.log import insert_counters
from hubbub.storage.interface import INSTALLATION, Database
from hubbub.storage.postgres.database import PostgresDatabase
from hubbub.storage.queries import Query
from hubbub.storage.sqlite.database import SqliteDatabase
from hubbub.storage.sqlite.writer import BatchLimits

Open = Callable[..., Database]
OpenPostgres = Callable[..., PostgresDatabase]
OpenSqlite = Callable[..., SqliteDatabase]
ONE_BATCH = BatchLimits(longest_seconds=60.0, longest_of_app_seconds=60.0, slow_seconds=60.0)
"""Everything that waits for SQLite's writer is one batch, however slow the machine is."""
AnyDatabase = TypeVar("AnyDatabase", bound=Database)
EPOCH = 7
NUMBERS = itertools.count(1)

MAKE_TABLE = Query(
    "make_table",
    """CREATE TABLE notes (
        app_id TEXT NOT NULL, author TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (app_id, author)
    )""",
)


async def make_schema(database: Database) -> None:
    """Migrate, and add the notes."""
    await database.migrate()
    await database.write(INSTALLATION, lambda tx: tx.run(MAKE_TABLE))


async def make_app(database: Database) -> str:
    """Create an app with its counters at zero."""
    app_id = f"app-{next(NUMBERS)}"
    await database.write(app_id, lambda tx: insert_counters(tx, EPOCH))
    return app_id


@asynccontextmanager
async def closing(database: AnyDatabase) -> AsyncIterator[AnyDatabase]:
    """Close `database` at the end of a block."""
    try:
        yield database
    finally:
        await database.close()
