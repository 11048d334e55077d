"""Raw connections to a server, which runs in this process or in one of its own."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from tests.postgres import free_port
from tests.soon import until
from tests.wire import LOOPBACK, Answer, headers_of
from tests.world import World

from hubbub.config import Settings
from hubbub.http.app import HttpApplication
from hubbub.http.server.protocol import Protocol
from hubbub.http.server.serve import FINISH_SECONDS, Server, make_server, open_listeners

PATIENCE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Served:
    """A server in this process."""

    port: int
    server: Server
    task: "asyncio.Task[None]"

    async def stop(self) -> None:
        """Stop the server as a signal would, and wait until it has."""
        self.server.should_exit = True
        await self.task


@dataclass(slots=True)
class Timer:
    """A call that is due at a time."""

    due_at: float
    call: Callable[[], object]
    is_cancelled: bool = False

    def cancel(self) -> None:
        """Call nothing."""
        self.is_cancelled = True


class Watch:
    """The time of a server's connections, which a test moves; and what has reached the server.

    It stands in for the event loop, as far as a connection uses that.
    """

    def __init__(self) -> None:
        self.connections = 0
        self.received = 0
        """The bytes that the connections were sent."""
        self.ends = 0
        """How many clients have closed their side."""
        self._now = 0.0
        self._timers: list[Timer] = []

    def time(self) -> float:
        return self._now

    def call_later(self, seconds: float, call: Callable[[], object]) -> Timer:
        self._timers.append(Timer(self._now + seconds, call))
        return self._timers[-1]

    def create_task(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        return asyncio.get_running_loop().create_task(work)

    def advance(self, seconds: float) -> None:
        """Move the time forward, and make the calls that are due."""
        self._now += seconds
        due = [timer for timer in self._timers if timer.due_at <= self._now]
        self._timers = [timer for timer in self._timers if timer.due_at > self._now]
        for timer in due:
            if not timer.is_cancelled:
                timer.call()

    async def deliver(self, peer: "Connection", data: bytes) -> None:
        """Send bytes, and wait until the server has received them."""
        expected = self.received + len(data)
        await peer.send(data)
        await until(lambda: self.received == expected)

    def watched(self, **given: Any) -> Protocol:
        """Make the protocol of a connection that has this time."""
        watch = self

        class Watched(Protocol):
            def connection_made(self, transport: Any) -> None:
                super().connection_made(transport)
                watch.connections += 1

            def data_received(self, data: bytes) -> None:
                super().data_received(data)
                watch.received += len(data)

            def eof_received(self) -> bool:
                watch.ends += 1
                return super().eof_received()

        return Watched(**{**given, "_loop": self})


@asynccontextmanager
async def serving(
    app: HttpApplication, watch: Watch | None = None, *, finish_seconds: int = FINISH_SECONDS
) -> AsyncIterator[Served]:
    """Yield a server that serves `app` on a free port; a watch tells its connections the time."""
    settings = Settings(port=free_port())
    server = make_server(app, settings, finish_seconds=finish_seconds)
    if watch is not None:
        server.config.http_protocol_class = watch.watched  # type: ignore[assignment]
    task = asyncio.create_task(server.serve(open_listeners(settings)))
    served = Served(settings.port, server, task)
    try:
        yield served
    finally:
        await served.stop()


class Connection:
    """A connection that sends bytes and reads answers."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, data: bytes) -> None:
        """Send bytes."""
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self, *, has_body: bool = True) -> Answer:
        """Read the next answer."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        headers = headers_of(head)
        length = int(headers.get("content-length", "0")) if has_body else 0
        return Answer(int(head.split(b" ")[1]), headers, await self.reader.readexactly(length))

    async def ask(self, data: bytes) -> Answer:
        """Send a request and read its answer."""
        await self.send(data)
        return await self.answer()

    async def is_ended(self) -> bool:
        """Return whether the server closes the connection without a further byte."""
        return await self.reader.read() == b""


@asynccontextmanager
async def connection(port: int, trusted: ssl.SSLContext | None = None) -> AsyncIterator[Connection]:
    """Yield a connection to a server."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        reader, writer = await asyncio.open_connection(LOOPBACK, port, ssl=trusted, limit=2**20)
        try:
            yield Connection(reader, writer)
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


def head_of(world: World, method: str, path: str, *headers: str) -> bytes:
    """Return the head of a request as bytes on the wire."""
    lines = [f"{method} /v3{path} HTTP/1.1", "Host: localhost", f"apikey: {world.key}", *headers]
    return "\r\n".join([*lines, "", ""]).encode()


def request_with(world: World, method: str, path: str, body: bytes, *headers: str) -> bytes:
    """Return a request with a body as bytes on the wire."""
    return head_of(world, method, path, f"Content-Length: {len(body)}", *headers) + body


def in_chunks(world: World, method: str, path: str, *pieces: bytes, trailer: str = "") -> bytes:
    """Return a request whose body has no length as bytes on the wire."""
    head = head_of(world, method, path, "Transfer-Encoding: chunked")
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
    return head + chunks + b"0\r\n" + trailer.encode() + b"\r\n"
