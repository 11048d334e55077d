"""The TCP proxy of the tests: it delays answers and breaks connections."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import pytest
from tests.soon import until
from tests.storage.slow_wire import HOST, Wire, now

DELAY_SECONDS = 0.05


@dataclass
class EchoServer:
    """A server that sends back what it receives, and records it."""

    port: int = 0
    received: bytearray = field(default_factory=bytearray)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(4_096):
            self.received += piece
            writer.write(piece)
            await writer.drain()
        writer.close()


@pytest.fixture
async def echo() -> AsyncIterator[EchoServer]:
    """A running echo server."""
    echo = EchoServer()
    async with await asyncio.start_server(echo.answer, HOST, 0) as listener:
        echo.port = listener.sockets[0].getsockname()[1]
        yield echo


@dataclass
class Client:
    """A client of an echo server, connected through a wire."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def ask(self, question: bytes) -> bytes:
        self.writer.write(question)
        return await self.reader.read(4_096)


@asynccontextmanager
async def client_of(wire: Wire) -> AsyncIterator[Client]:
    """Yield a connected client for the length of a block."""
    reader, writer = await asyncio.open_connection(HOST, wire.port)
    try:
        yield Client(reader, writer)
    finally:
        writer.transport.abort()


async def test_carries_everything(echo: EchoServer) -> None:
    """Megabytes arrive complete and in order, followed by the end of the stream."""
    sent = bytes(range(256)) * 8_192
    async with Wire(echo.port, delay_seconds=DELAY_SECONDS) as wire, client_of(wire) as anna:
        anna.writer.write(sent)
        anna.writer.write_eof()
        answer = await anna.reader.read(-1)

    assert sent == answer


async def test_each_round_trip_costs_the_delay(echo: EchoServer) -> None:
    """Three sequential requests take three delays."""
    async with Wire(echo.port, delay_seconds=DELAY_SECONDS) as wire, client_of(wire) as anna:
        began_at = now()
        for question in (b"one", b"two", b"three"):
            assert question == await anna.ask(question)
        taken = now() - began_at

    assert taken >= 3 * DELAY_SECONDS


async def test_answers_under_way_share_the_delay(echo: EchoServer) -> None:
    """All answers in quick succession arrive one delay later, not one delay each."""
    count = 300
    async with Wire(echo.port, delay_seconds=DELAY_SECONDS) as wire, client_of(wire) as anna:
        began_at = now()
        for number in range(count):
            anna.writer.write(b"x")
            while len(echo.received) <= number:  # noqa: ASYNC110  # each is a piece of its own
                await asyncio.sleep(0)
        await anna.reader.readexactly(count)
        taken = now() - began_at

    assert DELAY_SECONDS <= taken < count * DELAY_SECONDS


async def test_delay_may_change(echo: EchoServer) -> None:
    """A changed delay applies to open connections."""
    async with Wire(echo.port) as wire, client_of(wire) as anna:
        await anna.ask(b"quick")
        wire.delay_seconds = DELAY_SECONDS
        began_at = now()
        await anna.ask(b"slow")
        taken = now() - began_at

    assert taken >= DELAY_SECONDS


@pytest.mark.parametrize(("forward", "received"), [(True, b"BEGIN COMMIT"), (False, b"BEGIN ")])
async def test_breaks_before_the_answer(
    echo: EchoServer, *, forward: bool, received: bytes
) -> None:
    """The client loses the connection without an answer, whether or not the server acted."""
    async with Wire(echo.port) as wire, client_of(wire) as anna:
        wire.break_when(b"COMMIT", forward=forward)
        await anna.ask(b"BEGIN ")
        answer = await anna.ask(b"COMMIT")

    assert answer == b""
    assert received == bytes(echo.received)


async def test_break_holds_back_answers_under_way(echo: EchoServer) -> None:
    """A delayed answer is lost with the connection."""
    async with Wire(echo.port, delay_seconds=DELAY_SECONDS) as wire, client_of(wire) as anna:
        wire.break_when(b"COMMIT", forward=True)
        anna.writer.write(b"BEGIN ")
        await until(lambda: echo.received == b"BEGIN ")

        assert await anna.ask(b"COMMIT") == b""


async def test_breaks_once(echo: EchoServer) -> None:
    """Only the connection that sends the needle breaks; a retry goes through."""
    async with Wire(echo.port) as wire, client_of(wire) as anna, client_of(wire) as ben:
        wire.break_when(b"COMMIT", forward=False)
        await anna.ask(b"COMMIT")

        assert await ben.ask(b"COMMIT") == b"COMMIT"
        assert wire.breaks == 1


async def test_server_that_is_down(unused_tcp_port: int) -> None:
    """Without a server the connection ends at once."""
    async with Wire(unused_tcp_port) as wire, client_of(wire) as anna:
        assert await anna.reader.read() == b""


async def test_end_of_the_wire_ends_its_connections(echo: EchoServer) -> None:
    """Closing the wire ends its connections."""
    async with Wire(echo.port, delay_seconds=60) as wire:
        reader, writer = await asyncio.open_connection(HOST, wire.port)
        writer.write(b"a question without an answer")
    with suppress(ConnectionError):
        assert await reader.read() == b""
    writer.close()
