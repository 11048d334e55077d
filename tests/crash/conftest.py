"""A node that may be killed, on either engine, and direct access to its store."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.crash.stores import PostgresStore, SqliteStore, Store
from tests.live import LiveNode
from tests.postgres import PostgresServer

from hubbub.config import Settings


@dataclass(frozen=True, slots=True)
class Victim:
    """A node, its store, and its PostgreSQL if it has one."""

    node: LiveNode
    store: Store
    postgres: PostgresServer | None


@pytest.fixture(scope="module")
def own_postgres(postgres_server: PostgresServer) -> Iterator[PostgresServer]:
    """A PostgreSQL for this module alone: the shared one must not be killed."""
    with PostgresServer() as server:
        yield server


@pytest.fixture
def environment(request: pytest.FixtureRequest) -> Mapping[str, str]:
    """The environment of the node: the module's `ENVIRONMENT` if it has one."""
    found: Mapping[str, str] = getattr(request.module, "ENVIRONMENT", {})
    return found


@pytest.fixture
def victim(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path, environment: Mapping[str, str]
) -> Iterator[Victim]:
    """A running node on an empty store."""
    settings = Settings(data=tmp_path / "data")
    postgres = None
    store: Store = SqliteStore(settings.sqlite_path)
    if engine == "postgresql":
        postgres = request.getfixturevalue("own_postgres")
        name = re.sub(r"\W+", "_", request.node.name)
        postgres.create_database(name)
        url = postgres.url(name)
        settings = Settings(data=tmp_path / "data", database_url=url)
        store = PostgresStore(url)
    settings.data.parent.mkdir(exist_ok=True)
    with LiveNode(settings, **environment) as node:
        yield Victim(node, store, postgres)
