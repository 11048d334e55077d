"""Clients that close their side after a request, and what follows a good request."""

from collections.abc import AsyncIterator

import pytest
from tests.api.http.connections import (
    Connection,
    Served,
    connection,
    head_of,
    in_chunks,
    request_with,
    serving,
)
from tests.world import Node, World

from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS

SMALL = b'{"name": "New"}'
GARBAGE = b"GARBAGE\r\n\r\n"
LARGE = 100_000


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


async def close_side(peer: Connection, sent: bytes) -> None:
    """Send bytes, and say that nothing follows."""
    peer.writer.write(sent)
    peer.writer.write_eof()


async def statuses(peer: Connection) -> list[int]:
    """Return the status of each answer until the connection ends."""
    read = await peer.reader.read()
    return [int(answer[:3]) for answer in read.split(b"HTTP/1.1 ")[1:]]


async def test_a_client_that_sends_no_more_is_answered(peer: Connection, world: World) -> None:
    """Pipelined requests are answered although the client has closed its side, then it ends."""
    await world.user("anna")
    large = SMALL.ljust(LARGE)
    await close_side(
        peer,
        head_of(world, "GET", "/users/anna")
        + request_with(world, "PUT", "/users/anna", SMALL)
        + request_with(world, "PUT", "/users/anna", large)
        + in_chunks(world, "PUT", "/users/anna", SMALL),
    )

    assert await statuses(peer) == [200] * 4
    assert (await world.get("/users/anna"))["name"] == "New"


@pytest.mark.parametrize("length", [1_000, LARGE])
async def test_a_request_that_ends_early_changes_nothing(
    peer: Connection, world: World, length: int
) -> None:
    """A client that closes its side in the middle of a body gets no answer of success."""
    await world.user("anna")
    head = head_of(world, "PUT", "/users/anna", f"Content-Length: {length}")
    await close_side(peer, head + SMALL)

    assert await statuses(peer) in ([], [400])
    assert (await world.get("/users/anna"))["name"] == "Anna"


async def test_a_long_poll_ends_with_its_client(peer: Connection, world: World) -> None:
    """A client that closes its side gets what a long poll has by then, at once."""
    await world.user("anna")
    since = (await world.ask("GET", "/events")).meta["cursor"]
    await close_side(peer, head_of(world, "GET", f"/events?since={since}&wait=30"))

    assert await statuses(peer) == [200], "not before the patience of the connection has ended"


async def test_garbage_does_not_eat_the_answers_before_it(peer: Connection, world: World) -> None:
    """Good requests are answered, in order; then what is no request is refused."""
    await world.user("anna")
    sent = request_with(world, "PUT", "/users/anna", SMALL) + head_of(world, "GET", "/users/anna")
    await peer.send(sent + GARBAGE)

    answers = [await peer.answer() for _ in range(3)]

    assert [answer.status for answer in answers] == [200, 200, 400]
    assert answers[1].data["name"] == "New"
    assert await peer.is_ended()


async def test_oversized_headers_do_not_eat_the_answers_before_them(
    peer: Connection, world: World
) -> None:
    """A request before one whose headers are too large is answered."""
    await world.user("anna")
    flood = b"GET /v3/users HTTP/1.1\r\nX: " + b"x" * 200_000
    await peer.send(head_of(world, "GET", "/users/anna") + flood)

    assert [(await peer.answer()).status for _ in range(2)] == [200, 431]


async def test_a_malformed_body_is_refused_behind_good_requests(
    peer: Connection, world: World
) -> None:
    """A request whose own body is no HTTP gets one answer, 400; those before it get theirs."""
    await world.user("anna")
    broken = in_chunks(world, "PUT", "/users/anna", SMALL).replace(b"f\r\n", b"what\r\n")
    await peer.send(head_of(world, "GET", "/users/anna") + broken)

    assert await statuses(peer) == [200, 400]
    assert (await world.get("/users/anna"))["name"] == "Anna"


async def test_nothing_follows_the_answer_that_a_client_wanted_alone(
    peer: Connection, world: World
) -> None:
    """Drop what comes behind a request with `Connection: close`, and send its answer."""
    await world.user("anna")
    await peer.send(head_of(world, "GET", "/users/anna", "Connection: close") + GARBAGE)

    assert await statuses(peer) == [200]
