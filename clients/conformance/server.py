"""A server on loopback that does what a scenario says: sockets, and lists over REST."""

import asyncio
import enum
import json
import logging
import socket as sockets
import time
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Self

from websockets.asyncio.server import Server as Listener
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from conformance.frames import Frame, fault_of, list_answer

HOST = "127.0.0.1"
SOCKET_PATH, REST_PATH = "/v3/realtime", "/v3"
_quiet = logging.getLogger("conformance.server")
_quiet.addHandler(logging.NullHandler())
_quiet.propagate = False


class Door(enum.Enum):
    """What becomes of a client that asks for a socket."""

    OPEN = enum.auto()
    CUT = enum.auto()
    """The connection is cut before the handshake is answered."""
    BUSY = enum.auto()
    """The handshake is answered with 503, as a proxy does whose server is away."""


class Socket:
    """A client's socket on the side of the server."""

    def __init__(self, connection: ServerConnection, server: "Server") -> None:
        self._connection, self._server = connection, server
        self._refs = set[str]()
        self.frames: list[Frame] = []
        """What was received and not taken yet, without pings."""
        self.pings = 0
        self.pong: Frame | None = {"op": "pong"}
        """The answer to a ping; None: there is none."""
        self.is_first = True
        self.closed_at = 0.0

    async def read(self) -> None:
        """Read until the client has gone."""
        try:
            async for text in self._connection:
                await self._take(text)
        except ConnectionClosed:
            pass
        finally:
            self.closed_at = time.monotonic()
            self._server.note("client: (has closed the socket)")
            self._server.pulse()

    async def _take(self, text: str | bytes) -> None:
        self._server.note(f"client: {str(text)[:400]}")
        if fault := fault_of(text, self._refs, is_first=self.is_first):
            self._server.blame(fault)
            return
        self.is_first = False
        frame: Frame = json.loads(text)
        if frame["op"] == "ping":
            self.pings += 1
            if self.pong is not None:
                await self.say(**self.pong)
        else:
            self.frames.append(frame)
        self._server.pulse()

    async def say(self, **frame: Any) -> None:
        """Send a frame, unless the client has gone."""
        self._server.act(json.dumps(frame))
        with suppress(ConnectionClosed):
            await self._connection.send(json.dumps(frame))

    async def say_in_parts(self, *, pause: float, **frame: Any) -> None:
        """Send a frame in fragments, with a pause before each but the first."""
        text = json.dumps(frame)
        third = len(text) // 3

        async def parts() -> Any:
            yield text[:third]
            for begin, end in ((third, 2 * third), (2 * third, len(text))):
                await asyncio.sleep(pause)
                yield text[begin:end]

        self._server.act(f"(in parts) {text}")
        with suppress(ConnectionClosed):
            await self._connection.send(parts())

    async def close(self, code: int) -> None:
        """Close the socket with a code."""
        self._server.act(f"(closes with {code})")
        await self._connection.close(code, "The scenario says so.")

    def cut(self) -> None:
        """Cut the connection without a word."""
        self._server.act("(cuts the connection)")
        self._connection.transport.abort()

    def go_deaf(self) -> None:
        """Leave the connection open, read nothing more, and answer nothing."""
        self._server.act("(reads and says nothing any more)")
        self._connection.transport.pause_reading()

    def end(self) -> None:
        """Cut what is left at the end of a scenario, of which no word is noted."""
        self._connection.transport.abort()


class Server:
    """Listens, and notes who comes; `note`, `blame` and `pulse` tell the stage of it."""

    def __init__(
        self, note: Callable[[str], None], blame: Callable[[str], None], pulse: Callable[[], None]
    ) -> None:
        self.note, self.blame, self.pulse = note, blame, pulse
        self.door = Door.OPEN
        self.tries: list[float] = []
        """When a client has asked for a socket."""
        self.sockets: list[Socket] = []
        self.loads = self.loaded = 0
        """How many lists were asked for, and how many of them were answered with rows."""
        self.are_loads_failing = False
        self.event_cursor = "1-0"
        self.acted_at = 0.0
        """When a client was last made free to try, or told anything."""
        self._placeholder = _bound(0)
        self._port: int = self._placeholder.getsockname()[1]
        self._listeners: list[Listener] = []

    @property
    def url(self) -> str:
        """Return the address of the socket."""
        return f"ws://{HOST}:{self._port}{SOCKET_PATH}"

    @property
    def rest(self) -> str:
        """Return the address below which the lists are."""
        return f"http://{HOST}:{self._port}{REST_PATH}"

    async def __aenter__(self) -> Self:
        await self.listen()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.stop_listening()
        for socket in self.sockets:
            socket.end()
        for listener in self._listeners:
            await listener.wait_closed()
        self._placeholder.close()

    def act(self, what: str) -> None:
        """Note what the server does."""
        self.acted_at = time.monotonic()
        self.note(f"server: {what[:400]}")

    async def listen(self) -> None:
        """Listen at the port; the placeholder keeps it while nobody does."""
        listener = await serve(
            self._hold,
            sock=_bound(self._port),
            process_request=self._answer,
            ping_interval=None,
            close_timeout=1,
            logger=_quiet,
        )
        self._listeners.append(listener)

    def stop_listening(self) -> None:
        """Listen no more: connections are refused; those that are open stay."""
        self._listeners[-1].close(close_connections=False)

    async def _hold(self, connection: ServerConnection) -> None:
        socket = Socket(connection, self)
        self.sockets.append(socket)
        self.pulse()
        await socket.read()

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        path = request.path.partition("?")[0]
        if path != SOCKET_PATH:
            return self._answer_list(path)
        self.tries.append(time.monotonic())
        self.note(f"client: (asks for a socket; the door: {self.door.name})")
        self.pulse()
        if self.door is not Door.OPEN:
            self.act("(closes the door)")
        if self.door is Door.CUT:
            connection.transport.abort()
        return _response(HTTPStatus.SERVICE_UNAVAILABLE, {}) if self.door is Door.BUSY else None

    def _answer_list(self, path: str) -> Response:
        self.loads += 1
        self.note(f"client: GET {path}")
        self.pulse()
        if self.are_loads_failing:
            error = {"code": "ERR_OPERATION_FAILED", "message": "The scenario says so."}
            return _response(HTTPStatus.SERVICE_UNAVAILABLE, {"error": error})
        self.loaded += 1
        return _response(HTTPStatus.OK, list_answer(self.event_cursor))


def _bound(port: int) -> sockets.socket:
    bound = sockets.socket(sockets.AF_INET, sockets.SOCK_STREAM)
    bound.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEPORT, 1)
    bound.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
    bound.bind((HOST, port))
    return bound


def _response(status: HTTPStatus, body: Frame) -> Response:
    content = json.dumps(body).encode()
    headers = Headers(
        {
            "Content-Type": "application/json",
            "Content-Length": str(len(content)),
            "Access-Control-Allow-Origin": "*",
            "Connection": "close",
        }
    )
    return Response(status.value, status.phrase, headers, content)
