"""Mail servers are named by customers: whatever one answers is an outcome, and costs little."""

import asyncio
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest
from tests.clock import ManualClock
from tests.providers.notifications import make_mail
from tests.wire import LOOPBACK

from hubbub.outbound.client import OutboundClient
from hubbub.providers.interface import Result, SendOutcome
from hubbub.providers.mail.smtp import Smtp
from hubbub.records.notifications.setups import SmtpSetup

PASSWORD = "s3cret-word"
MEGABYTE = 1024 * 1024
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def serving(talk: Talk) -> AsyncIterator[int]:
    """Run a server that talks; yield its port."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            await talk(reader, writer)
        writer.close()

    server = await asyncio.start_server(handle, LOOPBACK, 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def send_to(talk: Talk, outbound: OutboundClient, username: str | None = None) -> Result:
    """Return the outcome of a mail through a server that talks."""
    async with serving(talk) as port:
        setup = SmtpSetup(
            host=LOOPBACK,
            port=port,
            username=username,
            password=PASSWORD,
            security="none",
            sender_name="Chat",
            sender_email="chat@example.com",
        )
        return await Smtp(outbound, ManualClock(), setup, timeout_seconds=3).send(make_mail())


def answering(*replies: bytes) -> Talk:
    """Return a talk of one reply to each line, beginning before the first."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for reply in replies:
            writer.write(reply)
            await writer.drain()
            if not await reader.readline():
                return

    return talk


@pytest.mark.parametrize(
    "replies",
    [
        [b""],
        [b"\x00\xff\xfe\r\n"],
        [b"HTTP/1.1 400 Bad Request\r\n\r\n"],
        [b"220\r\n", b"250-" + b"x" * 20_000 + b"\r\n"],
        [b"220 x\r\n", b"250 \xff\xfe\x00\r\n", b"250 x\r\n", b"999 y\r\n"],
        [b"220 x\r\n", b"-12 x\r\n"],
        [b"220 x\r\n", b"250 x\r\n", b"250 x\r\n", b"250 x\r\n", b"000 x\r\n"],
        [b"220 x\r\n", b"250 x\r\n", b"354 x\r\n"],
    ],
)
async def test_replies_that_are_none(outbound: OutboundClient, replies: list[bytes]) -> None:
    """Replies that no mail server gives are not taken for success, nor for final."""
    result = await send_to(answering(*replies), outbound)

    assert result.outcome is SendOutcome.LATER
    assert result.reason.isprintable()


@pytest.mark.parametrize("piece", [b"220-x\r\n" * 10_000, b"x" * 70_000, b"\r\n" * 30_000])
async def test_endless_replies(outbound: OutboundClient, piece: bytes) -> None:
    """A reply that never ends is given up, and not kept in memory."""

    async def talk(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(piece)
            await writer.drain()

    tracemalloc.start()
    result = await send_to(talk, outbound)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert result.outcome is SendOutcome.LATER
    assert most < 20 * MEGABYTE


async def test_a_server_that_repeats_the_password(outbound: OutboundClient) -> None:
    """A password is in no reason, also if the server repeats what it was sent."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 x\r\n")
        await reader.readline()
        writer.write(b"250-x\r\n250 AUTH PLAIN\r\n")
        sent = await reader.readline()
        writer.write(b"535 unknown: " + sent.strip() + b" " + PASSWORD.encode() + b"\r\n")
        await reader.readline()

    result = await send_to(talk, outbound, "chat")

    assert result == Result(SendOutcome.REFUSED, "535: The user name or password is wrong.")


async def test_a_server_that_leaves_after_the_mail(outbound: OutboundClient) -> None:
    """A mail that was accepted is sent, whatever happens to the connection then."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for reply in (b"220 x", b"250 x", b"250 x", b"250 x", b"354 x"):
            writer.write(reply + b"\r\n")
            await reader.readline()
        await reader.readuntil(b"\r\n.\r\n")
        writer.write(b"250 x\r\n")
        await writer.drain()
        await reader.readline()
        writer.transport.abort()

    assert (await send_to(talk, outbound)).outcome is SendOutcome.SENT
