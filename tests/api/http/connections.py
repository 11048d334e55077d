"""Raw connections to a server, which runs in this process or in one of its own."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from tests.postgres import free_port
from tests.wire import LOOPBACK, Answer, headers_of
from tests.world import World

from hubbub.config import Settings
from hubbub.http.app import HttpApplication
from hubbub.http.server.serve import Server, make_server, open_listeners

PATIENCE_SECONDS = 20


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


@asynccontextmanager
async def serving(app: HttpApplication) -> AsyncIterator[Served]:
    """Yield a server that serves `app` on a free port."""
    settings = Settings(port=free_port())
    server = make_server(app, settings)
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
