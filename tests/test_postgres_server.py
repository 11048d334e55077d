"""The PostgreSQL server of the tests: it starts, is durable, and restarts."""

import asyncio
from collections.abc import Iterator

import asyncpg
import pytest
from tests.postgres import PostgresServer
from tests.storage.slow_wire import Wire

# The driver raises InternalClientError if it notices the end while it sends a statement.
CONNECTION_LOST = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server with the database `hubbub`."""
    with PostgresServer() as running:
        running.create_database("hubbub")
        yield running


@pytest.fixture
async def url(server: PostgresServer) -> str:
    """Return the URL of a database with the empty table `notes`."""
    connection = await asyncpg.connect(server.url("hubbub"))
    await connection.execute("DROP TABLE IF EXISTS notes; CREATE TABLE notes (text text)")
    await connection.close()
    return server.url("hubbub")


async def fetch_value(url: str, query: str) -> object:
    """Run a query on a new connection and return its value."""
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("fsync", "on"),
        ("synchronous_commit", "on"),
        ("full_page_writes", "on"),
        ("max_connections", "200"),
        ("server_encoding", "UTF8"),
        ("listen_addresses", "127.0.0.1"),
    ],
)
async def test_settings(url: str, setting: str, value: str) -> None:
    """The server is as durable as in production and listens on the loopback address only."""
    assert await fetch_value(url, f"SHOW {setting}") == value


async def test_text_sorts_by_code_point(url: str) -> None:
    """The locale is C, so the order of text does not depend on the machine."""
    query = "SELECT array_agg(text ORDER BY text) FROM unnest(ARRAY['é', 'a', 'B']) text"

    assert await fetch_value(url, query) == ["B", "a", "é"]


async def test_restart_keeps_what_is_stored(server: PostgresServer, url: str) -> None:
    """After a restart the server answers at the same address, with the same rows."""
    await fetch_value(url, "INSERT INTO notes VALUES ('kept')")

    await asyncio.to_thread(server.restart)

    assert await fetch_value(url, "SELECT text FROM notes") == "kept"


async def test_kill_loses_nothing_committed(server: PostgresServer, url: str) -> None:
    """A crash ends open connections; committed rows exist after the next start."""
    connection = await asyncpg.connect(url)
    await connection.execute("INSERT INTO notes VALUES ('committed')")

    await asyncio.to_thread(server.kill)
    with pytest.raises(CONNECTION_LOST):
        await connection.execute("INSERT INTO notes VALUES ('too late')")
    await asyncio.to_thread(server.start)

    assert await fetch_value(url, "SELECT array_agg(text) FROM notes") == ["committed"]


@pytest.mark.parametrize("forward", [True, False])
async def test_connection_breaks_during_commit(
    server: PostgresServer, url: str, *, forward: bool
) -> None:
    """A client that loses the connection during COMMIT cannot tell whether it was done."""
    async with Wire(server.port) as wire:
        connection = await asyncpg.connect(server.url("hubbub", port=wire.port))
        wire.break_when(b"COMMIT", forward=forward)
        with pytest.raises(CONNECTION_LOST):
            async with connection.transaction():
                await connection.execute("INSERT INTO notes VALUES ('perhaps')")

    assert await fetch_value(url, "SELECT count(*) FROM notes") == int(forward)


def test_servers_are_apart() -> None:
    """Two servers run side by side, and closing one leaves nothing of it."""
    with PostgresServer() as one, PostgresServer() as other:
        log_file = one.log_file

        assert one.port != other.port
        assert log_file.exists()

    assert not log_file.parent.exists()
