"""The fixtures of all tests: both engines, a node on each, a fresh world for every test."""

import itertools
import os
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from tests.clock import ManualClock
from tests.live import LiveNode
from tests.nats_server import NatsMissing, NatsServer
from tests.postgres import PostgresMissing, PostgresServer
from tests.wire import InProcess
from tests.world import Node, World

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.domain.apps.manage import make_management_credentials, store_first_credentials
from hubbub.http.app import make_app
from hubbub.realtime.contract.page import add_realtime_contract
from hubbub.rest.operations import OPERATIONS

NewSettings = Callable[..., Settings]


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A running PostgreSQL. Where it cannot run, tests are skipped; in CI they fail."""
    try:
        server = PostgresServer()
    except PostgresMissing as problem:
        if os.environ.get("CI") == "true":
            pytest.fail(str(problem))
        pytest.skip(str(problem))
    with server:
        yield server


@pytest.fixture(scope="session")
def nats_server() -> Iterator[NatsServer]:
    """A running NATS server. Where it cannot run, tests are skipped; in CI they fail."""
    try:
        server = NatsServer()
    except NatsMissing as problem:
        if os.environ.get("CI") == "true":
            pytest.fail(str(problem))
        pytest.skip(str(problem))
    with server:
        yield server


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine in turn."""
    return str(request.param)


@pytest.fixture(scope="session")
def new_settings(
    engine: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> NewSettings:
    """A factory of settings for a node on a new and empty store of the engine."""
    numbers = itertools.count(1)

    def make(**changes: Any) -> Settings:
        url = ""
        if engine == "postgresql":
            server: PostgresServer = request.getfixturevalue("postgres_server")
            name = f"hubbub_{next(numbers)}"
            server.create_database(name)
            url = server.url(name)
        given = {"data": tmp_path_factory.mktemp("data"), "database_url": url, **changes}
        return Settings(**given)

    return make


@pytest.fixture(scope="session")
async def node(new_settings: NewSettings) -> AsyncIterator[Node]:
    """A node in this process, shared by all tests of an engine."""
    clock = ManualClock()
    async with open_runtime(new_settings(log_requests=False), clock) as runtime:
        credentials = make_management_credentials(runtime.ids)
        assert await store_first_credentials(runtime, credentials)
        management = {"key": credentials.key, "secret": credentials.secret}
        app = make_app(runtime, OPERATIONS)
        add_realtime_contract(app.routes, runtime.settings)
        yield Node(runtime, clock, InProcess(app), management)


@pytest.fixture(scope="session")
def live(new_settings: NewSettings) -> Iterator[LiveNode]:
    """A node in a process of its own, shared by the tests that leave it running."""
    with LiveNode(new_settings()) as live:
        yield live


@pytest.fixture
def clock(node: Node) -> ManualClock:
    """The node's clock; it stands still until it is advanced."""
    return node.clock


@pytest.fixture
async def world(node: Node) -> World:
    """An app of its own for the test."""
    return await node.world()
