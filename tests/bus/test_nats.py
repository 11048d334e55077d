"""The bus over a real NATS server: what arrives, and what happens when the server goes."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tests.bus.conftest import Join, Received, hear, listen
from tests.certificate import make_certificate
from tests.nats_server import NatsServer, make_cluster
from tests.postgres import HOST, free_port
from tests.soon import SOON_SECONDS, until

from hubbub.bus.addresses import parse_servers
from hubbub.bus.interface import Bus
from hubbub.bus.nats import open_nats
from hubbub.bus.outgoing import MOST_BYTES

PASSWORD = "s3cret/with:odd@signs"
WRITTEN = "s3cret%2Fwith%3Aodd%40signs"


@pytest.fixture
def server() -> Iterator[NatsServer]:
    """A server that the test may kill."""
    with NatsServer() as server:
        yield server


async def test_messages_reach_the_others_in_order(nats_server: NatsServer, join: Join) -> None:
    """A subscriber receives what another node publishes, whole and in order."""
    anna, ben = await join(nats_server.url), await join(nats_server.url)
    received = await listen(ben, "events.hikers")
    sent = [b"%d\r\n\x00" % number + b"x" * number for number in range(3_000)]
    for message in sent:
        anna.publish("events.hikers", message)
    await until(lambda: len(received.messages) >= len(sent))

    assert received.messages == sent


async def test_a_node_does_not_hear_itself(nats_server: NatsServer, join: Join) -> None:
    """A node's own subscribers receive nothing of what it publishes."""
    anna, ben = await join(nats_server.url), await join(nats_server.url)
    own, other = await listen(anna, "events"), await listen(ben, "events")
    anna.publish("events", b"mine")
    ben.publish("events", b"answer")
    await until(lambda: own.messages and other.messages)

    assert own.messages == [b"answer"]
    assert other.messages == [b"mine"]


@pytest.mark.parametrize("subject", ["*", ">", "a.b", "a b", "a\r\nPUB b 0", "é", "%2A", ".", "-"])
async def test_a_subject_is_any_text(nats_server: NatsServer, join: Join, subject: str) -> None:
    """Wildcards, separators and line ends are letters like others, and match themselves only."""
    anna, ben = await join(nats_server.url), await join(nats_server.url)
    received, others = await listen(ben, subject), Received()
    for other in ("a", "a.b.c", "*.b", "%", "a%20b"):
        await ben.subscribe(other, others)
    anna.publish("a", b"of another subject")
    anna.publish(subject, b"for you")
    await until(lambda: received.messages and others.messages)

    assert received.messages == [b"for you"]
    assert others.messages == [b"of another subject"]


async def test_installations_do_not_hear_each_other(nats_server: NatsServer, join: Join) -> None:
    """On one server, a bus with another prefix neither receives nor disturbs."""
    anna, ben = await join(nats_server.url), await join(nats_server.url)
    foreign = open_nats(parse_servers(nats_server.url), "hubbub.other")
    await foreign.wait_tried(SOON_SECONDS)
    of_ben, of_foreign = await listen(ben, "events"), await listen(foreign, "events")
    foreign.publish("events", b"foreign")
    anna.publish("events", b"ours")
    await until(lambda: of_ben.messages)
    await foreign.close()

    assert of_ben.messages == [b"ours"]
    assert of_foreign.messages == []


async def test_a_closed_subscription_receives_nothing(nats_server: NatsServer, join: Join) -> None:
    """The second subscription of a subject goes on when the first one is closed."""
    anna, ben = await join(nats_server.url), await join(nats_server.url)
    first, second = Received(), Received()
    closing = await ben.subscribe("events", first)
    await ben.subscribe("events", second)
    await closing.close()
    await closing.close()
    anna.publish("events", b"one")
    await until(lambda: second.messages)

    assert (first.messages, second.messages) == ([], [b"one"])


async def test_a_subscription_can_be_made_again(nats_server: NatsServer, join: Join) -> None:
    """Closed and subscribed anew, a subject arrives once."""
    anna, ben = await join(nats_server.url), await join(nats_server.url)
    first, second, last = Received(), Received(), await listen(ben, "last")
    subscription = await ben.subscribe("events", first)
    await asyncio.gather(subscription.close(), ben.subscribe("events", second))
    anna.publish("events", b"one")
    anna.publish("last", b"end")
    await until(lambda: last.messages)

    assert (first.messages, second.messages) == ([], [b"one"])


