"""Clients of the realtime protocol, over real sockets to a server in this process."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from tests.api.http.connections import serving
from tests.realtime.contract import load_realtime_contract
from tests.wire import LOOPBACK
from tests.world import World
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from hubbub.http.app import make_app
from hubbub.outbox.positions import find_head
from hubbub.realtime.contract.page import add_realtime_contract
from hubbub.realtime.gateway import Gateway, serving_sockets
from hubbub.realtime.protocol.limits import SessionLimits
from hubbub.rest.operations import OPERATIONS
from hubbub.runtime import Runtime

PATIENCE_SECONDS = 60
Frame = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Hall:
    """A server in this process, and its gateway."""

    gateway: Gateway
    port: int
    world: World

    @property
    def address(self) -> str:
        """Return the URL of the sockets."""
        return f"ws://{LOOPBACK}:{self.port}/v3/realtime"

    async def settle(self) -> None:
        """Wait until all that is committed was told."""
        feed = await self.gateway.feeds.find(self.world.app_id)
        head = await self.gateway.runtime.database.read(self.world.app_id, find_head)
        await feed.reach(head)

    @asynccontextmanager
    async def client(self, uid: str, **connect_fields: Any) -> AsyncIterator["Client"]:
        """Yield a connected client of a user, with a new token."""
        token = await self.world.token(uid)
        async with self.open() as client:
            await client.say(op="connect", authToken=token, **connect_fields)
            client.connected = await client.hear()
            assert client.connected["op"] == "connected", client.connected
            yield client

    @asynccontextmanager
    async def open(self, **options: Any) -> AsyncIterator["Client"]:
        """Yield a socket that has sent nothing yet."""
        async with connect(self.address, compression=None, ping_interval=None, **options) as socket:
            yield Client(socket)


@dataclass(slots=True)
class Client:
    """A socket of a client."""

    socket: ClientConnection
    connected: Frame | None = None
    said: dict[str, Frame] = field(default_factory=dict)
    """The `connect`, and the calls by their `ref`."""

    async def say(self, **frame: Any) -> None:
        """Send a frame."""
        self.said[str(frame.get("ref", frame["op"]))] = frame
        await self.socket.send(json.dumps(frame))

    async def hear(self) -> Frame:
        """Return the next frame, which is as documented."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            frame: Frame = json.loads(await self.socket.recv())
        asked = self.said.get(str(frame.get("ref", "connect")))
        load_realtime_contract().check(frame, asked)
        return frame

    async def event(self, name: str) -> Frame:
        """Return the next frame, which is an event of that name."""
        frame = await self.hear()
        assert frame["op"] == "event", frame
        assert frame["event"] == name, frame
        return frame

    async def next_frame(self) -> Frame | None:
        """Return the next frame, or None at the end of the session."""
        with suppress(ConnectionClosed):
            return await self.hear()
        return None

    async def next_event(self) -> Frame | None:
        """Return the next event, or None at the end of the session."""
        with suppress(ConnectionClosed):
            frame = await self.hear()
            assert frame["op"] == "event", frame
            return frame
        return None

    async def ask(self, method: str, **params: Any) -> Frame:
        """Call a method and return its reply; events that come before it fail the test."""
        await self.say(op="call", ref="r", method=method, params=params)
        reply = await self.hear()
        assert reply["op"] == "reply", reply
        assert not reply.get("error") or reply["error"]["code"] != "ERR_EXCEPTION", reply
        return reply

    async def until_pong(self) -> list[Frame]:
        """Return all frames up to the answer to a ping, without it."""
        await self.say(op="ping")
        frames = []
        while (frame := await self.hear())["op"] != "pong":
            frames.append(frame)
        return frames

    async def close_code(self) -> int:
        """Read until the server closes the socket, and return the code."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            with suppress(ConnectionClosed):
                while True:
                    await self.socket.recv()
        assert self.socket.close_code is not None
        load_realtime_contract().check_close(self.socket.close_code)
        return self.socket.close_code


def narrow_socket(port: int) -> socket.socket:
    """Return a connected socket that takes in little until it is read."""
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    narrow.connect((LOOPBACK, port))
    narrow.setblocking(False)
    return narrow


@asynccontextmanager
async def hall_of(
    world: World, runtime: Runtime, limits: SessionLimits | None = None
) -> AsyncIterator[Hall]:
    """Yield a server for an app."""
    app = make_app(runtime, OPERATIONS)
    add_realtime_contract(app.routes, runtime.settings)
    async with serving_sockets(runtime, app, limits) as gateway, serving(app) as served:
        yield Hall(gateway, served.port, world)
