"""Connections: pipelining, back-pressure, half-sent requests, keep-alive, clients that leave."""

import asyncio
import json
import socket
import ssl
import struct
from collections.abc import AsyncGenerator, AsyncIterator, Sequence

import psutil
import pytest
from tests.api.http.connections import (
    Connection,
    Served,
    Watch,
    connection,
    head_of,
    in_chunks,
    request_with,
    serving,
)
from tests.certificate import make_certificate
from tests.conftest import NewSettings
from tests.engines import one_engine
from tests.files.uploads import BOUNDARY, TO_BEN, File, form
from tests.live import LiveNode
from tests.soon import SOON_SECONDS, until
from tests.wire import Answer as Received
from tests.world import Node, World

from hubbub.http.answer import Answer
from hubbub.http.app import HttpApplication, make_app
from hubbub.http.measures import RequestMeasures
from hubbub.http.request import Request
from hubbub.http.routes import Routes
from hubbub.http.server.protocol import GONE_SECONDS
from hubbub.http.server.serve import KEEP_ALIVE_SECONDS
from hubbub.rest.operations import OPERATIONS

LARGE = 200_000
SMALL = b'{"name": "New"}'
PIECE = b"x" * 512 * 1024
DOWNLOAD_PIECES = 100
HELD, AT_ONCE = (b"GET /%b HTTP/1.1\r\nHost: x\r\n\r\n" % path for path in (b"held", b"at-once"))


@pytest.fixture
async def served(node: Node) -> AsyncIterator[Served]:
    """The node on a socket."""
    async with serving(make_app(node.runtime, OPERATIONS)) as served:
        yield served


@pytest.fixture
async def peer(served: Served) -> AsyncIterator[Connection]:
    """A connection to the node."""
    async with connection(served.port) as peer:
        yield peer


def large_user(uid: str) -> bytes:
    """Return the body that makes a user, too large to be received before it is dispatched."""
    return json.dumps({"uid": uid, "name": "A", "ignored": "x" * LARGE}).encode()


def uids(answers: Sequence[Received]) -> list[str]:
    """Return the uid in each answer."""
    return [answer.data["uid"] for answer in answers]


# Pipelining


def mixed_requests(world: World) -> list[bytes]:
    """Return requests of every kind: without a body, small, large, in chunks, and a form."""
    form_headers = (f"Content-Type: multipart/form-data; boundary={BOUNDARY}", "onBehalfOf: anna")
    sent = form(TO_BEN, File("a.txt", b"A"))
    return [
        head_of(world, "GET", "/users/anna"),
        request_with(world, "POST", "/users", large_user("u1")),
        request_with(world, "PUT", "/users/anna", SMALL),
        in_chunks(world, "POST", "/users", b'{"uid":"u2",', b'"name":"A"}'),
        in_chunks(world, "POST", "/users", large_user("u3")),
        request_with(world, "PUT", "/users/ben", SMALL),
        head_of(world, "GET", "/users/u3"),
        request_with(world, "POST", "/messages", sent, *form_headers),
        head_of(world, "GET", "/users/nobody"),
        head_of(world, "GET", "/users/ben"),
    ]


async def check_mixed(peer: Connection, world: World, piece: int) -> None:
    """Send requests of every kind, so many bytes at a time, and check their answers."""
    await world.users("anna", "ben")
    sent = b"".join(mixed_requests(world))

    async def send() -> None:
        for start in range(0, len(sent), piece):
            await peer.send(sent[start : start + piece])

    sending = asyncio.create_task(send())
    answers = [await peer.answer() for _ in range(10)]
    await sending

    message, unknown = answers.pop(7), answers.pop(7)
    assert uids(answers) == ["anna", "u1", "anna", "u2", "u3", "ben", "u3", "ben"]
    assert message.data["data"]["attachments"][0]["name"] == "a.txt"
    assert unknown.status == 404
    assert len({answer.headers["x-request-id"] for answer in answers}) == len(answers)


@pytest.mark.parametrize("piece", [10_000_000, 65_536, 1_009])
async def test_answers_come_in_the_order_of_the_requests(
    peer: Connection, world: World, piece: int
) -> None:
    """Pipelined requests of all kinds are answered one after the other, in order."""
    await check_mixed(peer, world, piece)


