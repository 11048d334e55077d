"""The calls of one app leave room for those of others, whatever they wait for."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from tests.elsewhere import Elsewhere
from tests.outbound.test_names import SlowNames, names

from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.calls import Calls
from hubbub.outbound.client import OutboundClient
from hubbub.outbound.errors import NotReached
from hubbub.outbound.names import Resolver

__all__ = ["names"]

OF_APP, OF_ALL, WAITING, LOOKUPS = 5, 8, 20, 3
Call = Callable[[OutboundClient, str], Awaitable[object]]


async def post(client: OutboundClient, url: str) -> object:
    """Make a POST that may go over a kept connection."""
    return await client.post(url, b"{}", {}, seconds=60)


async def post_once(client: OutboundClient, url: str) -> object:
    """Make a POST with a connection of its own."""
    return await client.post_once(url, b"{}", {}, seconds=30, keeps=False)


async def download(client: OutboundClient, url: str) -> object:
    """Read what a GET answers."""
    async with client.download(url, seconds=60) as pieces:
        return [piece async for piece in pieces]


@pytest.fixture
async def client(elsewhere: Elsewhere, names: SlowNames) -> AsyncIterator[OutboundClient]:
    """A client with low limits."""
    allowed = OutboundClient(
        parse_rule("127.0.0.0/8"),
        str(elsewhere.certificate.cert),
        calls=Calls(OF_ALL, most_of_app=OF_APP, most_waiting=WAITING),
        names=Resolver(names.look, most_of_one=LOOKUPS),
    )
    yield allowed
    await allowed.close()


async def call_for(client: OutboundClient, app: str, call: Call, url: str) -> object:
    """Make a call for an app."""
    client.call_for(app)
    return await call(client, url)


@pytest.mark.parametrize("call", [post, post_once, download])
async def test_a_silent_server(elsewhere: Elsewhere, client: OutboundClient, call: Call) -> None:
    """While an app waits for a server, another app is answered, by the same server too."""
    silent = f"https://localhost:{elsewhere.encrypted}/silence"
    url = f"https://localhost:{elsewhere.encrypted}/bytes/1"
    noisy = [
        asyncio.create_task(call_for(client, "noisy", call, silent))
        for _ in range(OF_APP + WAITING)
    ]
    await elsewhere.wait_for(OF_APP)
    async with asyncio.timeout(60):
        await call_for(client, "quiet", call, url)
        with pytest.raises(NotReached, match="Too many calls"):
            await call_for(client, "noisy", call, url)

    assert len(elsewhere.asked) == OF_APP + 1
    elsewhere.leaving.set()
    await asyncio.gather(*noisy)
    assert len(elsewhere.asked) == OF_APP + WAITING + 1


async def test_waiting_counts(elsewhere: Elsewhere, client: OutboundClient) -> None:
    """The time limit of a call includes the wait for its turn."""
    silent = f"https://localhost:{elsewhere.encrypted}/silence"
    noisy = [asyncio.create_task(call_for(client, "noisy", post, silent)) for _ in range(OF_APP)]
    await elsewhere.wait_for(OF_APP)
    client.call_for("noisy")
    with pytest.raises(NotReached, match=r"more than 0\.1 seconds"):
        await client.post(silent, b"{}", {}, seconds=0.1)

    assert len(elsewhere.asked) == OF_APP
    elsewhere.leaving.set()
    await asyncio.gather(*noisy)


async def test_connections_for_other_protocols(
    elsewhere: Elsewhere, client: OutboundClient, names: SlowNames
) -> None:
    """The look-ups for mail servers count as all others of the app."""
    client.call_for("noisy")
    asking = [
        asyncio.create_task(client.connect(f"slow.{number}.example", 25, is_encrypted=True))
        for number in range(OF_APP)
    ]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    client.call_for("quiet")
    async with asyncio.timeout(60):
        sock = await client.connect("localhost", elsewhere.encrypted, is_encrypted=True)
    sock.close()

    assert len([name for name in names.asked if name.startswith("slow")]) == LOOKUPS
    for task in asking:
        task.cancel()
    await asyncio.gather(*asking, return_exceptions=True)
