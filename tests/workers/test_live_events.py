"""Sockets on several nodes of one machine: what happens on one node, those on the others hear."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import psutil
import pytest
from tests.live import LiveNode
from tests.postgres import PostgresServer
from tests.realtime.chat import Client, Frame
from tests.world import World
from websockets.asyncio.client import connect

from hubbub.config import Settings

SOCKETS = 40
"""So many that the kernel gives some to each of three nodes."""


@pytest.fixture
def live(postgres_server: PostgresServer, tmp_path: Path) -> Iterator[LiveNode]:
    """Three nodes on one port."""
    postgres_server.create_database("live_events")
    settings = Settings(data=tmp_path / "data", database_url=postgres_server.url("live_events"))
    with LiveNode(settings, "--workers", "3") as live:
        yield live


@asynccontextmanager
async def socket_of(live: LiveNode, world: World, token: str) -> AsyncIterator[Client]:
    """Yield a connected socket of a user."""
    address = live.address.replace("http", "ws")
    async with connect(f"{address}/v3/realtime", compression=None, proxy=None) as socket:
        client = Client(socket)
        await client.say(op="connect", authToken=token, appId=world.app_id)
        client.connected = await client.hear()
        assert client.connected["op"] == "connected", client.connected
        yield client


async def hear_event(client: Client, name: str) -> Frame:
    """Return the next event of a name."""
    while (frame := await client.hear()).get("event") != name:
        pass
    return frame


def nodes_of(live: LiveNode, clients: list[Client]) -> set[int]:
    """Return the processes that the sockets are connected to."""
    assert live.process is not None
    ports = {client.socket.local_address[1] for client in clients}
    return {
        worker.pid
        for worker in psutil.Process(live.process.pid).children()
        for connection in worker.net_connections()
        if connection.raddr and connection.raddr.port in ports
    }


async def test_all_nodes_tell_the_same(live: LiveNode) -> None:
    """A message, and typing, which is never stored, reach the sockets of all nodes."""
    world = await live.world()
    await world.users("anna", "ben")
    token, to_ben = await world.token("ben"), {"receiver": "ben", "receiverType": "user"}
    async with AsyncExitStack() as stack:
        anna = await stack.enter_async_context(socket_of(live, world, await world.token("anna")))
        clients = [
            await stack.enter_async_context(socket_of(live, world, token)) for _ in range(SOCKETS)
        ]
        assert len(nodes_of(live, clients)) == 3
        await anna.say(op="call", ref="1", method="start_typing", params=to_ben)
        typing = [await hear_event(client, "typing_started") for client in clients]
        await world.post("/messages", {**to_ben, "data": {"text": "hello"}}, as_="anna")
        told = [await hear_event(client, "message_sent") for client in clients]

    assert len(typing) == SOCKETS
    assert len({frame["id"] for frame in told}) == 1
