"""The header Host of requests, as bytes over a connection: exactly one, and a valid one."""

from collections.abc import AsyncIterator

import pytest
from tests.api.http.connections import Connection, Served, connection, serving
from tests.engines import one_engine
from tests.world import Node, World

from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS


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


def request(world: World, *hosts: str, target: str = "/v3/users", version: str = "1.1") -> bytes:
    """Return a request for the users of an app, with these headers Host."""
    lines = [f"GET {target} HTTP/{version}", *(f"Host: {host}" for host in hosts)]
    return "\r\n".join([*lines, f"apikey: {world.key}", "", ""]).encode("latin-1")


@pytest.mark.parametrize(
    "hosts",
    [
        (),
        ("localhost", "localhost"),
        ("localhost", "other.example"),
        ("", ""),
        ("a b",),
        ("a, b",),
        ("me@localhost",),
        ("localhost/v3",),
        ("<x>",),
        ("häus",),
    ],
)
@one_engine
async def test_a_host_that_is_missing_double_or_malformed(
    peer: Connection, world: World, hosts: tuple[str, ...]
) -> None:
    """A request without exactly one valid Host is 400, and the connection ends."""
    answer = await peer.ask(request(world, *hosts))

    assert answer.status == 400
    assert answer.error["code"] == "ERR_BAD_REQUEST"
    assert list(answer.error["details"]) == ["Host"]
    assert await peer.is_ended()


@one_engine
@pytest.mark.parametrize("host", ["", "localhost", "LOCALHOST:80", "127.0.0.1", "[::1]:8080"])
async def test_a_valid_host(peer: Connection, world: World, host: str) -> None:
    """One Host is taken, an empty one too, and the connection stays."""
    for _ in range(2):
        assert (await peer.ask(request(world, host))).status == 200


@one_engine
async def test_http_1_0(served: Served, world: World) -> None:
    """HTTP/1.0 has no Host by itself; two are wrong there, too."""
    for hosts, status in (((), 200), (("localhost",), 200), (("a", "b"), 400)):
        async with connection(served.port) as peer:
            assert (await peer.ask(request(world, *hosts, version="1.0"))).status == status


@one_engine
async def test_absolute_targets(served: Served, world: World) -> None:
    """The host of an absolute target counts, not the header, which must be there all the same."""
    async with connection(served.port) as peer:  # without a path
        answer = await peer.ask(request(world, "localhost", target="http://localhost"))
        assert (answer.status, answer.headers["content-type"][:9]) == (200, "text/html")
    right, wrong = f"{world.app_id}.api-us.chat.example", "other-app.api-us.chat.example"
    for target_host, hosts, status in (
        (right, (wrong,), 200),
        (wrong, (right,), 401),
        (f"{right}:8080", ("localhost",), 200),
        (right, (), 400),
        (right, (right, right), 400),
    ):
        async with connection(served.port) as peer:
            target = f"http://{target_host}/v3/users"
            answer = await peer.ask(request(world, *hosts, target=target))
            assert answer.status == status, (target, hosts)
