"""The hub of a machine: the same promises as those of NATS, and nodes that behave badly."""

import asyncio
import socket
import stat
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs
from tests.bus.conftest import Received, listen
from tests.soon import SOON_SECONDS, until

from hubbub.bus.frames import LARGEST_FRAME, BadBusFrame, FrameKind, FrameReader, encode_frame
from hubbub.bus.hub import MOST_BYTES, running_hub
from hubbub.bus.reconnecting import ReconnectingBus
from hubbub.bus.unix import open_hub
from hubbub.config import BadSetting


class Nodes:
    """Buses on the socket of a hub, closed at the end of the test."""

    def __init__(self, path: Path, stack: AsyncExitStack) -> None:
        self.path = path
        self._stack = stack

    async def join(self) -> ReconnectingBus:
        bus = open_hub(self.path)
        self._stack.push_async_callback(bus.close)
        await bus.wait_tried(SOON_SECONDS)
        return bus


@pytest.fixture
async def nodes(tmp_path: Path) -> AsyncIterator[Nodes]:
    """A place for a hub, which does not run yet."""
    async with AsyncExitStack() as stack:
        yield Nodes(tmp_path / "bus.sock", stack)


async def test_messages_reach_the_others_in_order(nodes: Nodes) -> None:
    """A subscriber receives what other nodes publish, whole and in order; the sender does not."""
    async with running_hub(nodes.path):
        anna, ben, chiara = [await nodes.join() for _ in range(3)]
        own = await listen(anna, "*")
        received = [await listen(bus, "*") for bus in (ben, chiara)]
        other = await listen(ben, "* of another subject")
        sent = [b"\x00\r\n%d" % number * (number % 300) for number in range(5_000)]
        for message in sent:
            anna.publish("*", message)
        await until(lambda: all(len(each.messages) == len(sent) for each in received))

    assert [each.messages for each in received] == [sent, sent]
    assert own.messages == other.messages == []


async def test_the_largest_message(nodes: Nodes) -> None:
    """The largest message arrives; a larger one is dropped."""
    async with running_hub(nodes.path):
        anna, ben = await nodes.join(), await nodes.join()
        received = await listen(ben, "events")
        anna.publish("events", b"x" * (anna.largest_message + 1))
        anna.publish("events", b"x" * anna.largest_message)
        await until(lambda: received.messages)

    assert [len(message) for message in received.messages] == [anna.largest_message]


async def test_a_closed_subscription(nodes: Nodes) -> None:
    """Once closed, a subscription receives nothing; another one of the same node goes on."""
    async with running_hub(nodes.path):
        anna, ben = await nodes.join(), await nodes.join()
        closed, last = Received(), await listen(ben, "last")
        subscription = await ben.subscribe("events", closed)
        await subscription.close()
        anna.publish("events", b"one")
        anna.publish("last", b"end")
        await until(lambda: last.messages)

    assert closed.messages == []


async def test_a_hub_that_ends_and_comes_back(nodes: Nodes) -> None:
    """Nodes connect again by themselves, are told, and hear each other."""
    async with running_hub(nodes.path):
        anna, ben = await nodes.join(), await nodes.join()
        received, told = await listen(ben, "events"), list[bool]()
        ben.on_reconnect(lambda: told.append(True))
    await until(lambda: not (anna.is_connected or ben.is_connected))
    async with running_hub(nodes.path):
        await until(lambda: anna.is_connected and ben.is_connected)
        anna.publish("events", b"again")
        await until(lambda: received.messages)

    assert (received.messages, told) == ([b"again"], [True])
    assert not nodes.path.exists()


async def test_only_the_owner_may_connect(nodes: Nodes) -> None:
    """The socket has mode 0600, also where a killed process left one; a second hub is refused."""
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(nodes.path))
    async with running_hub(nodes.path):
        assert stat.S_IMODE(nodes.path.stat().st_mode) == 0o600
        with pytest.raises(BadSetting, match="Another hubbub serve --workers"):
            async with running_hub(nodes.path):
                pass

        assert (await nodes.join()).is_connected


