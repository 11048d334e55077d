"""A promoted standby and a restored dump begin new epochs: old cursors are refused, not misread."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import apsw
import asyncpg
import pytest
from tests.api.messages.talk import say, to_user
from tests.clock import ManualClock
from tests.postgres import PostgresServer
from tests.wire import InProcess
from tests.world import Node, World

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS
from hubbub.storage.sqlite.copy import begin_epochs

KEY = "3" * 64


@pytest.fixture
def primary() -> Iterator[PostgresServer]:
    """A server with the database `hubbub`."""
    with PostgresServer() as server:
        server.create_database("hubbub")
        yield server


@asynccontextmanager
async def running(url: str, data: Path) -> AsyncIterator[Node]:
    """Run a node on a database."""
    settings = Settings(data=data, database_url=url, secret_key=KEY, log_requests=False)
    async with open_runtime(settings) as runtime:
        yield Node(runtime, ManualClock(), InProcess(make_app(runtime, OPERATIONS)), {})


async def epoch_of(url: str) -> int:
    """Return the epoch of the only app."""
    connection = await asyncpg.connect(url)
    try:
        return int(await connection.fetchval("SELECT epoch FROM counters"))
    finally:
        await connection.close()


async def position_of(world: World) -> str:
    """Return the cursor at the end of the log, as lists answer it."""
    await world.get("/users")
    return str(world.answer.json["meta"]["eventCursor"])


async def wait_replayed(primary: PostgresServer, standby: PostgresServer) -> None:
    """Wait until the standby has all that the primary has committed."""
    connection = await asyncpg.connect(primary.url("hubbub"))
    follower = await asyncpg.connect(standby.url("hubbub"))
    async with asyncio.timeout(30):
        written = await connection.fetchval("SELECT pg_current_wal_lsn()")
        is_there = "SELECT pg_last_wal_replay_lsn() >= $1"
        while not await follower.fetchval(is_there, written):  # noqa: ASYNC110  # not told
            await asyncio.sleep(0.01)
    await connection.close()
    await follower.close()


async def test_a_promoted_standby_that_lacks_commits(
    primary: PostgresServer, tmp_path: Path
) -> None:
    """Cursors of events that it lacks are refused, though their numbers are given to others."""
    standby = await asyncio.to_thread(primary.make_standby)
    try:
        async with running(primary.url("hubbub"), tmp_path) as node:
            world = await node.world()
            await world.users("anna", "ben")
            before = await position_of(world)
            await wait_replayed(primary, standby)
            await asyncio.to_thread(standby.stop)
            await say(world, "anna", to_user("ben", "lost"))
            lost = await position_of(world)
        await asyncio.to_thread(primary.kill)
        await asyncio.to_thread(standby.start)
        await asyncio.to_thread(standby.promote)

        async with running(standby.url("hubbub"), tmp_path) as node:
            again = World(node.sender, world.app_id, world.key, world.auth_key)
            await say(again, "ben", to_user("anna", "instead"))
            after = await position_of(again)
            for cursor in (before, lost):
                await again.refused(
                    "GET", f"/events?since={cursor}", status=400, code="ERR_CURSOR_EXPIRED"
                )

        assert lost.split("-")[1] == after.split("-")[1]
        assert int(after.split("-")[0]) > int(lost.split("-")[0])
    finally:
        await asyncio.to_thread(standby.close)


async def test_a_running_node_follows_to_the_promoted_standby(
    primary: PostgresServer, tmp_path: Path
) -> None:
    """A node that was not restarted begins the new epoch before it writes there."""
    standby = await asyncio.to_thread(primary.make_standby)
    port = primary.port
    try:
        async with running(primary.url("hubbub"), tmp_path) as node:
            world = await node.world()
            await world.users("anna")
            before = await position_of(world)
            await wait_replayed(primary, standby)
            await asyncio.to_thread(primary.kill)
            await asyncio.to_thread(standby.promote)
            await asyncio.to_thread(standby.stop)
            await asyncio.to_thread(standby.move_to, port)
            await world.ask("GET", "/users/anna")  # notices that its connections are gone
            async with asyncio.timeout(30):
                ben = {"uid": "ben", "name": "Ben"}
                while (await world.ask("POST", "/users", ben)).status != 200:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)

        assert await epoch_of(standby.url("hubbub")) > int(before.split("-")[0])
    finally:
        await asyncio.to_thread(standby.close)


async def test_a_dump_that_is_restored_twice(primary: PostgresServer, tmp_path: Path) -> None:
    """Each copy has epochs of its own, which stay the same when a node is started again."""
    async with running(primary.url("hubbub"), tmp_path) as node:
        world = await node.world()
        await world.users("anna")
    epochs = [await epoch_of(primary.url("hubbub"))]
    file = await asyncio.to_thread(primary.dump, "hubbub")
    for name in ("first", "second"):
        await asyncio.to_thread(primary.restore, file, name)
        async with running(primary.url(name), tmp_path):
            pass
        epochs.append(await epoch_of(primary.url(name)))
        async with running(primary.url(name), tmp_path):
            assert await epoch_of(primary.url(name)) == epochs[-1]

    assert len(set(epochs)) == 3
    assert min(epochs) == epochs[0]


def test_a_backup_that_is_restored_twice(tmp_path: Path) -> None:
    """On SQLite, too: at the same moment, from the same epoch, each gets its own, a later one."""
    found = []
    for number in range(2):
        path = tmp_path / f"{number}.db"
        connection = apsw.Connection(str(path))
        connection.execute("CREATE TABLE counters (app_id, epoch)")
        connection.execute("INSERT INTO counters VALUES ('a', 5), ('b', ?)", (2_000_000_000 << 20,))
        connection.close()
        begin_epochs(path, 1_800_000_000)
        connection = apsw.Connection(str(path))
        found += [
            int(str(row[0])) for row in connection.execute("SELECT epoch FROM counters").fetchall()
        ]
        connection.close()

    assert len(set(found)) == 4
    assert min(found[1::2]) > 2_000_000_000 << 20
    assert min(found[::2]) >= 1_800_000_000 << 20
