"""Clients that flood, stall or break the rules harm themselves only."""

import asyncio
import json
import os
from contextlib import suppress

import psutil
import pytest
from structlog.testing import capture_logs
from tests.api.http.connections import Connection, connection
from tests.conftest import NewSettings
from tests.live import LiveNode
from tests.realtime.chat import PATIENCE_SECONDS, Hall, narrow_socket
from tests.world import World

from hubbub.http.server.serve import BACKLOG
from hubbub.realtime.protocol import own_methods

HANDSHAKE = (
    b"GET /v3/realtime HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
    b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
MASK = b"\0\0\0\0"
PING = b"\x89\x80" + MASK
EMPTY_PART = b"\x00\x80" + MASK
FIRST_PART = b"\x01\x80" + MASK


def text(message: bytes) -> bytes:
    """Return a text message of a client as a frame, with a mask that changes nothing."""
    size = len(message)
    head = b"\x81" + (
        bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + size.to_bytes(2)
    )
    return head + MASK + message


async def shake_hands(peer: Connection) -> None:
    """Open a socket."""
    answer = await peer.ask(HANDSHAKE)
    assert answer.status == 101


async def close_code(peer: Connection) -> int:
    """Read until the server closes the connection, and return its last code; 0: without one."""
    received = b""
    with suppress(ConnectionError):
        while data := await peer.reader.read(65_536):
            received += data
    at = received.rfind(b"\x88")
    return int.from_bytes(received[at + 2 : at + 4]) if at >= 0 else 0


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (PING * 50_000, 4429),
        (FIRST_PART + EMPTY_PART * 50_000, 4400),
        (text(b"{}"), 4400),
        (b"\xff" * 10_000, 1002),
        (os.urandom(5) * 20_000, None),
        (b"\x81\xff" + (2**40).to_bytes(8) + MASK, 1009),
    ],
    ids=["pings", "empty parts", "not a frame", "garbage", "random", "announced 1 TB"],
)
async def test_floods(hall: Hall, world: World, sent: bytes, code: int | None) -> None:
    """Floods of frames and garbage end the connection, and others are served."""
    async with hall.client("anna") as anna, connection(hall.port) as peer:
        await shake_hands(peer)
        peer.writer.write(sent)
        if code is not None:
            assert await close_code(peer) == code
        assert await anna.until_pong() == []


async def test_a_handshake_in_pieces(hall: Hall, world: World) -> None:
    """A handshake may come byte by byte, and the first frame together with its last bytes."""
    connect = json.dumps({"op": "connect", "authToken": await world.token("anna")}).encode()
    async with connection(hall.port) as peer:
        for byte in HANDSHAKE[:-1]:
            await peer.send(bytes([byte]))
        await peer.send(HANDSHAKE[-1:] + text(connect) + text(b'{"op":"ping"}'))
        assert (await peer.answer()).status == 101
        assert b'"op":"connected"' in await peer.reader.readuntil(b'"heartbeat":25}')
        assert b'"op":"pong"' in await peer.reader.readuntil(b"}")


async def test_sockets_keep_little_of_their_handshakes(hall: Hall, world: World) -> None:
    """Forget what a handshake has besides the names of app and user, which are bounded."""
    large = b"X-Large: " + b"x" * 20_000 + b"\r\nAppId: " + world.app_id.encode() + b"\r\n\r\n"
    target = HANDSHAKE.replace(b" HTTP/1.1", b"?of=" + b"x" * 9_000 + b" HTTP/1.1")
    connect = json.dumps({"op": "connect", "authToken": await world.token("anna")}).encode()
    async with connection(hall.port) as peer:
        answer = await peer.ask(target.removesuffix(b"\r\n") + large)
        await peer.send(text(connect))
        assert answer.status == 101
        assert b'"op":"connected"' in await peer.reader.readuntil(b'"heartbeat":25}')
        [session] = hall.gateway.sessions
        kept = [session.request.path, session.request.query, *session.request.headers.values()]
        assert sum(map(len, kept)) < 300

    for name in (b"AuthToken", b"AppId", b"X-Forwarded-Proto"):
        request = HANDSHAKE.removesuffix(b"\r\n") + name + b": " + b"x" * 5_000 + b"\r\n\r\n"
        async with connection(hall.port) as peer:
            assert (await peer.ask(request)).status == 400