async def test_pipelined_requests_take_effect_in_order(peer: Connection, world: World) -> None:
    """A request sees what the one before it on the connection has done."""
    await peer.send(
        b"".join(
            request_with(world, "POST", "/users", b'{"uid":"u%d","name":"A"}' % number)
            + head_of(world, "GET", f"/users/u{number}")
            for number in range(50)
        )
    )

    assert uids([await peer.answer() for _ in range(100)]) == [
        f"u{number}" for number in range(50) for _ in range(2)
    ]


@one_engine
async def test_garbage_after_a_request_ends_the_connection(peer: Connection, world: World) -> None:
    """A malformed request behind others is refused, and then the connection ends."""
    await world.user("anna")
    assert (await peer.ask(head_of(world, "GET", "/users/anna"))).status == 200
    await peer.send(head_of(world, "GET", "/users/anna") * 3 + b"GARBAGE\r\n\r\n")
    answers = (await peer.reader.read()).split(b"HTTP/1.1 ")[1:]

    assert answers[-1].startswith(b"400 ")
    assert all(answer.startswith(b"200 ") for answer in answers[:-1])


# A client that does not read


@one_engine
async def test_answers_nobody_reads_fill_no_memory(live: LiveNode) -> None:
    """Once a client stops reading, no more of its requests are carried out until it goes on."""
    world = await live.world()
    assert live.process is not None
    process, count = psutil.Process(live.process.pid), 1_000
    size = len((await world.ask("GET", "/openapi.json")).body)
    before = process.memory_info().rss
    async with connection(live.port) as peer:
        await peer.send(head_of(world, "GET", "/openapi.json") * count)
        async with connection(live.port) as other:
            for _ in range(count // 2):  # turns of the node, each enough for a further answer
                await other.ask(b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
        grown = process.memory_info().rss - before
        assert await world.get("/users") == []
        lengths = {len((await peer.answer()).body) for _ in range(count)}

    assert count * size > 200_000_000
    assert grown < 50_000_000
    assert lengths == {size}


# Requests that arrive slowly


@one_engine
async def test_a_body_may_arrive_byte_by_byte(peer: Connection, world: World) -> None:
    """A request is carried out when all of it has arrived, and others meanwhile."""
    await world.user("anna")
    for byte in request_with(world, "PUT", "/users/anna", SMALL):
        assert (await world.get("/users/anna"))["name"] == "Anna"
        await peer.send(bytes([byte]))

    assert (await peer.answer()).data["name"] == "New"


@one_engine
@pytest.mark.parametrize("size", [len(SMALL), 65_536, 65_537, 1_048_576])
async def test_bodies_of_all_sizes_are_read(peer: Connection, world: World, size: int) -> None:
    """A body is read whole, whatever its size."""
    await world.user("anna")
    for _ in range(2):
        body = SMALL.ljust(size)
        answer = await peer.ask(request_with(world, "PUT", "/users/anna", body))

        assert answer.data["name"] == "New"


@one_engine
async def test_the_rest_of_a_refused_body_is_dropped(peer: Connection, world: World) -> None:
    """A request that is refused before its body has arrived leaves the connection usable."""
    await world.user("anna")
    stranger = World(world._sender, world.app_id, "0" * 40, "")
    for refused, status in ((stranger, 401), (world, 413)):
        size = 2_000_000
        await peer.send(head_of(refused, "POST", "/users", f"Content-Length: {size}"))
        assert (await peer.answer()).status == status
        await peer.send(b"x" * size)

        assert uids([await peer.ask(head_of(world, "GET", "/users/anna"))]) == ["anna"]


@one_engine
async def test_a_client_may_ask_first(peer: Connection, world: World) -> None:
    """With `Expect: 100-continue` the body is asked for, unless the request is refused."""
    body = b'{"uid":"ben","name":"Ben"}'
    expecting = (f"Content-Length: {len(body)}", "Expect: 100-continue")
    head = head_of(world, "POST", "/users", *expecting)
    await peer.send(head)
    assert await peer.reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert uids([await peer.ask(body)]) == ["ben"]

    await peer.send(head.replace(world.key.encode(), b"0" * 40))
    assert (await peer.answer()).status == 401


@one_engine
async def test_trailers_are_ignored(peer: Connection, world: World) -> None:
    """Fields after a body in chunks are no headers."""
    trailer = "onBehalfOf: nobody\r\n"
    pieces = (b'{"uid":"anna","name":"A"}',)
    answer = await peer.ask(in_chunks(world, "POST", "/users", *pieces, trailer=trailer))

    assert uids([answer]) == ["anna"]


@one_engine
@pytest.mark.parametrize("protocol", ["h2c", "websocket"])
async def test_an_upgrade_is_declined(peer: Connection, world: World, protocol: str) -> None:
    """A request for another protocol is answered as if it had not asked for that."""
    await world.user("anna")
    headers = ("Connection: Upgrade", f"Upgrade: {protocol}")
    answer = await peer.ask(head_of(world, "GET", "/users/anna", *headers))

    assert uids([answer]) == ["anna"]


@one_engine
async def test_repeated_headers_count_towards_their_limit(peer: Connection, world: World) -> None:
    """The limit of 32 KB holds for all headers together, also for those of one name."""
    few, many = (["X-Same: " + "x" * 1000] * count for count in (20, 33))
    for headers, status in ((few, 200), (many, 431), (few, 200)):
        answer = await peer.ask(head_of(world, "GET", "/users", *headers))

        assert answer.status == status


# The end of a connection


@one_engine
@pytest.mark.parametrize(
    "request_line",
    [b"GET /v3/users HTTP/1.0\r\n", b"GET /v3/users HTTP/1.1\r\nConnection: close\r\n"],
)
async def test_a_client_may_want_one_answer(
    peer: Connection, world: World, request_line: bytes
) -> None:
    """After a request of HTTP/1.0, or with `Connection: close`, the connection is closed."""
    request = request_line + f"Host: x\r\napikey: {world.key}\r\n\r\n".encode()
    answer = await peer.ask(request * 2)

    assert answer.status == 200
    assert answer.headers["connection"] == "close"
    assert await peer.is_ended()


@one_engine
async def test_head_has_no_body(peer: Connection, world: World) -> None:
    """An answer to HEAD ends with its head, also that of a refusal."""
    await world.user("anna")
    for path, status in (("/users", 405), ("/nothing", 404)):
        await peer.send(head_of(world, "HEAD", path))
        answer = await peer.answer(has_body=False)

        assert answer.status == status
        assert int(answer.headers["content-length"]) > 0
    assert uids([await peer.ask(head_of(world, "GET", "/users/anna"))]) == ["anna"]


@one_engine
async def test_an_idle_connection_is_closed(node: Node, world: World) -> None:
    """A connection lasts from request to request, and is closed some time after the last."""
    await world.user("anna")
    watch = Watch()
    async with (
        serving(make_app(node.runtime, OPERATIONS), watch) as served,
        connection(served.port) as peer,
    ):
        for _ in range(4):
            assert uids([await peer.ask(head_of(world, "GET", "/users/anna"))]) == ["anna"]
            watch.advance(0.9 * KEEP_ALIVE_SECONDS)
        watch.advance(0.1 * KEEP_ALIVE_SECONDS)
        assert await peer.is_ended()


@one_engine
async def test_clients_that_never_finish_a_request(node: Node, world: World) -> None:
    """A connection is closed if nothing is sent, or if a request or its body stops half-way."""
    await world.user("anna")
    watch = Watch()
    head = head_of(world, "PUT", "/users/anna", "Content-Length: 100000")
    async with (
        serving(make_app(node.runtime, OPERATIONS), watch) as served,
        connection(served.port) as silent,
        connection(served.port) as dribbling,
        connection(served.port) as half,
        connection(served.port) as slow,
    ):
        await until(lambda: watch.connections == 4)
        await watch.deliver(half, head + b"x")
        await watch.deliver(dribbling, b"GET /v3/users HTTP/1.1\r\nHost: ")
        put = head_of(world, "PUT", "/users/anna", f"Content-Length: {len(SMALL)}")
        await watch.deliver(slow, put)
        for byte in SMALL[:3]:
            await watch.deliver(slow, bytes([byte]))
            await watch.deliver(dribbling, b"a")
            watch.advance(0.4 * KEEP_ALIVE_SECONDS)
        for client in (silent, dribbling, half):
            assert await client.is_ended()
        assert (await slow.ask(SMALL[3:])).data["name"] == "New", "its body was still arriving"


class Download:
    """An endpoint whose answer is larger than all buffers on the way."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()

    async def __call__(self, request: Request, values: Sequence[str]) -> Answer:
        answer = Answer()
        answer.length, answer.pieces = DOWNLOAD_PIECES * len(PIECE), self._pieces()
        return answer

    async def _pieces(self) -> AsyncGenerator[bytes, None]:
        try:
            for _ in range(DOWNLOAD_PIECES):
                yield PIECE
        finally:
            self.ended.set()


@one_engine
async def test_clients_that_do_not_read(node: Node) -> None:
    """A connection is broken off if nothing of an answer is read; a slow client gets all of it."""
    routes, unread, slow = Routes(), Download(), Download()
    routes.add("/unread", "GET", unread)
    routes.add("/slow", "GET", slow)
    app = HttpApplication(node.runtime, routes, RequestMeasures())
    watch = Watch()
    async with (
        serving(app, watch) as served,
        connection(served.port) as deaf,
        connection(served.port) as patient,
    ):
        await watch.deliver(deaf, b"GET /unread HTTP/1.1\r\nHost: x\r\n\r\n")
        await watch.deliver(patient, b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        for _ in range(4):  # more at a time than the buffers on the way can hold
            await patient.reader.readexactly(20 * len(PIECE))
            watch.advance(0.9 * KEEP_ALIVE_SECONDS)
        await until(unread.ended.is_set)
        assert not slow.ended.is_set()

        left = (DOWNLOAD_PIECES - 80) * len(PIECE)
        assert len(await patient.reader.readexactly(left)) == left


# Requests that take their time


class Held:
    """An endpoint whose requests wait, and what became of them."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.released = asyncio.Event()
        self.finished = asyncio.Event()
        self.is_cancelled = False

    async def __call__(self, request: Request, values: Sequence[str]) -> Answer:
        self.begun.set()
        try:
            await self.released.wait()
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise
        self.finished.set()
        return Answer(b'"held"')


async def answer_at_once(request: Request, values: Sequence[str]) -> Answer:
    """Answer."""
    return Answer(b'"at once"')


@pytest.fixture
def held() -> Held:
    """An endpoint."""
    return Held()


@pytest.fixture
def app(node: Node, held: Held) -> HttpApplication:
    """A dispatcher with a slow endpoint and a fast one."""
    routes = Routes()
    routes.add("/held", "GET", held)
    routes.add("/held", "POST", held)
    routes.add("/at-once", "GET", answer_at_once)
    return HttpApplication(node.runtime, routes, RequestMeasures())


@one_engine
async def test_a_change_goes_on_when_its_client_leaves(app: HttpApplication, held: Held) -> None:
    """Finish what was begun, even if nobody waits for the answer."""
    watch = Watch()
    async with serving(app, watch) as served:
        async with connection(served.port) as peer:
            await peer.send(HELD.replace(b"GET", b"POST"))
            await held.begun.wait()
        await until(lambda: watch.ends)
        watch.advance(GONE_SECONDS)
        held.released.set()
        await until(held.finished.is_set)
        async with connection(served.port) as peer:
            assert (await peer.ask(AT_ONCE)).json == "at once"

    assert not held.is_cancelled


@one_engine
async def test_a_reading_ends_when_its_connection_is_reset(
    app: HttpApplication, held: Held
) -> None:
    """Cancel a reading as soon as nobody can read the answer."""
    async with serving(app) as served:
        async with connection(served.port) as peer:
            await peer.send(HELD)
            await held.begun.wait()
            peer.writer.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
            )
        await until(lambda: held.is_cancelled)


@one_engine
async def test_a_reading_ends_some_time_after_its_client_has_left(
    app: HttpApplication, held: Held
) -> None:
    """A client that closes its side may still read, or be gone: it waits for a while only."""
    watch = Watch()
    async with serving(app, watch) as served:
        async with connection(served.port) as peer:
            await peer.send(HELD)
            await held.begun.wait()
        await until(lambda: watch.ends)
        assert not held.is_cancelled
        watch.advance(GONE_SECONDS)
        await until(lambda: held.is_cancelled)


@one_engine
async def test_a_fast_answer_waits_for_a_slow_one_before_it(
    app: HttpApplication, held: Held
) -> None:
    """A later request on the connection is not answered before an earlier one."""
    watch = Watch()
    async with (
        serving(app, watch) as served,
        connection(served.port) as peer,
        connection(served.port) as other,
    ):
        await watch.deliver(peer, HELD + AT_ONCE)
        await held.begun.wait()
        assert (await other.ask(AT_ONCE)).json == "at once"
        held.released.set()

        assert [(await peer.answer()).json for _ in range(2)] == ["held", "at once"]


@one_engine
async def test_many_pipelined_requests_are_all_answered(app: HttpApplication) -> None:
    """Requests beyond what is read at once wait in the socket, and none is lost."""
    count = 5_000
    async with serving(app) as served, connection(served.port) as peer:
        sending = asyncio.create_task(peer.send(AT_ONCE * count))

        assert {(await peer.answer()).json for _ in range(count)} == {"at once"}
        await sending


@one_engine
async def test_a_server_that_stops_answers_what_it_has_accepted(
    app: HttpApplication, held: Held
) -> None:
    """All requests that have arrived are answered, the last one with `Connection: close`."""
    async with (
        serving(app) as served,
        connection(served.port) as idle,
        connection(served.port) as peer,
    ):
        assert (await idle.ask(AT_ONCE)).json == "at once"
        await peer.send(HELD + AT_ONCE)
        await held.begun.wait()
        stopping = asyncio.create_task(served.stop())
        assert await idle.is_ended()
        held.released.set()
        answers = [await peer.answer() for _ in range(2)]

        assert [answer.json for answer in answers] == ["held", "at once"]
        assert answers[-1].headers["connection"] == "close"
        assert await peer.is_ended()
        await stopping


@one_engine
async def test_a_server_that_stops_waits_for_some_time_only(
    app: HttpApplication, held: Held
) -> None:
    """A request that takes too long is cancelled, and its connection closed."""
    async with serving(app, finish_seconds=0) as served, connection(served.port) as peer:
        await peer.send(HELD)
        await held.begun.wait()
        await served.stop()

        assert held.is_cancelled
        assert await peer.is_ended()


async def test_a_send_is_stored_when_its_client_leaves(served: Served, world: World) -> None:
    """A message whose request has arrived is sent, though its client closes at once."""
    await world.users("anna", "ben")
    body = b'{"receiver":"ben","receiverType":"user","data":{"text":"Bye"}}'
    async with connection(served.port) as peer:
        await peer.send(request_with(world, "POST", "/messages", body, "onBehalfOf: anna"))
    async with asyncio.timeout(SOON_SECONDS):
        while not (messages := await world.get("/messages")):  # noqa: ASYNC110  # not told
            await asyncio.sleep(0)

    assert [message["data"]["text"] for message in messages] == ["Bye"]


class Broken:
    """An endpoint whose body fails in the middle."""

    async def __call__(self, request: Request, values: Sequence[str]) -> Answer:
        answer = Answer()
        answer.length, answer.pieces = 20, self._pieces()
        return answer

    async def _pieces(self) -> AsyncGenerator[bytes, None]:
        yield b"0123456789"
        raise OSError("the disk is gone")


@one_engine
async def test_a_body_that_fails_is_broken_off(node: Node) -> None:
    """If a file can't be read to its end, the client sees that its body is too short."""
    routes = Routes()
    routes.add("/broken", "GET", Broken())
    app = HttpApplication(node.runtime, routes, RequestMeasures())
    async with serving(app) as served, connection(served.port) as peer:
        await peer.send(b"GET /broken HTTP/1.1\r\nHost: x\r\n\r\n" * 2)
        head, _, body = (await peer.reader.read()).partition(b"\r\n\r\n")

    assert b"content-length: 20" in head
    assert body == b"0123456789"


# TLS


@one_engine
async def test_pipelining_over_tls(
    new_settings: NewSettings, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Over TLS requests of all kinds are answered as over plain sockets."""
    certificate = make_certificate(tmp_path_factory.mktemp("certificate"))
    options = ("--tls-cert", str(certificate.cert), "--tls-key", str(certificate.key))
    trusted: ssl.SSLContext = certificate.trust()
    with LiveNode(new_settings(), *options) as live:
        async with connection(live.port, trusted) as peer:
            await check_mixed(peer, await live.world(), 65_536)
            assert (await peer.ask(b"GET /health/live HTTP/1.0\r\n\r\n")).status == 200
            assert await peer.is_ended()
