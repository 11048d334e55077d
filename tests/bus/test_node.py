"""A node with a bus: what its health check and its metrics say."""

import itertools
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.bus.conftest import Join, hear, listen
from tests.clock import ManualClock
from tests.live import LiveNode
from tests.monitoring.scrape import scrape
from tests.nats_server import NatsServer
from tests.postgres import PostgresServer
from tests.soon import until
from tests.wire import Asked, InProcess

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS
from hubbub.runtime import Runtime

_databases = itertools.count(1)


@pytest.fixture
def settings(postgres_server: PostgresServer, tmp_path: Path) -> Settings:
    """The settings of a node on PostgreSQL without a bus."""
    name = f"bus_{next(_databases)}"
    postgres_server.create_database(name)
    url = postgres_server.url(name)
    return Settings(data=tmp_path, database_url=url, files=str(tmp_path / "files"))


def opened(settings: Settings, bus_url: str) -> AbstractAsyncContextManager[Runtime]:
    """Open a node with a bus."""
    return open_runtime(replace(settings, bus_url=bus_url), ManualClock())


async def ready(sender: InProcess) -> tuple[int, object, str]:
    """Return what the health check says: status, the state of the bus, warnings."""
    answer = await sender.send(Asked("GET", "/health/ready"))
    return answer.status, answer.json.get("bus"), str(answer.json.get("warnings", ""))


async def test_a_node_without_its_bus_stays_ready(settings: Settings) -> None:
    """A node starts and stays ready without its bus; the body and a metric say that it is away."""
    server = NatsServer()
    async with opened(settings, server.url) as runtime:
        sender = InProcess(make_app(runtime, OPERATIONS))
        away = await ready(sender)
        lost = await scrape(sender)
        with server:
            await until(lambda: runtime.bus.is_connected)
            back = await ready(sender)
            found = await scrape(sender)

    assert away[:2] == (200, "away")
    assert "The bus is not reached" in away[2]
    assert back == (200, "connected", "")
    assert [page.value("hubbub_bus_connected") for page in (lost, found)] == [0, 1]


async def test_nodes_of_an_installation(settings: Settings, nats_server: NatsServer) -> None:
    """Two nodes with one master key hear each other."""
    url = nats_server.url
    async with opened(settings, url) as anna, opened(settings, url) as ben:
        await hear(anna.bus, "events", await listen(ben.bus, "events"))


async def test_other_installations(settings: Settings, nats_server: NatsServer, join: Join) -> None:
    """A node does not hear what others publish on its NATS server."""
    other = await join(nats_server.url)
    url = nats_server.url
    async with opened(settings, url) as anna, opened(settings, url) as ben:
        foreign, own = await listen(anna.bus, "events"), await listen(anna.bus, "own")
        other.publish("events", b"foreign")
        await hear(ben.bus, "own", own)

    assert foreign.messages == []


async def test_a_node_alone(settings: Settings) -> None:
    """A node without a bus says nothing of one, drops what is published, and has no alert."""
    async with opened(settings, "") as runtime:
        sender = InProcess(make_app(runtime, OPERATIONS))
        received = await listen(runtime.bus, "events")
        runtime.bus.publish("events", b"to nobody")

        assert await ready(sender) == (200, None, "")
        assert (await scrape(sender)).value("hubbub_bus_connected") == 1
        assert received.messages == []


async def test_a_node_started_by_its_operator(settings: Settings) -> None:
    """`--bus` names the server; its log shows one line when it goes, and no password."""
    with NatsServer("authorization { user: hubbub, password: hush }") as server:
        url = server.url.replace("//", "//hubbub:hush@")
        with LiveNode(settings, "--bus", url) as live:
            assert "bus_lost" not in live.output
            server.kill()
            await until(lambda: "bus_lost" in live.output)
            server.start()
            await until(lambda: "bus_back" in live.output)

    assert live.output.count("bus_lost") == 1
    assert "hush" not in live.output
    assert "Traceback" not in live.output
