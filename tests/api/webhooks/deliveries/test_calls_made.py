"""The calls of deliveries: each is an attempt, and no attempt says more than it may."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.api.webhooks.deliveries.conftest import Teller
from tests.api.webhooks.deliveries.test_delivering import attach, say
from tests.receiver import Receiver
from tests.wire import LOOPBACK
from tests.world import World

from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.client import OutboundClient


class Moody:
    """A receiver that keeps connections, answers their first calls, and breaks off the next."""

    def __init__(self, *, reads: bool, resets: bool) -> None:
        self.reads, self.resets = reads, resets
        self.calls: list[int] = []
        """For each call, the number of its connection."""
        self.connections = 0
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one call, and end the connection with, or after, the next."""
        self.connections += 1
        number = self.connections
        try:
            await self._read(reader, number)
            writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
            if self.reads:
                await self._read(reader, number)
            if self.resets:
                writer.transport.abort()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the caller has closed it
        finally:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader, number: int) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.split(b"\r\n") if line.startswith(b"Content-Length"))
        await reader.readexactly(int(length.partition(b":")[2]))
        self.calls.append(number)


@asynccontextmanager
async def running(moody: Moody) -> AsyncIterator[Moody]:
    """Run a receiver."""
    async with await asyncio.start_server(moody.serve, LOOPBACK, 0) as server:
        moody.url = f"http://{LOOPBACK}:{server.sockets[0].getsockname()[1]}/"
        yield moody


async def listed(world: World) -> list[list[dict[str, Any]]]:
    """Return the attempts of the deliveries, oldest first."""
    deliveries = await world.get("/webhooks/hook/deliveries")
    return [each["attempts"] for each in reversed(deliveries)]


@pytest.mark.parametrize("resets", [True, False])
@pytest.mark.parametrize("reads", [True, False])
async def test_one_call_each_without_retries(
    town: World, teller: Teller, *, reads: bool, resets: bool
) -> None:
    """Each delivery is called once, and none fails for a connection of the one before."""
    async with running(Moody(reads=reads, resets=resets)) as moody:
        await attach(town, moody.url)
        for text in ("one", "two", "three"):
            await say(town, text)
        await teller.tell()

    assert moody.calls == [1, 2, 3]
    assert [[each.get("status") for each in attempts] for attempts in await listed(town)] == [
        [204]
    ] * 3


async def test_a_repeated_call_is_an_attempt(town: World, teller: Teller) -> None:
    """A call that is made again because its kept connection broke is in the list, both times."""
    async with running(Moody(reads=True, resets=False)) as moody:
        await attach(town, moody.url, retryOnFailure=True)
        for text in ("one", "two"):
            await say(town, text)
        await teller.tell()

    assert moody.calls == [1, 1, 2]
    attempts = await listed(town)
    assert [[each.get("status") for each in made] for made in attempts] == [[204], [None, 204]]
    assert attempts[1][0]["error"].startswith("The connection failed")


async def test_a_date_to_retry_after(town: World, teller: Teller, receiver: Receiver) -> None:
    """A receiver may say by a date when it wants to be called again."""
    at = datetime.fromtimestamp(teller.clock.now() + 100, UTC)
    receiver.reply = lambda _: 503
    receiver.headers = {"Retry-After": format_datetime(at, usegmt=True)}
    await attach(town, receiver.url(), retryOnFailure=True)
    await say(town, "Hello")

    await teller.tell()
    await teller.tell(after=99)
    assert len(receiver.received) == 1
    await teller.tell(after=1)

    assert len(receiver.received) == 2


async def test_no_private_address_in_an_error(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """An internal name that may not be called, and one where nobody answers, look the same."""
    async with await asyncio.start_server(lambda *_: None, LOOPBACK, 0) as server:
        silent = server.sockets[0].getsockname()[1]
    await attach(town, f"https://localhost:{silent}/")
    await say(town, "nobody")
    await teller.tell()
    guarded = OutboundClient(parse_rule(""))
    teller.runtime = replace(teller.runtime, outbound=guarded)
    await say(town, "forbidden")
    await teller.tell()
    await guarded.close()

    errors = [attempts[0]["error"] for attempts in await listed(town)]
    assert len(errors) == 2
    assert len(set(errors)) == 1
    assert "127.0.0.1" not in errors[0]


async def test_a_failing_receiver_is_logged_once(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """The log has a line at the first failure and one at the next success, not one a try."""
    with capture_logs() as logged:
        receiver.reply = lambda _: 500
        await attach(town, receiver.url(), retryOnFailure=True)
        await say(town, "Hello")
        for pause in (0, 10):
            await teller.tell(after=pause)
        receiver.reply = lambda _: 204
        await teller.tell(after=60)

    mine = [each for each in logged if each.get("app") == town.app_id]
    assert [each["event"] for each in mine] == ["webhook_failing", "webhook_works_again"]
    assert mine[0]["reason"] == "It answered with the status 500."
