"""Several nodes on one database: what one commits, the sessions of the others are told."""

import asyncio
import itertools
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from tests.clock import ManualClock
from tests.nats_server import NatsServer
from tests.postgres import PostgresServer
from tests.realtime.chat import Client, Hall, hall_of
from tests.realtime.role_model import Rules, play
from tests.realtime.test_delivery import say
from tests.soon import until
from tests.wire import InProcess
from tests.world import World

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.domain.apps.manage import create_app
from hubbub.domain.presence.nodes import beat, sweep
from hubbub.domain.presence.tell import tell_changes
from hubbub.http.app import make_app
from hubbub.records.presence.model import LATE_SECONDS
from hubbub.rest.operations import OPERATIONS

_databases = itertools.count(1)
NODES = 3


class Cluster:
    """Nodes on one database, each with its server; all have the same app."""

    def __init__(self, settings: Settings, clock: ManualClock) -> None:
        self.settings = settings
        self.clock = clock
        self.halls: list[Hall] = []

    @asynccontextmanager
    async def node(self, app: tuple[str, str, str] | None = None) -> AsyncIterator[Hall]:
        """Yield a further node."""
        async with open_runtime(self.settings, self.clock) as runtime:
            if app is None:
                made, (key, auth_key) = await create_app(runtime, name="App", region="us")
                app = made.id, key.api_key, auth_key.api_key
            world = World(InProcess(make_app(runtime, OPERATIONS)), *app)
            async with hall_of(world, runtime) as hall:
                yield hall


@pytest.fixture(params=["bus", "log"])
async def cluster(
    request: pytest.FixtureRequest,
    postgres_server: PostgresServer,
    nats_server: NatsServer,
    tmp_path: Path,
) -> AsyncIterator[Cluster]:
    """Three nodes, with a bus and without one."""
    name = f"cluster_{next(_databases)}"
    postgres_server.create_database(name)
    bus = nats_server.url if request.param == "bus" else ""
    settings = Settings(
        data=tmp_path,
        database_url=postgres_server.url(name),
        files=str(tmp_path / "files"),
        bus_url=bus,
        secret_key="5" * 64,
        log_requests=False,
    )
    cluster = Cluster(settings, ManualClock())
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(cluster.node())
        world = first.world
        cluster.halls.append(first)
        for _ in range(NODES - 1):
            app = (world.app_id, world.key, world.auth_key)
            cluster.halls.append(await stack.enter_async_context(cluster.node(app)))
        await world.users("anna", "ben", "cora")
        yield cluster


async def settled(cluster: Cluster, client: Client) -> list[str]:
    """Return the texts of the messages that a client was told of, once all nodes have told all."""
    for hall in cluster.halls:
        await hall.settle()
    return [
        frame["data"]["message"]["data"]["text"]
        for frame in await client.until_pong()
        if frame["event"] == "message_sent"
    ]


async def test_every_node_tells_everything_in_order(cluster: Cluster) -> None:
    """Messages that all nodes send at once are told on each node, once and in one order."""
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(hall.client("ben")) for hall in cluster.halls]
        await asyncio.gather(
            *(
                say(hall.world, f"{node}-{number}")
                for node, hall in enumerate(cluster.halls)
                for number in range(20)
            )
        )
        told = [await settled(cluster, client) for client in clients]

    assert told[0] == told[1] == told[2]
    assert sorted(told[0]) == sorted(f"{n}-{m}" for n in range(NODES) for m in range(20))


async def test_resume_on_another_node(cluster: Cluster) -> None:
    """A client that was cut goes on at another node, which has not told anything yet."""
    one, two, _ = cluster.halls
    async with one.client("ben") as ben:
        await say(one.world, "0")
        seen = await ben.event("message_sent")
    for number in range(1, 5):
        await say(two.world, f"{number}")
    async with two.client("ben", since=seen["cursor"]) as ben:
        assert await settled(cluster, ben) == ["1", "2", "3", "4"]


