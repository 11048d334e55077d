"""Calls over HTTP/2 on real connections: their limits, and how they fail."""

import asyncio
import ssl

import pytest
import uvloop
from h2.settings import SettingCodes
from tests.certificate import Certificate
from tests.gateways.faults import SILENCE
from tests.gateways.http2 import LEAVING
from tests.outbound.http2.echo import Echo, paths_of, post, reason_of

from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.client import OutboundClient
from hubbub.outbound.dial import Dialer
from hubbub.outbound.errors import NotReached
from hubbub.outbound.http2.calls import Post
from hubbub.outbound.http2.client import Http2Client
from hubbub.outbound.http2.pool import MOST_CONNECTIONS
from hubbub.outbound.names import Resolver


async def test_answers_are_in_the_order_of_the_requests(client: OutboundClient, echo: Echo) -> None:
    """Several batches at once get their own answers, each in order."""
    batches = await asyncio.gather(*(post(client, echo.url, count) for count in (300, 1, 0, 70)))

    assert [paths_of(each) for each in batches] == [
        [str(at) for at in range(count)] for count in (300, 1, 0, 70)
    ]


async def test_connections_are_kept(client: OutboundClient, echo: Echo) -> None:
    """Calls in a row use one connection."""
    for _ in range(3):
        await post(client, echo.url, 5)

    assert len(echo.connections) == 1


async def test_limits_of_the_server_are_obeyed(client: OutboundClient, echo: Echo) -> None:
    """No connection has more calls than the server allows; more connections are few."""
    echo.settings[SettingCodes.MAX_CONCURRENT_STREAMS] = 3
    echo.settings[SettingCodes.INITIAL_WINDOW_SIZE] = 1000
    body = b"x" * 3500
    outcomes = await post(client, echo.url, 200, body=body)

    assert paths_of(outcomes) == [str(at) for at in range(200)]
    assert [each for _, each in echo.received] == [body] * 200
    assert echo.most_streams <= 3
    assert 1 < len(echo.connections) <= MOST_CONNECTIONS
    assert not echo.refused


async def test_owners_share_no_connection(client: OutboundClient, echo: Echo) -> None:
    """Calls of different owners go over connections of their own."""
    for owner in ("a", "b", "a"):
        await client.post_all(echo.url, [Post(b"/", (), b"")], (), owner=owner, seconds=60)

    assert len(echo.connections) == 2


async def test_only_the_silent_calls_take_too_long(client: OutboundClient, echo: Echo) -> None:
    """A call that is not answered in time fails; others on the connection are answered."""
    echo.faults.answer_next("", SILENCE)
    others = asyncio.create_task(_post_until_done(client, echo.url, silent := asyncio.Event()))
    outcomes = await post(client, echo.url, 3, seconds=3)
    silent.set()
    await others

    assert paths_of(outcomes) == ["0", "2"]
    assert reason_of(outcomes[1]) == "It took more than 3 seconds."
    assert len(echo.connections) == 1


async def _post_until_done(client: OutboundClient, url: str, done: asyncio.Event) -> None:
    """Make calls, so that the connection is never silent."""
    while not done.is_set():
        await post(client, url, seconds=3)


async def test_a_silent_connection_is_given_up(client: OutboundClient, echo: Echo) -> None:
    """If nothing arrives at all, the connection is closed, and the next call opens another."""
    echo.faults.answer_always(SILENCE)
    outcomes = await post(client, echo.url, 3, seconds=1)
    assert {reason_of(each) for each in outcomes} == {"It took more than 1 seconds."}
    echo.faults.answer_always("")

    assert paths_of(await post(client, echo.url)) == ["0"]
    assert len(echo.connections) == 2


async def test_waiting_calls_fail_with_a_silent_server(client: OutboundClient, echo: Echo) -> None:
    """Calls for which there is no room for too long fail, too."""
    echo.settings[SettingCodes.MAX_CONCURRENT_STREAMS] = 0
    (outcome,) = await post(client, echo.url, seconds=0.2)

    assert reason_of(outcome) == "It took more than 0.2 seconds."


async def test_broken_connections(client: OutboundClient, echo: Echo) -> None:
    """Calls under way fail, as they may have been made; the next ones open a new connection."""
    echo.faults.answer_always(SILENCE)
    pending = asyncio.create_task(post(client, echo.url, 5))
    await echo.wait_for(5)
    echo.disconnect()
    outcomes = await pending
    assert all(reason_of(each).startswith("The connection was closed") for each in outcomes)
    echo.faults.answer_always("")

    assert paths_of(await post(client, echo.url)) == ["0"]


async def test_a_server_that_leaves_again_and_again(client: OutboundClient, echo: Echo) -> None:
    """Calls move to new connections when a server leaves; none is made twice."""
    echo.faults.answer_always(LEAVING)
    echo.settings[SettingCodes.MAX_CONCURRENT_STREAMS] = 1
    outcomes = await post(client, echo.url, 10)

    assert paths_of(outcomes) == [str(at) for at in range(10)]
    assert len(echo.received) == 10
    assert len(echo.connections) >= 10


async def test_who_gives_up_leaves_no_calls(client: OutboundClient, echo: Echo) -> None:
    """Calls that wait are not made when nobody waits for them any more."""
    echo.settings[SettingCodes.MAX_CONCURRENT_STREAMS] = 1
    echo.faults.answer_always(SILENCE)
    pending = asyncio.create_task(post(client, echo.url, 50))
    await echo.wait_for(1)
    pending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await pending
    calls = echo.calls
    echo.faults.answer_always("")
    echo.disconnect()

    assert paths_of(await post(client, echo.url)) == ["0"]
    assert echo.calls == calls + 1


async def test_closing_ends_all_calls(client: OutboundClient, echo: Echo) -> None:
    """When the node ends, calls fail at once, those that wait as well."""
    echo.settings[SettingCodes.MAX_CONCURRENT_STREAMS] = 1
    echo.faults.answer_always(SILENCE)
    pending = asyncio.create_task(post(client, echo.url, 20))
    await echo.wait_for(1)
    await client.close()
    outcomes = await pending

    assert {reason_of(each) for each in outcomes} == {"The node is ending."}
    with pytest.raises(NotReached, match="The node is ending"):
        await post(client, echo.url)


async def test_idle_connections_are_closed(certificate: Certificate, echo: Echo) -> None:
    """A connection that nobody uses is closed; the next call opens another."""
    tls = ssl.create_default_context(cafile=certificate.cert)
    dialer = Dialer(parse_rule("127.0.0.0/8"), Resolver())
    client = Http2Client(dialer, tls, idle_seconds=0.0)
    await post(client, echo.url)
    echo.changed.clear()
    await echo.changed.wait()

    assert echo.connections[0].transport.is_closing()
    assert paths_of(await post(client, echo.url)) == ["0"]
    await client.close()


def test_the_event_loop_of_a_node(certificate: Certificate) -> None:
    """All this works on the event loop that nodes run on, with resets in between."""

    async def run() -> int:
        server = Echo()
        await server.start(certificate)
        own = OutboundClient(parse_rule("127.0.0.0/8"), str(certificate.cert))
        server.faults.answer_next(*[""] * 150, LEAVING)
        answered = len(paths_of(await post(own, server.url, 300)))
        server.disconnect()
        answered += len(paths_of(await post(own, server.url, 10)))
        await own.close()
        await server.stop()
        return answered

    assert uvloop.run(run()) >= 300
