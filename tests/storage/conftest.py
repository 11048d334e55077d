"""Fixtures of the engines alone: a migrated store with a table of notes, an app, ways to pause."""

from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import asyncpg
import pytest
from tests.clock import ManualClock
from tests.postgres import PostgresServer
from tests.storage.disk import Disk
from tests.storage.queries.query_plans import Sqlite
from tests.storage.stores import Open, OpenPostgres, OpenSqlite, closing, make_app, make_schema
from tests.storage.turns import Pause

from hubbub.outbox import write_announced
from hubbub.storage.interface import Database
from hubbub.storage.postgres.database import PostgresDatabase
from hubbub.storage.sqlite.checkpointer import Checkpointer
from hubbub.storage.sqlite.database import SqliteDatabase
from hubbub.storage.sqlite.writer import BatchLimits


@pytest.fixture(scope="session")
async def postgres_url(postgres_server: PostgresServer) -> str:
    """The URL of a migrated database with notes, which detects deadlocks quickly."""
    postgres_server.create_database("contract")
    url = postgres_server.url("contract")
    connection = await asyncpg.connect(url)
    await connection.execute("ALTER DATABASE contract SET deadlock_timeout = '20ms'")
    await connection.close()
    async with closing(PostgresDatabase(url, write_announced, ManualClock())) as database:
        await make_schema(database)
    return url


@pytest.fixture(scope="session")
def sqlite() -> Sqlite:
    """SQLite in memory, empty, with the newest schema."""
    return Sqlite()


@pytest.fixture
def open_postgres(postgres_url: str) -> OpenPostgres:
    """A function that opens PostgreSQL with options of the test."""
    return lambda url=postgres_url, **options: PostgresDatabase(
        url, write_announced, ManualClock(), **options
    )


@pytest.fixture
def batch_limits() -> BatchLimits:
    """The limits of SQLite's batches, which tests lower."""
    return BatchLimits()


@pytest.fixture
def open_sqlite(tmp_path: Path, batch_limits: BatchLimits) -> OpenSqlite:
    """A function that opens a file with options of the test."""
    return lambda **options: SqliteDatabase(
        tmp_path / "hubbub.db",
        write_announced,
        ManualClock(),
        **{"batch_limits": batch_limits, **options},
    )


@pytest.fixture
def open_store(engine: str, request: pytest.FixtureRequest) -> Open:
    """A function that opens the engine with options of the test."""
    opens: Open = request.getfixturevalue("open_sqlite" if engine == "sqlite" else "open_postgres")
    return opens


@pytest.fixture
async def database(engine: str, open_store: Open) -> AsyncIterator[Database]:
    """The engine, on a migrated store with notes."""
    async with closing(open_store()) as database:
        if engine == "sqlite":
            await make_schema(database)
        yield database


@pytest.fixture
async def postgres(open_postgres: OpenPostgres) -> AsyncIterator[PostgresDatabase]:
    """PostgreSQL, for tests of it alone."""
    async with closing(open_postgres()) as database:
        yield database


@pytest.fixture
async def one_by_one(engine: str, open_store: Open, database: Database) -> AsyncIterator[Database]:
    """The engine on the same store, with one write after the other, as SQLite always has."""
    if engine == "sqlite":
        yield database
        return
    async with closing(open_store(connections=1)) as single:
        yield single


@pytest.fixture
async def app_id(database: Database) -> str:
    """An app of the test, with its counters at zero."""
    return await make_app(database)


@pytest.fixture
async def pause() -> AsyncIterator[Pause]:
    """A place where an operation stops; at the end nothing waits there."""
    pause = Pause()
    yield pause
    pause.end()


@pytest.fixture
def disk() -> Iterator[Disk]:
    """The disk of the store."""
    disk = Disk()
    yield disk
    disk.unregister()


@pytest.fixture
def deaths() -> list[str]:
    """A list with an entry for each time that the process would have ended."""
    return []


@pytest.fixture
async def store_on_disk(
    open_sqlite: OpenSqlite, disk: Disk, deaths: list[str]
) -> AsyncIterator[SqliteDatabase]:
    """SQLite on a disk that can fail, and counts: it is left to the writer."""
    idle = partial(Checkpointer, every_seconds=3600.0)
    die = partial(deaths.append, "fsync")
    async with closing(open_sqlite(connect=disk.connect, die=die, checkpointer=idle)) as database:
        await make_schema(database)
        yield database