@pytest.mark.parametrize(
    ("method", "removed", "added", "status"),
    [
        ("GET", b"Upgrade: websocket\r\n", b"", 400),
        ("GET", b"Connection: Upgrade\r\n", b"", 400),
        ("GET", b"Sec-WebSocket-Version: 13\r\n", b"", 400),
        ("GET", b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", b"", 400),
        ("GET", b"Upgrade: websocket\r\n", b"Upgrade: h2c\r\n", 400),
        ("POST", b"", b"Content-Length: 0\r\n", 405),
        ("HEAD", b"", b"", 405),
    ],
)
async def test_requests_that_are_no_handshake(
    hall: Hall, method: str, removed: bytes, added: bytes, status: int
) -> None:
    """A request that is no handshake is refused as any other."""
    request = HANDSHAKE.replace(b"GET", method.encode(), 1)
    request = request.replace(removed, b"") if removed else request
    request = request.replace(b"\r\n\r\n", b"\r\n" + added + b"\r\n")
    async with connection(hall.port) as peer:
        await peer.send(request)
        assert (await peer.answer(has_body=method != "HEAD")).status == status


async def test_pings_without_reading(hall: Hall) -> None:
    """A client that reads nothing is cut when it closes, or half closes, with bytes unread."""
    async with hall.client("anna") as anna:
        for farewell in (b"\x88\x80" + MASK, b""):
            narrow = narrow_socket(hall.port)
            reader, writer = await asyncio.open_connection(sock=narrow)
            writer.write(HANDSHAKE)
            await reader.readuntil(b"\r\n\r\n")
            writer.write(PING * 150 + farewell)
            writer.write_eof()
            await anna.until_pong()
            assert len(hall.gateway.sessions) == 1
            writer.close()


async def test_calls_that_wait(hall: Hall, world: World) -> None:
    """Calls whose replies are not read wait for their turn, and are bounded by their size."""
    fields = {"receiver": "ben", "receiverType": "user", "category": "message", "type": "text"}
    for _ in range(10):
        await world.post("/messages", {**fields, "data": {"text": "x" * 9_000}}, as_="anna")
    connect = json.dumps({"op": "connect", "authToken": await world.token("anna")}).encode()
    params = b'{"uid":"ben"' + b" " * 50_000 + b"}"
    call = b'{"op":"call","ref":"1","method":"list_messages","params":%b}' % params
    reader, writer = await asyncio.open_connection(sock=narrow_socket(hall.port))
    peer = Connection(reader, writer)
    await shake_hands(peer)
    writer.write(text(connect) + text(call) * 190)

    async with asyncio.timeout(PATIENCE_SECONDS):
        while hall.gateway.sessions:
            await hall.settle()
    assert await close_code(peer) == 4429
    writer.close()


async def test_a_stop_answers_calls(hall: Hall, world: World) -> None:
    """When the server stops, calls that have arrived are answered; then sessions get 1012."""
    fields = {"receiver": "ben", "receiverType": "user", "category": "message", "type": "text"}
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        for number in range(20):
            params = {**fields, "data": {"text": f"{number}"}}
            await anna.say(op="call", ref=f"{number}", method="send_message", params=params)
        while (await anna.hear())["op"] != "reply":
            pass
        for session in list(hall.gateway.sessions):
            session.socket.shutdown()
        frames = []
        while (frame := await anna.next_frame()) is not None:
            frames.append(frame)

        replies = [frame for frame in frames if frame["op"] == "reply"]
        assert len(replies) == len(await world.get("/users/ben/messages?limit=100", as_="anna")) - 1
        assert anna.socket.close_code == 1012
        assert await ben.close_code() == 1012


async def test_memory_under_attack(new_settings: NewSettings) -> None:
    """Clients that flood and never read cost a node little memory, and others no time."""
    assert BACKLOG > 300
    with LiveNode(new_settings()) as node:
        assert node.process is not None
        world = await node.world()
        await world.users("anna", "ben")
        process = psutil.Process(node.process.pid)
        before = process.memory_info().rss
        peers = []
        for number in range(300):
            reader, writer = await asyncio.open_connection(sock=narrow_socket(node.port))
            writer.write(HANDSHAKE[: -2 if number % 3 == 0 else None])  # some never complete it
            if number % 3:
                writer.write((PING if number % 3 == 1 else FIRST_PART + EMPTY_PART * 9) * 30_000)
            peers.append((reader, writer))
        await world.post("/users/anna/friends", {"accepted": ["ben"]})
        after = process.memory_info().rss
        for _, writer in peers:
            writer.transport.abort()

    assert after - before < 64 * 1024 * 1024, f"{(after - before) // 1024} KB"


async def test_a_defect_is_answered(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that fails for a defect is answered and logged, and the session goes on."""

    async def fail(*_: object) -> None:
        raise ZeroDivisionError("secret")

    to_ben = {"receiver": "ben", "receiverType": "user"}
    async with hall.client("anna") as anna:
        with capture_logs() as lines, monkeypatch.context() as patched:
            patched.setattr(own_methods, "reach", fail)
            await anna.say(
                op="call", ref="x", method="send_transient", params={"data": 1, **to_ben}
            )
            # No document promises this answer, so it is read without a look at the contract.
            error = json.loads(await anna.socket.recv())["error"]
        assert (await anna.ask("start_typing", **to_ben))["data"]["success"]

    assert error["code"] == "ERR_EXCEPTION"
    assert "secret" not in error["message"]
    [line] = [line for line in lines if line["event"] == "defect"]
    assert line["operation"] == "send_transient"