async def test_a_path_that_is_too_long(tmp_path: Path) -> None:
    """A socket that can't be made is refused in a sentence."""
    with pytest.raises(BadSetting, match="can't be made"):
        async with running_hub(tmp_path / ("x" * 120)):
            pass


@pytest.fixture
def mute(nodes: Nodes) -> Iterator[socket.socket]:
    """A node that says what a test sends, and reads nothing."""
    with socket.socket(socket.AF_UNIX) as node:
        yield node


async def test_a_node_that_does_not_read(nodes: Nodes, mute: socket.socket) -> None:
    """It is cut off before it costs much memory; the others go on."""
    async with running_hub(nodes.path):
        anna, ben = await nodes.join(), await nodes.join()
        received = await listen(ben, "events")
        mute.connect(str(nodes.path))
        mute.sendall(encode_frame(FrameKind.SUBSCRIBE, "events"))
        message = b"x" * 500_000
        with capture_logs() as lines:
            for _ in range(2 * MOST_BYTES // len(message)):
                received.messages.clear()
                anna.publish("events", message)
                await until(lambda: received.messages)

    assert [line["reason"] for line in lines] == ["it does not read"]


@pytest.mark.parametrize(
    "said",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        (LARGEST_FRAME + 1).to_bytes(4, "big"),
        b"\x00\x00\x00\x00",
        b"\x00\x00\x00\x03\x09\x00\x00",
        b"\x00\x00\x00\x03\x01\x00\x05",
        b"\x00\x00\x00\x04\x01\x00\x01\xff",
    ],
)
async def test_what_is_no_frame(nodes: Nodes, mute: socket.socket, said: bytes) -> None:
    """A connection that sends something else is closed; the others go on."""
    async with running_hub(nodes.path) as hub:
        anna, ben = await nodes.join(), await nodes.join()
        received = await listen(ben, "events")
        mute.connect(str(nodes.path))
        await until(lambda: len(hub.nodes) == 3)
        mute.sendall(said)
        await until(lambda: len(hub.nodes) == 2)
        anna.publish("events", b"one")
        await until(lambda: received.messages)

    assert mute.recv(1) == b""


async def test_a_hub_that_sends_something_else(nodes: Nodes) -> None:
    """A node leaves a server that is no hub, and tries again."""
    asked = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        asked += 1
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await reader.read()
        writer.close()

    server = await asyncio.start_unix_server(serve, nodes.path)
    with capture_logs() as lines:
        await nodes.join()
        await until(lambda: asked > 1)
    server.close()

    assert {line["event"] for line in lines} <= {"bus_lost", "bus_back"}


frames = st.tuples(
    st.sampled_from(FrameKind), st.text(st.characters(codec="utf-8"), max_size=50), st.binary()
)


@given(sent=st.lists(frames), cuts=st.lists(st.integers(1, 50), min_size=1))
def test_frames_arrive_in_any_pieces(
    sent: list[tuple[FrameKind, str, bytes]], cuts: list[int]
) -> None:
    """However a stream is cut, the frames that were sent are read."""
    stream, reader = b"".join(encode_frame(*frame) for frame in sent), FrameReader()
    received, at = list(reader.read(b"")), 0
    for number in range(len(stream)):
        end = at + cuts[number % len(cuts)]
        received += reader.read(stream[at:end])
        at = end

    assert received == sent


@given(noise=st.binary(max_size=300))
def test_noise_is_refused_or_waits(noise: bytes) -> None:
    """Whatever arrives, a reader yields frames, waits, or refuses."""
    reader = FrameReader()
    try:
        read = list(reader.read(noise))
    except BadBusFrame:
        return

    assert b"".join(encode_frame(*frame) for frame in read) == noise[: len(noise) - reader.waiting]