async def test_a_defect_of_a_subscriber(nats_server: NatsServer, join: Join) -> None:
    """A subscriber that raises is logged, and hinders neither the others nor the bus."""
    anna, ben = await join(nats_server.url), await join(nats_server.url)

    def fail(message: bytes) -> None:
        raise ZeroDivisionError

    await ben.subscribe("events", fail)
    received = await listen(ben, "events")
    with capture_logs() as lines:
        anna.publish("events", b"one")
        anna.publish("events", b"two")
        await until(lambda: len(received.messages) == 2)

    assert [line["event"] for line in lines] == ["bus_defect", "bus_defect"]
    assert ben.is_connected


async def test_a_message_over_the_limit_is_dropped(join: Join) -> None:
    """The limit is the server's; a larger message is dropped, and the next one arrives."""
    with NatsServer("max_payload: 2000") as server:
        anna, ben = await join(server.url), await join(server.url)
        received = await listen(ben, "events")
        assert anna.largest_message == 2000
        anna.publish("events", b"x" * 2001)
        anna.publish("events", b"x" * 2000)
        await until(lambda: received.messages)
        await asyncio.gather(anna.close(), ben.close())

    assert received.messages == [b"x" * 2000]


async def test_a_server_that_dies_and_comes_back(server: NatsServer, join: Join) -> None:
    """Subscriptions live again, subscribers are told, and the log has one line for each."""
    anna, ben = await join(server.url), await join(server.url)
    received, told = await listen(ben, "events"), list[bool]()
    ben.on_reconnect(lambda: told.append(ben.is_connected))
    with capture_logs() as lines:
        server.kill()
        await until(lambda: not (anna.is_connected or ben.is_connected))
        anna.publish("events", b"lost")
        later = await listen(ben, "later")
        server.start()
        await until(lambda: anna.is_connected and ben.is_connected)
    anna.publish("events", b"again")
    anna.publish("later", b"again")
    await until(lambda: received.messages and later.messages)

    assert (received.messages, later.messages) == ([b"again"], [b"again"])
    assert told == [True]
    events = sorted(line["event"] for line in lines)
    assert events == ["bus_back", "bus_back", "bus_lost", "bus_lost"]


