"""How requests travel: HTTPS, proxies, other origins, request ids, the log, the size of headers."""

import asyncio
import json
import ssl
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import httpx2
import psutil
import pytest
from tests.certificate import Certificate, make_certificate
from tests.conftest import NewSettings
from tests.live import LiveNode
from tests.wire import LOOPBACK
from tests.world import Node, World

STRANGER = "203.0.113.9"
PROXY = "10.0.0.5"
HTTPS_REQUIRED = "ERR_HTTPS_REQUIRED"
PAGE = {"Origin": "https://chat.example.com"}
PATIENCE_SECONDS = 20


async def until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "it did not come to pass"
        await asyncio.sleep(0.01)


# HTTPS


@pytest.mark.parametrize("path", ["/users", "/apikeys", "/nothing", "/openapi.json"])
async def test_a_stranger_comes_over_https(world: World, path: str) -> None:
    """Plain HTTP from elsewhere is refused, and the answer names the settings that help."""
    answer = await world.ask("GET", path, client=STRANGER)

    assert (answer.status, answer.error["code"]) == (403, HTTPS_REQUIRED)
    assert "--tls-cert" in answer.error["devMessage"]
    assert "HUBBUB_TRUSTED_PROXIES" in answer.error["devMessage"]
    assert await world.get("/users", client=STRANGER, scheme="https") == []


async def test_nothing_is_done_over_plain_http(world: World) -> None:
    """A refused request changes nothing."""
    body = {"uid": "anna", "name": "Anna"}
    await world.refused("POST", "/users", body, client=STRANGER, status=403, code=HTTPS_REQUIRED)

    assert await world.uids("/users") == []