async def test_a_revoked_token_ends_its_sessions_everywhere(cluster: Cluster) -> None:
    """A token that one node revokes ends the sessions on the others."""
    one, two, _ = cluster.halls
    async with two.client("anna") as anna:
        for token in await one.world.get("/users/anna/auth_tokens"):
            await one.world.delete(f"/users/anna/auth_tokens/{token['authToken']}")
        await two.settle()

        assert await anna.close_code() == 4401


@pytest.mark.parametrize("seed", range(2))
async def test_a_session_follows_its_role_on_another_node(cluster: Cluster, seed: int) -> None:
    """Sessions of other nodes follow the rules of roles, too, in the order of the log."""
    one, two, _ = cluster.halls
    rules = Rules(one.world)
    await rules.begin()
    await play(rules, one, two, random.Random(seed))


@pytest.mark.parametrize("cluster", ["bus"], indirect=True)
async def test_presence_and_typing_cross_nodes(cluster: Cluster) -> None:
    """Who connects or types on one node is seen on another: signals need the bus."""
    one, two, three = cluster.halls
    async with one.client("anna", presence="all") as anna, two.client("cora") as cora:
        async with three.client("ben") as ben:
            change = await anna.event("user_presence_changed")
            while change["data"]["user"]["uid"] != "ben":
                change = await anna.event("user_presence_changed")
            await ben.ask("start_typing", receiver="cora", receiverType="user")
            await cora.event("typing_started")
        await cora.event("typing_ended")
        offline = await anna.event("user_presence_changed")
        assert (offline["data"]["user"]["uid"], offline["data"]["user"]["status"]) == (
            "ben",
            "offline",
        )


async def test_a_dead_node(cluster: Cluster) -> None:
    """The users of a node that has stopped beating become offline, and others are told."""
    one, two, _ = cluster.halls
    runtime = one.gateway.runtime
    async with one.client("anna", presence="all") as anna, two.client("ben"):
        for hall in (one, two):
            await beat(hall.gateway.runtime)
        for hall in (one, two):
            await hall.gateway.present.settle()
        assert (await one.world.get("/users/ben"))["status"] == "available"
        cluster.clock.advance(LATE_SECONDS + 1)
        await beat(runtime)
        await sweep(runtime, lambda app_id, all_: tell_changes(runtime, app_id, all_))

        assert (await one.world.get("/users/ben"))["status"] == "offline"
        assert (await one.world.get("/users/anna"))["status"] == "available"
        statuses = [f["data"]["user"]["status"] for f in await anna.until_pong()]
        assert statuses[-1] == "offline"
        await two.gateway.present.restore()
        assert (await one.world.get("/users/ben"))["status"] == "available"


async def test_a_bus_that_is_away(postgres_server: PostgresServer, tmp_path: Path) -> None:
    """While the bus is away events arrive by the log; when it is back, by the bus again."""
    name = f"cluster_{next(_databases)}"
    postgres_server.create_database(name)
    server = NatsServer()
    settings = Settings(
        data=tmp_path,
        database_url=postgres_server.url(name),
        files=str(tmp_path / "files"),
        bus_url=server.url,
        secret_key="5" * 64,
        log_requests=False,
    )
    cluster = Cluster(settings, ManualClock())
    with server:
        async with cluster.node() as one:
            world = one.world
            app = (world.app_id, world.key, world.auth_key)
            async with cluster.node(app) as two:
                await world.users("anna", "ben")
                async with two.client("ben") as ben:
                    await say(world, "by the bus")
                    await ben.event("message_sent")
                    server.kill()
                    await say(world, "by the log")
                    await ben.event("message_sent")
                    server.start()
                    await until(lambda: one.gateway.runtime.bus.is_connected)
                    await until(lambda: two.gateway.runtime.bus.is_connected)
                    await say(world, "by the bus again")
                    await ben.event("message_sent")
