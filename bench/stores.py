"""The stores of nodes: SQLite, PostgreSQL, and PostgreSQL with a longer round trip."""

import itertools
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import asyncpg
import uvloop
from asyncpg.prepared_stmt import PreparedStatement
from tests.live import LiveNode
from tests.postgres import HOST, SUPERUSER, PostgresServer, find_installation

from bench.machine import Cores
from hubbub.config import Settings

SQLITE, POSTGRES = "sqlite", "postgresql"
DELAY_SECONDS = 0.001
ROUND_TRIPS = 500
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Variant:
    """An engine, the delay of its answers, and the number of nodes on the store."""

    name: str
    engine: str
    delay_seconds: float = 0.0
    nodes: int = 1


VARIANTS = (
    Variant("SQLite", SQLITE),
    Variant("PostgreSQL", POSTGRES),
    Variant(f"PostgreSQL, +{DELAY_SECONDS * 1000:.0f} ms", POSTGRES, DELAY_SECONDS),
)
TWO_NODES = Variant("PostgreSQL, two nodes", POSTGRES, nodes=2)


@dataclass(frozen=True, slots=True)
class Store:
    """A data folder, and the name of a database of PostgreSQL if that is the engine."""

    data: Path
    database: str | None = None


@dataclass(slots=True)
class Stores:
    """Creates stores; starts PostgreSQL when it is first needed."""

    folder: Path
    cores: Cores
    _postgres: PostgresServer | None = field(default=None)

    def create(self, engine: str) -> Store:
        """Create an empty store."""
        number = next(_numbers)
        data = self.folder / f"node-{number}"
        if engine == SQLITE:
            return Store(data)
        self.postgres().create_database(f"bench_{number}")
        return Store(data, f"bench_{number}")

    def remove(self, store: Store) -> None:
        """Remove a store that no node uses any more, and what its nodes have printed."""
        for path in [store.data, *store.data.parent.glob(f"{store.data.name}[-.]*")]:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)  # a node that failed to start has made none
        if store.database is not None:
            server = ("-h", HOST, "-p", str(self.postgres().port), "-U", SUPERUSER)
            find_installation().run("dropdb", *server, store.database)

    def settings(self, store: Store) -> Settings:
        """Return the settings of a node on a store."""
        if store.database is None:
            return Settings(data=store.data)
        return Settings(data=store.data, database_url=self.postgres().url(store.database))

    @contextmanager
    def node(self, variant: Variant) -> Iterator[LiveNode]:
        """Yield a node on an empty store."""
        with self.nodes(variant, self.create(variant.engine)) as (node, *_):
            yield node

    @contextmanager
    def nodes(
        self, variant: Variant, store: Store, **environment: str
    ) -> Iterator[Sequence[LiveNode]]:
        """Yield the nodes of a variant on a store."""
        with self._reached(variant, self.settings(store)) as settings, ExitStack() as stack:
            nodes = [stack.enter_context(self._node(settings, environment))]
            for number in range(1, variant.nodes):
                data = _copy_of_key(settings.data, number)
                beside = self._node(replace(settings, data=data), environment)
                nodes.append(stack.enter_context(beside))
            yield nodes

    def measure_round_trip(self, variant: Variant) -> list[float]:
        """Return the seconds that the shortest query to PostgreSQL takes, ascending."""
        postgres = self.postgres()
        with self._port(postgres, variant.delay_seconds) as port:
            return uvloop.run(_ask(postgres.url("postgres", port=port)))

    def postgres(self) -> PostgresServer:
        """Return the PostgreSQL server, started if necessary."""
        if self._postgres is None:
            with self.cores.of_load():
                self._postgres = PostgresServer().start()
        return self._postgres

    def close(self) -> None:
        """Stop PostgreSQL."""
        if self._postgres is not None:
            self._postgres.close()

    @contextmanager
    def _node(self, settings: Settings, environment: Mapping[str, str]) -> Iterator[LiveNode]:
        node = LiveNode(settings, **environment)
        try:
            with self.cores.of_server():
                node.start()
            yield node
        finally:
            node.__exit__(None, None, None)

    @contextmanager
    def _reached(self, variant: Variant, settings: Settings) -> Iterator[Settings]:
        """Yield settings with the address at which the variant reaches its database."""
        if not variant.delay_seconds:
            yield settings
            return
        server = self.postgres()
        with self._port(server, variant.delay_seconds) as port:
            url = settings.database_url.replace(f":{server.port}/", f":{port}/")
            yield replace(settings, database_url=url)

    @contextmanager
    def _port(self, postgres: PostgresServer, delay_seconds: float) -> Iterator[int]:
        """Yield the port on which PostgreSQL answers with that delay."""
        if not delay_seconds:
            yield postgres.port
            return
        command = (sys.executable, "-m", "bench.wire", str(postgres.port), str(delay_seconds))
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as wire:
            assert wire.stdout is not None
            yield int(wire.stdout.readline())
            wire.communicate()  # it ends with its input


def _copy_of_key(data: Path, number: int) -> Path:
    """Return the data folder of one more node, which has the same master key."""
    folder = data.with_name(f"{data.name}-{number}")
    folder.mkdir(exist_ok=True)
    shutil.copy(data / "secret.key", folder)
    return folder


async def _ask(url: str) -> list[float]:
    connection = await asyncpg.connect(url)
    try:
        question = await connection.prepare("SELECT 1")
        return sorted([await _time(question) for _ in range(ROUND_TRIPS)])
    finally:
        await connection.close()


async def _time(question: "PreparedStatement[Any]") -> float:
    started = time.perf_counter()
    await question.fetchval()
    return time.perf_counter() - started
