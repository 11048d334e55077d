"""Measure sockets, beside a bare broadcast in the same run, and print the figures."""

import resource
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import uvloop
from rich import box
from rich.console import Console
from rich.table import Table
from tests.nats_server import NatsServer
from tests.postgres import find_installation

from bench import report
from bench.machine import choose_cores, describe
from bench.realtime import figures
from bench.realtime.stage import CROWD, LARGE_CROWD, RECEIVERS, Stage
from bench.stores import POSTGRES, Stores, Variant

BARE = "bare broadcast"
SOCKETS, SOCKETS_OF_QUICK = 10_000, 1_000
RETURNING = 5_000
THREE_NODES = Variant("three nodes, NATS", POSTGRES, nodes=3)
OTHER_FILES = 500
"""The files that a process has open beside its sockets, at most."""


@dataclass(frozen=True, slots=True)
class Row:
    """A figure as the table has it."""

    name: str
    about: str
    aim: str
    show: Callable[[float], str]


def _show_kilobytes(value: float) -> str:
    return f"{value / 1024:.1f}"


def _show_count(value: float) -> str:
    return f"{value:,.0f}"


def _show_ms(value: float) -> str:
    return f"{value * 1000:.2f}"


ROWS = (
    Row(figures.MEMORY, "memory of an idle socket, KiB", "≤ 25", _show_kilobytes),
    Row(figures.CONNECTS, "connects/s, each with its own token", "≥ 3,000", _show_count),
    Row(figures.DELIVERIES, f"group of {CROWD}, deliveries/s", "≥ 80,000", _show_count),
    Row(
        figures.SPREAD, f"group of {LARGE_CROWD:,}, send to last member, p50, ms", "≤ 15", _show_ms
    ),
    Row(figures.STEADY_50, "send to receiver at 200/s, p50, ms", "≤ 1.5", _show_ms),
    Row(figures.STEADY_99, "the same, p99", "≤ 5", _show_ms),
    Row(figures.BUSY_50, "the same at 80 % of the highest rate, p50, ms", "", _show_ms),
    Row(figures.BUSY_99, "the same, p99", "≤ 20", _show_ms),
    Row(figures.SENDS, f"sends/s to {RECEIVERS} receivers online", "", _show_count),
    Row(figures.RATIO, "the same, against none online", "≥ 0.8", "{:.2f}".format),
    Row(
        figures.RETURNED, f"{RETURNING:,} who were cut at once are back, s", "≤ 10", "{:.1f}".format
    ),
    Row(figures.RETURNING_99, "sends at 200/s meanwhile, p99, ms", "≤ 250", _show_ms),
)


def measure_realtime(
    variants: Sequence[Variant], *, seconds: float, rounds: int, is_quick: bool
) -> None:
    """Measure, and print the medians."""
    console = Console(width=120)
    cores = choose_cores()
    sockets = min(SOCKETS_OF_QUICK if is_quick else SOCKETS, _most_sockets())
    found: dict[str, list[figures.Figures]] = defaultdict(list)
    with (
        tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder,
        closing(Stores(Path(folder), cores)) as stores,
    ):
        is_postgres = any(variant.engine == POSTGRES for variant in variants)
        version = (
            find_installation().run("postgres", "--version").split()[-1] if is_postgres else None
        )
        report.show_machine(console, describe(stores.folder, version))
        for number in range(rounds):
            for variant in variants:
                with console.status(f"round {number + 1} of {rounds}: {variant.name}"):
                    found[variant.name].append(_measure(stores, variant, sockets, seconds))
            if is_postgres:
                with console.status(f"round {number + 1} of {rounds}: {THREE_NODES.name}"):
                    found[THREE_NODES.name].append(_measure_nodes(stores, seconds))
            with console.status(f"round {number + 1} of {rounds}: {BARE}"):
                found[BARE].append(uvloop.run(figures.measure_bare(cores, sockets, seconds)))
    _show(console, found, sockets)


def _measure(stores: Stores, variant: Variant, sockets: int, seconds: float) -> figures.Figures:
    """Measure a node on a new store."""
    with stores.node(variant) as node:
        stage = Stage([node], seconds)
        return {
            **uvloop.run(figures.measure_idle(stage, sockets)),
            **uvloop.run(figures.measure_deliveries(stage)),
            **uvloop.run(figures.measure_spread(stage)),
            **uvloop.run(figures.measure_latencies(stage)),
            **uvloop.run(figures.measure_return(stage, min(RETURNING, sockets))),
        }


def _measure_nodes(stores: Stores, seconds: float) -> figures.Figures:
    """Measure latencies with three nodes, which tell each other of events over NATS."""
    with stores.cores.of_load():
        bus = NatsServer().start()
    store = stores.create(THREE_NODES.engine)
    with closing(bus), stores.nodes(THREE_NODES, store, HUBBUB_BUS_URL=bus.url) as nodes:
        return uvloop.run(figures.measure_steady(Stage(nodes, seconds)))


def _most_sockets() -> int:
    """Return how many sockets a process may have open; nodes inherit the limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard - OTHER_FILES


def _show(console: Console, found: dict[str, list[figures.Figures]], sockets: int) -> None:
    table = Table(
        title=f"sockets, {sockets:,} of them idle", title_justify="left", box=box.SIMPLE_HEAD
    )
    table.add_column("")
    for column in (*found, "aim"):
        table.add_column(column, justify="right")
    for row in ROWS:
        cells = [
            row.show(statistics.median(values)) if values else ""
            for values in (
                [each[row.name] for each in rounds if row.name in each] for rounds in found.values()
            )
        ]
        table.add_row(row.about, *cells, row.aim)
    console.print(table)
