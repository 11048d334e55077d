"""The stores of a node: SQLite, PostgreSQL, and PostgreSQL with a longer round trip."""

import itertools
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import uvloop
from asyncpg.prepared_stmt import PreparedStatement
from tests.live import LiveNode
from tests.postgres import PostgresServer

from bench.machine import Cores
from hubbub.config import Settings

SQLITE, POSTGRES = "sqlite", "postgresql"
DELAY_SECONDS = 0.001
ROUND_TRIPS = 500
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Variant:
    """An engine, and the delay of its answers."""

    name: str
    engine: str
    delay_seconds: float = 0.0


VARIANTS = (
    Variant("SQLite", SQLITE),
    Variant("PostgreSQL", POSTGRES),
    Variant(f"PostgreSQL, +{DELAY_SECONDS * 1000:.0f} ms", POSTGRES, DELAY_SECONDS),
)


@dataclass(slots=True)
class Stores:
    """Creates an empty store for each measurement; starts PostgreSQL when it is first needed."""

    folder: Path
    cores: Cores
    _postgres: PostgresServer | None = field(default=None)

    @contextmanager
    def node(self, variant: Variant, **environment: str) -> Iterator[LiveNode]:
        """Yield a node on an empty store."""
        number = next(_numbers)
        data = self.folder / f"node-{number}"
        if variant.engine == SQLITE:
            with self._node(Settings(data=data), environment) as node:
                yield node
            return
        postgres = self.postgres()
        postgres.create_database(f"bench_{number}")
        with self._port(postgres, variant.delay_seconds) as port:
            url = postgres.url(f"bench_{number}", port=port)
            with self._node(Settings(data=data, database_url=url), environment) as node:
                yield node

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
    def _node(self, settings: Settings, environment: dict[str, str]) -> Iterator[LiveNode]:
        node = LiveNode(settings, **environment)
        try:
            with self.cores.of_server():
                node.start()
            yield node
        finally:
            node.__exit__(None, None, None)

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
