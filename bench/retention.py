"""How fast old messages are removed from a large store, and what those who send notice of it."""

import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import uvloop
from rich.console import Console
from tests.live import LiveNode
from tests.postgres import PostgresServer, find_installation

from bench import report
from bench.history.archive import Size
from bench.history.measure import fill_store
from bench.load.client import Client
from bench.load.generator import Measured, measure
from bench.load.requests import Load
from bench.load.scene import Scene
from bench.load.sends import timed_texts
from bench.machine import describe
from bench.stores import POSTGRES
from hubbub.config import Settings

KEPT_DAYS = 730
"""Of the times of the history, most are older, and some are not."""
RATE, CONNECTIONS = 50.0, 16
WARM_UP_SECONDS = 0.5
RECEIVERS = 200
LONGEST_SECONDS = 7200.0


@dataclass(frozen=True, slots=True)
class Removal:
    """A run that has ended, or how far it has come."""

    messages: int
    seconds: float
    beside: Sequence[float]
    """The latencies of sends meanwhile, ascending."""


def measure_retention(
    console: Console, folder: Path, engines: Sequence[str], size: Size, *, seconds: float
) -> None:
    """Fill a store on each engine, and have most of it removed while messages are sent."""
    version = None
    if POSTGRES in engines:
        version = find_installation().run("postgres", "--version").split()[-1]
    report.show_machine(console, describe(folder, version))
    for engine in engines:
        _measure(console, folder, engine, size, seconds)


def _measure(console: Console, folder: Path, engine: str, size: Size, seconds: float) -> None:
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=folder))) / "data"
        settings = Settings(data=data, log_requests=False)
        if engine == POSTGRES:
            server = stack.enter_context(PostgresServer())
            server.create_database("archive")
            settings = replace(settings, database_url=server.url("archive"))
        archive = uvloop.run(fill_store(console, settings, engine, size))
        node = stack.enter_context(LiveNode(settings))
        client = Client(node.port, {"apikey": archive.key})
        scene = Scene(client, archive.app_id, archive.key)
        receivers = scene.make_users("receiver", RECEIVERS)
        load = timed_texts(scene, scene.senders, receivers, "user")
        load = replace(load, connections=CONNECTIONS, rate=RATE)
        alone = [_send(node, load, seconds)]
        removal = _remove(node, client, load, seconds)
        alone.append(_send(node, load, seconds))
        sent = sorted([*alone[0].latencies, *alone[1].latencies])
        rate = removal.messages / removal.seconds
        console.print(
            f"{engine}: {removal.messages:,} messages in {removal.seconds:,.0f} s: {rate:,.0f}/s\n"
            f"sends alone: {_figures(sent)}, beside: {_figures(removal.beside)}"
        )


def _send(node: LiveNode, load: Load, seconds: float) -> Measured:
    return uvloop.run(measure([node.port], load, warm_up_seconds=WARM_UP_SECONDS, seconds=seconds))


def _remove(node: LiveNode, client: Client, load: Load, seconds: float) -> Removal:
    """Have old messages removed while messages are sent; return when that is done."""
    client.call("PUT", "/v3/settings", {"settings": {"retention.days": KEPT_DAYS}})
    began, beside = time.monotonic(), list[float]()
    while time.monotonic() - began < LONGEST_SECONDS:
        beside += _send(node, load, seconds).latencies
        if runs := client.call("GET", "/v3/retention_runs")["data"]:
            return Removal(runs[0]["messages"], runs[0]["seconds"], sorted(beside))
    raise TimeoutError


def _figures(latencies: Sequence[float]) -> str:
    found = Measured(0.0, latencies)
    return ", ".join(f"p{part} {1000 * found.percentile(part):.1f} ms" for part in (50, 99))