@pytest.mark.parametrize("client", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
async def test_a_client_on_this_machine_may_use_http(world: World, client: str) -> None:
    """Trying it out on the same machine needs no certificate."""
    assert await world.get("/users", client=client) == []


@pytest.mark.parametrize("client", ["128.0.0.1", "::2", "::ffff:203.0.113.9", "127.0.0.1.example"])
async def test_only_a_client_on_this_machine_may_use_http(world: World, client: str) -> None:
    """An address that only looks like this machine's is a stranger's."""
    await world.refused("GET", "/users", client=client, status=403, code=HTTPS_REQUIRED)


async def test_http_on_this_machine_can_be_forbidden(node: Node) -> None:
    """With the setting off, plain HTTP is refused on this machine, too."""
    world = await node.with_settings(allow_loopback_http=False).world()

    await world.refused("GET", "/users", status=403, code=HTTPS_REQUIRED)
    assert await world.get("/users", scheme="https") == []


@pytest.mark.parametrize("said", ["https", "HTTPS", "https, http", " https "])
async def test_a_trusted_proxy_says_https(node: Node, said: str) -> None:
    """A proxy that the settings name is believed that its client came over HTTPS."""
    world = await node.with_settings(trusted_proxies=f"10.0.0.4, {PROXY}").world()

    headers = {"X-Forwarded-Proto": said}
    assert await world.get("/users", client=PROXY, headers=headers) == []


@pytest.mark.parametrize("said", ["http", "", "http, https", "httpsx"])
async def test_a_trusted_proxy_says_http(node: Node, said: str) -> None:
    """What a trusted proxy received over plain HTTP, or does not tell, is refused."""
    world = await node.with_settings(trusted_proxies=PROXY).world()
    headers = {"X-Forwarded-Proto": said}

    await world.refused(
        "GET", "/users", client=PROXY, headers=headers, status=403, code=HTTPS_REQUIRED
    )


async def test_a_stranger_s_word_is_not_believed(node: Node) -> None:
    """Nobody but a trusted proxy tells how a request came."""
    world = await node.with_settings(trusted_proxies=PROXY).world()
    headers = {"X-Forwarded-Proto": "https", "X-Forwarded-For": LOOPBACK}

    await world.refused(
        "GET", "/users", client=STRANGER, headers=headers, status=403, code=HTTPS_REQUIRED
    )


async def test_a_proxy_on_this_machine_tells_how_its_clients_came(node: Node) -> None:
    """A trusted proxy on this machine is not taken for a client on it."""
    world = await node.with_settings(trusted_proxies=LOOPBACK).world()

    await world.refused("GET", "/users", status=403, code=HTTPS_REQUIRED)
    assert await world.get("/users", headers={"X-Forwarded-Proto": "https"}) == []


# Other origins


def preflight(*headers: str) -> dict[str, str]:
    """What a browser asks before a page's request with these headers."""
    return {
        **PAGE,
        "Access-Control-Request-Method": "PUT",
        "Access-Control-Request-Headers": ",".join(headers),
    }


async def test_a_page_may_call_with_a_token(world: World) -> None:
    """A preflight for a user's token is granted to every origin, without a key or token."""
    headers = preflight("authtoken", "content-type", "onbehalfof", "appid")
    answer = await world.ask("OPTIONS", "/users", key="", headers=headers)

    assert answer.status == 204
    assert answer.body == b""
    assert answer.headers["access-control-allow-origin"] == "*"
    allowed = answer.headers["access-control-allow-headers"].lower().split(", ")
    assert {"authtoken", "content-type", "onbehalfof", "appid"} <= set(allowed)
    assert not {"apikey", "key", "secret", "*"} & set(allowed)
    assert "PUT" in answer.headers["access-control-allow-methods"].split(", ")


@pytest.mark.parametrize("header", ["apikey", "apiKey", "key", "secret", "authtoken, apikey"])
async def test_a_page_may_not_call_with_a_key(world: World, header: str) -> None:
    """A preflight for a key is refused: keys don't belong into browsers."""
    answer = await world.ask("OPTIONS", "/users", key="", headers=preflight(header))

    assert answer.status == 403
    assert "access-control-allow-origin" not in answer.headers
    assert "access-control-allow-headers" not in answer.headers


async def test_a_page_reads_the_answers_to_its_tokens(world: World) -> None:
    """Answers to a token are readable by every page, refusals too, and without cookies."""
    await world.user("anna")
    token = await world.token("anna")

    for path, status in [("/users", 200), ("/users/nobody", 404), ("/apikeys", 403), ("/x", 404)]:
        answer = await world.ask("GET", path, token=token, headers=PAGE)

        assert answer.status == status
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "x-request-id" in answer.headers["access-control-expose-headers"].lower()
        assert "access-control-allow-credentials" not in answer.headers


async def test_a_page_reads_no_answer_to_a_key(node: Node, world: World) -> None:
    """Answers to an app's key, or to management credentials, are readable by no page."""
    for answer in (
        await world.ask("GET", "/users", headers=PAGE),
        await world.ask("GET", "/users", key="0" * 40, headers=PAGE),
        await node.manager().ask("GET", "/apps", headers=PAGE),
    ):
        assert "access-control-allow-origin" not in answer.headers


async def test_a_server_is_told_nothing_of_origins(world: World) -> None:
    """A request that names no origin is answered without such headers."""
    answer = await world.ask("GET", "/users")

    assert not [name for name in answer.headers if name.startswith("access-control")]


# Request ids and the log


async def test_every_answer_has_an_id_of_its_own(world: World) -> None:
    """Answers of every kind carry a request id, and never the same one."""
    asked = [("GET", "/users"), ("GET", "/nothing"), ("PATCH", "/users"), ("OPTIONS", "/users")]
    ids = [
        (await world.ask(method, path)).headers["x-request-id"]
        for method, path in asked
        for _ in range(3)
    ]

    assert len(set(ids)) == len(ids)
    assert all(len(request_id) == 20 for request_id in ids)


async def test_a_request_is_in_the_log(live: LiveNode) -> None:
    """Each request is a line of JSON with its id, its operation and what became of it."""
    world = await live.world()
    answers = [
        await world.ask("GET", "/users"),
        await world.ask("GET", "/users/nobody"),
        await world.ask("GET", "/nothing"),
    ]
    ids = [answer.headers["x-request-id"] for answer in answers]
    await until(lambda: all(request_id in live.output for request_id in ids))

    lines = [json.loads(line) for line in live.output.splitlines() if line.startswith("{")]
    by_id = {line.get("request_id"): line for line in lines}
    told = [
        tuple(by_id[request_id][name] for name in ("app", "method", "operation", "status", "error"))
        for request_id in ids
    ]
    assert told == [
        (world.app_id, "GET", "list_users", 200, None),
        (world.app_id, "GET", "get_user", 404, "ERR_UID_NOT_FOUND"),
        (None, "GET", None, 404, "ERR_API_NOT_FOUND"),
    ]
    assert all(by_id[request_id]["ms"] > 0 for request_id in ids)


async def test_no_secret_is_in_the_log(live: LiveNode) -> None:
    """Keys, tokens, and what people write are in no line of the log, be they in a path or body."""
    world = await live.world()
    await world.user("anna", name="Unspeakable", metadata={"x": "unwritable"})
    token = await world.token("anna")
    await world.get("/users?searchKey=unutterable", token=token)
    await world.get(f"/users/anna/auth_tokens/{token}")
    await world.get(f"/apikeys/{world.auth_key}")
    await world.ask("GET", f"/apikeys/{world.auth_key}/nothing")
    await world.delete("/users/anna", {"permanent": True})
    last = world.answer.headers["x-request-id"]
    await until(lambda: last in live.output)

    secrets = [world.key, world.auth_key, token, *live.management.values()]
    written = ["Unspeakable", "unwritable", "unutterable"]
    assert not [text for text in [*secrets, *written] if text in live.output]


# The size of headers


async def test_headers_of_32_kb_are_read(world: World) -> None:
    """Headers may have 32 KB in all; more is refused."""
    assert await world.get("/users", headers={"X-Large": "x" * 32_000}) == []

    await world.refused(
        "GET", "/users", headers={"X-Large": "x" * 32_768}, status=431, code="ERR_BAD_REQUEST"
    )
    many = {f"X-{number}": "x" * 100 for number in range(400)}
    await world.refused("GET", "/users", headers=many, status=431, code="ERR_BAD_REQUEST")


@asynccontextmanager
async def connection(
    live: LiveNode,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A socket to the node."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        reader, writer = await asyncio.open_connection(LOOPBACK, live.port)
        try:
            yield reader, writer
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


def head_of(world: World, method: str, path: str, *headers: str) -> bytes:
    """The head of a request, as it goes over the wire."""
    lines = [f"{method} /v3{path} HTTP/1.1", "Host: localhost", f"apikey: {world.key}", *headers]
    return "\r\n".join([*lines, "", ""]).encode()


async def test_a_header_of_1_mb_is_refused(live: LiveNode) -> None:
    """A huge header is answered 431, and the connection is closed."""
    world = await live.world()
    request = head_of(world, "GET", "/users", f"X-Huge: {'x' * 1_000_000}")
    async with connection(live) as (reader, writer):
        writer.write(request)
        answer = await reader.read()

    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 431 ")
    assert b"x-request-id:" in head.lower()
    assert json.loads(body)["error"]["code"] == "ERR_BAD_REQUEST"


@pytest.mark.parametrize("piece", [b"X-More: xxxxxxxxxxxxxxxxxxxxxxxx\r\n", b"x"])
async def test_headers_without_end_fill_no_memory(live: LiveNode, piece: bytes) -> None:
    """Headers that never end are cut off long before they fill the memory."""
    assert live.process is not None
    process = psutil.Process(live.process.pid)
    before = process.memory_info().rss
    sent = 0
    async with connection(live) as (_, writer):
        writer.write(b"GET /v3/users HTTP/1.1\r\n" + (b"X-Long: " if piece == b"x" else b""))
        with suppress(ConnectionError):
            for _ in range(1_000):
                writer.write(piece * (64 * 1024 // len(piece)))
                await writer.drain()
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
async def test_what_is_no_http_is_a_bad_request(live: LiveNode, request_line: bytes) -> None:
    """What can't be read as HTTP is answered with an error in JSON, and the node goes on."""
    async with connection(live) as (reader, writer):
        writer.write(request_line)
        writer.write_eof()
        answer = await reader.read()

    head, _, body = answer.partition(b"\r\n\r\n")
    status = int(head.split(b" ")[1])
    assert 400 <= status < 500
    assert b"x-request-id:" in head.lower()
    assert json.loads(body)["error"]["code"]
    assert await (await live.world()).get("/users") == []


# What is cut off


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
    """When the connection ends in the middle of a body nothing of it is done."""
    world = await live.world()
    async with connection(live) as (_, writer):
        writer.write(head_of(world, "POST", "/users", header) + sent)
        await writer.drain()

    assert await world.uids("/users") == []


async def test_a_cut_off_body_deletes_nobody(live: LiveNode) -> None:
    """An empty body is one that was sent empty, not one that never came."""
    world = await live.world()
    await world.user("anna")
    for header in ("Content-Length: 18", "Transfer-Encoding: chunked"):
        async with connection(live) as (_, writer):
            writer.write(head_of(world, "DELETE", "/users/anna", header))
            await writer.drain()

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
    """A certificate that signs itself."""
    return make_certificate(tmp_path_factory.mktemp("certificate"))


async def test_tls_is_ended_here(new_settings: NewSettings, certificate: Certificate) -> None:
    """With a certificate and its key the node speaks TLS, and nothing else."""
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


# The end


async def test_what_was_accepted_is_finished(new_settings: NewSettings) -> None:
    """Asked to end, a node finishes what it accepted, stores it, and ends with 0."""
    settings = new_settings()
    body = b'{"uid":"anna","name":"Anna"}'
    with LiveNode(settings) as live:
        world = await live.world()
        assert live.process is not None
        async with connection(live) as (idle, _), connection(live) as (reader, writer):
            head = head_of(world, "POST", "/users", f"Content-Length: {len(body)}")
            writer.write(head + body[:10])
            await writer.drain()
            await asyncio.to_thread(world_is_served, live)
            live.process.terminate()
            assert await idle.read() == b""  # it lets go of who asks nothing
            writer.write(body[10:])
            answer = await reader.read()

        assert answer.startswith(b"HTTP/1.1 200 ")
        assert b"connection: close" in answer.lower()
        assert live.stop() == 0
        request_id = answer.lower().partition(b"x-request-id: ")[2].partition(b"\r\n")[0].decode()
        assert request_id in live.output
        live.start()
        assert await world.uids("/users") == ["anna"]


def world_is_served(live: LiveNode) -> None:
    """Whatever was sent before this request has reached the node, too."""
    httpx2.get(f"{live.address}/health/live", trust_env=False)


async def test_a_node_that_was_killed_has_lost_nothing(new_settings: NewSettings) -> None:
    """What was answered is there after a crash, on the same store."""
    with LiveNode(new_settings()) as live:
        world = await live.world()
        for number in range(20):
            await world.user(f"anna-{number}")
        live.kill()
        live.start()

        assert len(await world.uids("/users")) == 20


def test_nobody_else_reads_the_node_s_files(new_settings: NewSettings) -> None:
    """The files with keys are for the account of the node alone."""
    with LiveNode(new_settings(data=new_settings().data / "made")) as live:
        modes = {path.name: path.stat().st_mode & 0o777 for path in live.data.iterdir()}
        folder = live.data.stat().st_mode & 0o777

    assert folder == 0o700
    assert modes["first-keys.txt"] == 0o600
    assert modes["secret.key"] == 0o600
    assert modes.get("admin.sock", 0o600) == 0o600
