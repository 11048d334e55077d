"""Behaviour on real sockets: endless headers, garbage, incomplete bodies, TLS, a clean stop."""

import asyncio
import json
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import suppress

import httpx2
import psutil
import pytest
from tests.api.http.connections import connection, head_of
from tests.certificate import Certificate, make_certificate
from tests.conftest import NewSettings
from tests.engines import one_engine
from tests.live import LiveNode


@one_engine
async def test_a_header_of_1_mb_is_refused(live: LiveNode) -> None:
    """A huge header is answered 431, and the connection is closed."""
    world = await live.world()
    request = head_of(world, "GET", "/users", f"X-Huge: {'x' * 1_000_000}")
    async with connection(live.port) as peer:
        peer.writer.write(request)
        answer = await peer.reader.read()

    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 431 ")
    assert b"x-request-id:" in head.lower()
    assert json.loads(body)["error"]["code"] == "ERR_BAD_REQUEST"


@one_engine
@pytest.mark.parametrize("piece", [b"X-More: xxxxxxxxxxxxxxxxxxxxxxxx\r\n", b"x"])
async def test_headers_without_end_fill_no_memory(live: LiveNode, piece: bytes) -> None:
    """Endless headers are cut off long before they fill the memory."""
    assert live.process is not None
    process = psutil.Process(live.process.pid)
    before = process.memory_info().rss
    sent = 0
    async with connection(live.port) as peer:
        peer.writer.write(b"GET /v3/users HTTP/1.1\r\n" + (b"X-Long: " if piece == b"x" else b""))
        with suppress(ConnectionError):
            for _ in range(1_000):
                peer.writer.write(piece * (64 * 1024 // len(piece)))
                await peer.writer.drain()
                sent += 64 * 1024

    assert sent < 32 * 1024 * 1024
    assert process.memory_info().rss - before < 32 * 1024 * 1024


@pytest.mark.parametrize(
    "request_line",
    [
        b"GARBAGE\r\n\r\n",
        b"GET /v3/users HTTP/9.9\r\n\r\n",
        b"GET  /v3/users HTTP/1.1\r\n\r\n",
        b"GET /v3/\xff HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /v3/users HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n",
        b"GET /v3/users HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n",
        b"POST /v3/users HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
        b"POST /v3/users HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /v3/users HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST /v3/users HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST /v3/users HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"CONNECT example.com:443 HTTP/1.1\r\n\r\n",
        b"GET http:// HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
@one_engine
async def test_garbage_is_a_bad_request(live: LiveNode, request_line: bytes) -> None:
    """Garbage is answered with an error in JSON, and the node goes on."""
    async with connection(live.port) as peer:
        peer.writer.write(request_line)
        peer.writer.write_eof()
        answer = await peer.reader.read()

    head, _, body = answer.partition(b"\r\n\r\n")
    status = int(head.split(b" ")[1])
    assert 400 <= status < 500
    assert b"x-request-id:" in head.lower()
    assert json.loads(body)["error"]["code"]
    assert await (await live.world()).get("/users") == []


# Incomplete requests


@pytest.mark.parametrize(
    ("header", "sent"),
    [
        ("Content-Length: 200", b""),
        ("Content-Length: 200", b'{"uid":"anna",'),
        ("Content-Length: 200", b'{"uid":"anna","name":"Anna"}'),
        ("Transfer-Encoding: chunked", b""),
        ("Transfer-Encoding: chunked", b"f\r\n"),
        ("Transfer-Encoding: chunked", b'e\r\n{"uid":"anna",\r\n'),
    ],
)
async def test_a_body_that_is_cut_off_stores_nothing(
    live: LiveNode, header: str, sent: bytes
) -> None:
    """When the connection ends in the middle of a body, nothing is done."""
    world = await live.world()
    async with connection(live.port) as peer:
        peer.writer.write(head_of(world, "POST", "/users", header) + sent)
        await peer.writer.drain()

    assert await world.uids("/users") == []


async def test_a_cut_off_body_deletes_nobody(live: LiveNode) -> None:
    """Only a body that was sent empty counts as empty, not one that is missing."""
    world = await live.world()
    await world.user("anna")
    for header in ("Content-Length: 18", "Transfer-Encoding: chunked"):
        async with connection(live.port) as peer:
            peer.writer.write(head_of(world, "DELETE", "/users/anna", header))
            await peer.writer.drain()

    assert await world.uids("/users") == ["anna"]


async def test_a_body_in_chunks_is_read(live: LiveNode) -> None:
    """A body without a length is read to its end, and refused over 1 MiB."""
    world = await live.world()

    async def pieces(count: int) -> AsyncIterator[bytes]:
        yield b'{"uid":"anna","name":"An'
        for _ in range(count):
            yield b"n" * 1024
        yield b'a"}'

    async with httpx2.AsyncClient(
        base_url=live.address, headers={"apikey": world.key}, trust_env=False
    ) as client:
        refused = await client.post("/v3/users", content=pieces(1024))
        made = await client.post("/v3/users", content=pieces(0))

    assert (refused.status_code, made.status_code) == (413, 200)
    assert await world.uids("/users") == ["anna"]


# TLS


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """A self-signed certificate."""
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@one_engine
async def test_tls_is_ended_here(new_settings: NewSettings, certificate: Certificate) -> None:
    """With a certificate and its key the node accepts TLS, and nothing else."""
    options = ("--tls-cert", str(certificate.cert), "--tls-key", str(certificate.key))
    with LiveNode(new_settings(), *options) as live:
        world = await live.world()
        await world.user("anna")
        async with httpx2.AsyncClient(verify=certificate.trust(), trust_env=False) as client:
            answer = await client.get(f"{live.address}/v3/users", headers={"apikey": world.key})

            assert live.address.startswith("https:")
            assert [row["uid"] for row in answer.json()["data"]] == ["anna"]
            with pytest.raises(httpx2.TransportError):
                await client.get(live.address.replace("https", "http"))
        with pytest.raises(httpx2.ConnectError):
            httpx2.get(live.address, verify=ssl.create_default_context())
        assert await world.uids("/users") == ["anna"]


@one_engine
async def test_an_idle_tls_client_does_not_hold_up_the_end(
    new_settings: NewSettings, certificate: Certificate
) -> None:
    """A node that stops does not wait for clients that don't end TLS; a library would, for 30 s."""
    options = ("--tls-cert", str(certificate.cert), "--tls-key", str(certificate.key))
    with LiveNode(new_settings(), *options) as live:
        address = ("127.0.0.1", live.port)
        with socket.create_connection(address) as plain, _wrapped(plain, certificate) as idle:
            idle.sendall(b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
            assert idle.recv(65_536).startswith(b"HTTP/1.1 200 ")
            assert live.process is not None
            live.process.terminate()

            assert live.process.wait(25) == 0


def _wrapped(plain: socket.socket, certificate: Certificate) -> ssl.SSLSocket:
    return certificate.trust().wrap_socket(plain, server_hostname="127.0.0.1")


# Stopping


async def test_accepted_requests_are_finished(new_settings: NewSettings) -> None:
    """A node that receives SIGTERM finishes accepted requests, stores them, and exits with 0."""
    settings = new_settings()
    body = b'{"uid":"anna","name":"Anna"}'
    with LiveNode(settings) as live:
        world = await live.world()
        assert live.process is not None
        async with connection(live.port) as idle, connection(live.port) as peer:
            head = head_of(world, "POST", "/users", f"Content-Length: {len(body)}")
            peer.writer.write(head + body[:10])
            await peer.writer.drain()
            await asyncio.to_thread(world_is_served, live)
            live.process.terminate()
            assert await idle.is_ended()  # it closes idle connections
            peer.writer.write(body[10:])
            answer = await peer.reader.read()

        assert answer.startswith(b"HTTP/1.1 200 ")
        assert b"connection: close" in answer.lower()
        assert live.stop() == 0
        request_id = answer.lower().partition(b"x-request-id: ")[2].partition(b"\r\n")[0].decode()
        assert request_id in live.output
        live.start()
        assert await world.uids("/users") == ["anna"]


def world_is_served(live: LiveNode) -> None:
    """Make a request, so that everything sent before it has reached the node, too."""
    httpx2.get(f"{live.address}/health/live", trust_env=False)


async def test_a_node_that_was_killed_has_lost_nothing(new_settings: NewSettings) -> None:
    """After a crash, everything that was answered is in the store."""
    with LiveNode(new_settings()) as live:
        world = await live.world()
        for number in range(20):
            await world.user(f"anna-{number}")
        live.kill()
        live.start()

        assert len(await world.uids("/users")) == 20


def test_files_of_the_node_are_private(empty_settings: NewSettings) -> None:
    """The files with keys are readable by the node's account only."""
    with LiveNode(empty_settings(data=empty_settings().data / "made")) as live:
        modes = {path.name: path.stat().st_mode & 0o777 for path in live.data.iterdir()}
        folder = live.data.stat().st_mode & 0o777

    assert folder == 0o700
    assert modes["first-keys.txt"] == 0o600
    assert modes["secret.key"] == 0o600
    assert modes.get("admin.sock", 0o600) == 0o600
