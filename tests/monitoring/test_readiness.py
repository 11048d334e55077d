"""Readiness when the store is reached and of no use: its disk is full, or its pages are damaged."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import asyncpg
import pytest
from tests.clock import ManualClock
from tests.postgres import PostgresServer
from tests.storage.disk import Disk
from tests.wire import Answer, Asked, InProcess
from tests.world import Node, World

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.http.app import make_app
from hubbub.outbox import write_announced
from hubbub.rest.operations import OPERATIONS
from hubbub.runtime import Runtime
from hubbub.storage.sqlite.database import SqliteDatabase

PAGE = 8192


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[Node]:
    """Open a node in this process on the store of the settings."""
    clock = ManualClock()
    async with open_runtime(settings, clock) as runtime:
        yield node_of(runtime, clock)


def node_of(runtime: Runtime, clock: ManualClock) -> Node:
    """Return a node with these parts."""
    return Node(runtime, clock, InProcess(make_app(runtime, OPERATIONS)), {})


async def readiness(node: Node) -> Answer:
    """Ask a node whether it is ready."""
    return await node.sender.send(Asked("GET", "/health/ready"))


async def refused_send(world: World) -> None:
    """Send a message that can't be stored."""
    message = {"receiver": "ben", "receiverType": "user", "category": "message", "type": "text"}
    await world.refused(
        "POST",
        "/messages",
        {**message, "data": {"text": "hello"}},
        as_="anna",
        status=503,
        code="ERR_OPERATION_FAILED",
    )


async def test_a_full_disk(tmp_path: Path) -> None:
    """A node whose disk is full is not ready, without naming the folder, until there is room."""
    disk = Disk()
    async with serving(Settings(data=tmp_path, log_requests=False)) as plain:
        runtime = plain.runtime
        path = runtime.settings.sqlite_path
        database = SqliteDatabase(
            path, write_announced, plain.clock, connect=disk.connect, measures=runtime.measures
        )
        node = node_of(replace(runtime, database=database), plain.clock)
        world = await node.world()
        await world.users("anna", "ben")
        assert (await readiness(node)).status == 200

        with disk.failing("write", apsw.SQLITE_FULL):
            await refused_send(world)
            for _ in range(2):
                answer = await readiness(node)
                assert (answer.status, answer.json["status"]) == (503, "not ready")
                assert str(tmp_path) not in str(answer.json)

        assert (await readiness(node)).status == 200
        await database.close()


async def test_damaged_pages(tmp_path: Path) -> None:
    """A node that has read a damaged page is not ready any more."""
    settings = Settings(data=tmp_path, log_requests=False)
    async with serving(settings) as node:
        world = await node.world()
        await world.users("anna", "ben")
    damage(settings.sqlite_path, "users")
    async with serving(settings) as node:
        assert (await readiness(node)).status == 200
        again = World(node.sender, world.app_id, world.key, world.auth_key)
        answer = await again.ask("GET", "/users")

        assert (answer.status, answer.json["error"]["code"]) == (503, "ERR_OPERATION_FAILED")
        assert "damaged" in (await readiness(node)).json["reason"]
        assert (await readiness(node)).status == 503


def damage(path: Path, table: str) -> None:
    """Overwrite the first page of a table."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    query = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
    page, size = connection.execute(query, (table,)).get, connection.execute("PRAGMA page_size").get
    connection.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\x7f" * size)


@pytest.fixture
def server(tmp_path: Path) -> Any:
    """A PostgreSQL of its own, with a database."""
    with PostgresServer() as running:
        running.create_database("hubbub")
        yield running


async def run(server: PostgresServer, database: str, *statements: str) -> Any:
    """Run statements beside the node; return the value of the last one."""
    connection: Any = await asyncpg.connect(server.url(database))
    try:
        for statement in statements[:-1]:
            await connection.execute(statement)
        return await connection.fetchval(statements[-1])
    finally:
        await connection.close()


END_OTHERS = (
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = 'hubbub'"
)


async def test_a_database_that_takes_no_writes(server: PostgresServer, tmp_path: Path) -> None:
    """A node whose PostgreSQL became read-only is not ready until it takes writes again."""
    settings = Settings(data=tmp_path, database_url=server.url("hubbub"), log_requests=False)
    async with serving(settings) as node:
        world = await node.world()
        await world.users("anna", "ben")
        closed = "ALTER DATABASE hubbub SET default_transaction_read_only = on"
        await run(server, "postgres", closed, END_OTHERS)
        await until_reached(world)
        await refused_send(world)
        for _ in range(2):
            assert "read-only" in (await readiness(node)).json["reason"]

        opened = "ALTER DATABASE hubbub RESET default_transaction_read_only"
        await run(server, "postgres", opened, END_OTHERS)
        await until_reached(world)
        assert (await readiness(node)).status == 200


async def until_reached(world: World) -> None:
    """Read until the node has replaced the connections that were ended."""
    for _ in range(100):
        if (await world.ask("GET", "/groups")).status == 200:
            return
    raise AssertionError("the node does not reach its database")


async def test_damaged_pages_of_postgresql(server: PostgresServer, tmp_path: Path) -> None:
    """A page that PostgreSQL refuses is a 503, and the node is not ready any more."""
    settings = Settings(data=tmp_path, database_url=server.url("hubbub"), log_requests=False)
    async with serving(settings) as node:
        world = await node.world()
        await world.users("anna", "ben")
    path = await run(server, "hubbub", "CHECKPOINT", "SELECT pg_relation_filepath('users')")
    server.stop()
    with (server.path_of(path)).open("r+b") as file:
        file.write(b"\x7f" * PAGE)
    server.start()
    async with serving(settings) as node:
        again = World(node.sender, world.app_id, world.key, world.auth_key)

        assert (await again.ask("GET", "/users")).status == 503
        assert "damaged" in (await readiness(node)).json["reason"]