async def test_a_server_that_hangs(server: NatsServer, join: Join) -> None:
    """A server that answers nothing any more counts as lost; publishing neither waits nor piles up.

    This takes the six seconds in which pings stay unanswered.
    """
    bus = await join(server.url)
    assert server.process is not None
    os.kill(server.process.pid, signal.SIGSTOP)
    with capture_logs() as lines:
        for _ in range(2 * MOST_BYTES // 500_000):
            bus.publish("events", b"x" * 500_000)
        await until(lambda: not bus.is_connected)
    os.kill(server.process.pid, signal.SIGCONT)
    await until(lambda: bus.is_connected)

    assert [line["event"] for line in lines] == ["bus_overflowed", "bus_lost"]


async def test_a_cluster_without_one_of_its_servers(join: Join) -> None:
    """When one of three servers dies, its nodes go to the others, and hear each other again."""
    with ExitStack() as stack:
        cluster = [stack.enter_context(server) for server in make_cluster(3)]
        url = ",".join(server.url for server in cluster)
        anna, ben = await join(cluster[0].url), await join(url)
        received = await listen(ben, "events")
        await hear(anna, "events", received)
        for server in cluster[1:]:
            server.kill()
            received.messages.clear()
            await hear(anna, "events", received)
            server.start()
        await asyncio.gather(anna.close(), ben.close())


async def test_a_start_without_a_server(join: Join) -> None:
    """A bus starts without its server at once, and connects when there is one."""
    server = NatsServer(port=free_port())
    with capture_logs() as lines:
        anna, ben = await join(server.url), await join(server.url)
    received = await listen(ben, "events")
    anna.publish("events", b"lost")
    assert not anna.is_connected
    with server:
        await until(lambda: anna.is_connected and ben.is_connected)
        anna.publish("events", b"one")
        await until(lambda: received.messages)
        await asyncio.gather(anna.close(), ben.close())

    assert received.messages == [b"one"]
    assert [line["event"] for line in lines] == ["bus_lost", "bus_lost"]
    assert f"{HOST}:{server.port}" in lines[0]["reason"]


async def test_what_waits_is_sent_before_the_end(nats_server: NatsServer, join: Join) -> None:
    """A node that ends still sends what it has published."""
    anna, ben = await join(nats_server.url), await join(nats_server.url)
    received = await listen(ben, "events")
    for _ in range(500):
        anna.publish("events", b"x" * 10_000)
    await anna.close()
    await until(lambda: len(received.messages) == 500)

    assert not anna.is_connected


@pytest.mark.parametrize(
    ("settings", "log_in"),
    [
        (f'authorization {{ user: hubbub, password: "{PASSWORD}" }}', f"hubbub:{WRITTEN}"),
        (f'authorization {{ token: "{PASSWORD}" }}', WRITTEN),
    ],
)
async def test_a_log_in_is_needed(settings: str, log_in: str, join: Join) -> None:
    """User and password, or a token, are part of the URL, and never of the log."""
    with NatsServer(settings) as server:
        right = await join(server.url.replace("//", f"//{log_in}@"))
        with capture_logs() as lines:
            wrong = await join(server.url.replace("//", f"//{log_in}x@"))
        assert right.is_connected
        assert not wrong.is_connected
        await asyncio.gather(right.close(), wrong.close())

    [line] = lines
    # The server closes at once, so its reason may be lost with the connection.
    assert "Authorization" in line["reason"] or "reset" in line["reason"]
    assert "s3cret" not in str(lines)


async def test_subjects_that_are_not_permitted(join: Join) -> None:
    """The log says once that the server permits the user no subscriptions."""
    rules = 'permissions: { publish: "hubbub.>", subscribe: "_INBOX.>" }'
    users = f'authorization {{ users: [{{ user: hubbub, password: "p", {rules} }}] }}'
    with NatsServer(users) as server, capture_logs() as lines:
        bus = await join(server.url.replace("//", "//hubbub:p@"))
        await listen(bus, "one")
        await listen(bus, "two")
        await until(lambda: lines)
        assert bus.is_connected
        await bus.close()

    assert [line["event"] for line in lines] == ["bus_refused"]


async def joined_by_tls(server: NatsServer, cert: Path) -> Bus:
    """Return a bus that asks the server for TLS."""
    url = server.url.replace("nats://", "tls://hubbub:p@")
    bus = open_nats(parse_servers(url), "hubbub.test", str(cert))
    await bus.wait_tried(SOON_SECONDS)
    return bus


async def test_a_server_with_tls(tmp_path: Path) -> None:
    """With TLS two nodes hear each other; the server's authority must be known."""
    made = make_certificate(tmp_path)
    tls = f'tls {{ cert_file: "{made.cert}", key_file: "{made.key}" }}'
    log_in = "authorization { user: hubbub, password: p }"
    with NatsServer(tls, log_in) as server, capture_logs() as lines:
        anna, ben = await joined_by_tls(server, made.cert), await joined_by_tls(server, made.cert)
        doubter = open_nats(parse_servers(server.url), "hubbub.test")
        await doubter.wait_tried(SOON_SECONDS)
        received = await listen(ben, "events")
        anna.publish("events", b"one")
        await until(lambda: received.messages)
        await asyncio.gather(anna.close(), ben.close(), doubter.close())

    assert received.messages == [b"one"]
    assert [line["event"] for line in lines] == ["bus_lost"]
    assert "CERTIFICATE_VERIFY_FAILED" in lines[0]["reason"]


async def test_tls_is_never_left_out(tmp_path: Path) -> None:
    """A server without TLS, or somebody between, is not given the password of a tls:// address."""
    made = make_certificate(tmp_path)
    heard: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b'INFO {"auth_required": true, "max_payload": 1000}\r\n')
        heard.append(await reader.read())
        writer.close()

    plain = await asyncio.start_server(serve, HOST)
    port = plain.sockets[0].getsockname()[1]
    with capture_logs() as lines:
        bus = open_nats(parse_servers(f"tls://hubbub:s3cret@{HOST}:{port}"), "t", str(made.cert))
        await until(lambda: heard and lines)
        await bus.close()
    plain.close()

    assert set(heard) == {b""}
    assert "does not ask for TLS" in lines[0]["reason"]
