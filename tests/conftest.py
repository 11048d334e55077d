"""The fixtures of all tests: both engines, a node on each, a fresh world for every test."""

import itertools
import os
import shutil
import ssl
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import asyncpg
import pytest
import structlog
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
from hubbub.storage.sqlite.connection import SqliteTransaction, open_connection
from hubbub.storage.sqlite.database import SqliteDatabase

# A traceback is text alone: with the values of all variables, as is the default where rich is
# installed, one of a node that has served a thousand tests takes a minute.
structlog.configure(
    processors=[
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso"),
        structlog.dev.ConsoleRenderer(
            colors=False, exception_formatter=structlog.dev.plain_traceback
        ),
    ]
)
NewSettings = Callable[..., Settings]
NUMBERS = itertools.count(1)
"""Of databases: all fixtures are made anew when a worker comes back to an engine."""


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


@pytest.fixture(scope="session", autouse=True)
def quick_nodes() -> Iterator[None]:
    """Nodes in this process do not wait for the disk, nor read the machine's authorities.

    No test cuts the power, and none calls a server that these authorities know.
    """
    with pytest.MonkeyPatch.context() as patch:
        sqlite = partial(SqliteDatabase, connect=_open_unsynced)
        patch.setattr("hubbub.bootstrap.SqliteDatabase", sqlite)
        patch.setattr(ssl.SSLContext, "load_default_certs", lambda *_: None)
        yield


def _open_unsynced(path: Path, *, read_only: bool = False) -> apsw.Connection:
    connection = open_connection(path, read_only=read_only)
    connection.pragma("synchronous", "OFF")
    return connection


@pytest.fixture(scope="session")
def empty_settings(
    engine: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> NewSettings:
    """A factory of settings for a node that is started for the first time."""

    def make(*, like: str = "template0", **changes: Any) -> Settings:
        url = ""
        if engine == "postgresql":
            server: PostgresServer = request.getfixturevalue("postgres_server")
            name = f"hubbub_{next(NUMBERS)}"
            server.create_database(name, like=like)
            url = server.url(name)
        given = {"data": tmp_path_factory.mktemp("data"), "database_url": url, **changes}
        return Settings(**given)

    return make


@pytest.fixture(scope="session")
async def bare_store(empty_settings: NewSettings) -> Settings:
    """The settings of a store with all tables, where no app is yet; it is copied, not used."""
    settings = empty_settings()
    async with open_runtime(settings, ManualClock()):
        pass
    return settings


@pytest.fixture(scope="session")
def new_settings(empty_settings: NewSettings, bare_store: Settings) -> NewSettings:
    """A factory of settings for a node on a store of its own, which has its tables already."""
    database = bare_store.database_url.rpartition("/")[2]

    def make(**changes: Any) -> Settings:
        settings = empty_settings(**({"like": database} if database else {}), **changes)
        shutil.copytree(bare_store.data, settings.data, dirs_exist_ok=True)
        return settings

    return make


@pytest.fixture(scope="session")
async def node(new_settings: NewSettings) -> AsyncIterator[Node]:
    """A node in this process, shared by all tests of an engine."""
    async with _open_node(new_settings) as node:
        yield node


@pytest.fixture(scope="module")
async def lone_node(new_settings: NewSettings) -> AsyncIterator[Node]:
    """A node for the tests of a module alone.

    Its modules let it take the place of `node`: what they do goes over all apps of a node, and the
    shared one has thousands.
    """
    async with _open_node(new_settings) as node:
        yield node


@asynccontextmanager
async def _open_node(new_settings: NewSettings) -> AsyncIterator[Node]:
    clock = ManualClock()
    settings = new_settings(log_requests=False)
    if settings.database_url:
        await _answer_before_syncs(settings.database_url)
    async with open_runtime(settings, clock) as runtime:
        credentials = make_management_credentials(runtime.ids)
        assert await store_first_credentials(runtime, credentials)
        management = {"key": credentials.key, "secret": credentials.secret}
        app = make_app(runtime, OPERATIONS)
        add_realtime_contract(app.routes, runtime.settings)
        yield Node(runtime, clock, InProcess(app), management)


async def _answer_before_syncs(url: str) -> None:
    connection = await asyncpg.connect(url)
    name = url.rpartition("/")[2]
    await connection.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
    await connection.close()


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


@pytest.fixture
def others_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have other apps wait for the end of every transaction, on SQLite too."""
    monkeypatch.setattr(SqliteTransaction, "others_wait", True)
