"""What an app notices of another one that does its worst, beside the same without the other."""

import asyncio
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import uvloop
from rich import box
from rich.console import Console
from rich.table import Table
from tests.live import LiveNode
from tests.postgres import find_installation

from bench import report
from bench.compare.versions import Version, extract, this_checkout
from bench.load import reads
from bench.load.generator import Measured, WrongAnswer, measure
from bench.loud import WAYS, Loud, Way, being_loud, statuses
from bench.machine import choose_cores, describe
from bench.realtime.sockets import Latencies, open_sockets
from bench.realtime.stage import PATH, Person, Stage
from bench.stores import POSTGRES, Stores, Variant

WARM_UP_SECONDS = 0.5
SENDS_RATE, PAGES_RATE = 50.0, 50.0
CONNECTIONS = 16
AIM = 2.0
ALONE = "alone"
SENDS, PAGES, SOCKETS = "sends", "pages", "sockets"
FIGURES = tuple((what, percent) for what in (SENDS, PAGES, SOCKETS) for percent in (50, 99))
Waits = Mapping[str, Sequence[float]]
"""Seconds of each answer, by what."""
Found = Mapping[tuple[str, int], float]
"""Seconds, by what and percentile."""
EXPLANATION = (
    "Milliseconds of a quiet app: its sends, its pages of a history, from a send to the socket\n"
    f"of its receiver; ratios to {ALONE}. The aim for each p99: at most {AIM:.0f}.\n"
)


@dataclass(frozen=True, slots=True)
class Quiet:
    """The app that asks for little."""

    node: LiveNode
    stage: Stage
    people: Sequence[Person]

    async def measure(self, seconds: float) -> Waits:
        """Measure its latencies."""
        scene, ports = self.stage.scene, [self.node.port]
        latencies = Latencies()
        firsts = [each.connect_frame for each in self.people]
        sockets = await open_sockets(self.node.port, PATH, firsts, latencies)
        load = replace(self.stage.to_receivers(), connections=CONNECTIONS, rate=SENDS_RATE)
        pages = replace(reads.newest(scene), connections=CONNECTIONS, rate=PAGES_RATE)
        latencies.count_from = time.perf_counter() + WARM_UP_SECONDS
        try:
            sent, read = await asyncio.gather(
                *(
                    measure(ports, each, warm_up_seconds=WARM_UP_SECONDS, seconds=seconds)
                    for each in (load, pages)
                )
            )
        finally:
            for socket in sockets:
                socket.transport.abort()
        return {SENDS: sent.latencies, PAGES: read.latencies, SOCKETS: latencies.all()}


def measure_neighbours(
    variants: Sequence[Variant], sides: Sequence[str], *, seconds: float, ways: Sequence[str] = ()
) -> None:
    """Measure this checkout after other commits, and print the figures of each."""
    console = Console(width=140)
    with (
        tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder,
        closing(Stores(Path(folder), choose_cores())) as stores,
    ):
        is_postgres = any(variant.engine == POSTGRES for variant in variants)
        version = (
            find_installation().run("postgres", "--version").split()[-1] if is_postgres else None
        )
        report.show_machine(console, describe(stores.folder, version))
        console.print(EXPLANATION)
        versions = [*(extract(each, stores.folder) for each in sides), this_checkout()]
        for variant in variants:
            for side in versions:
                with console.status(f"{variant.name}, {side.name}"):
                    found, told = _measure(stores, variant, side, seconds, ways)
                _show(console, f"{variant.name}, {side.name}", found, told)


def _measure(
    stores: Stores, variant: Variant, side: Version, seconds: float, ways: Sequence[str]
) -> tuple[Mapping[str, Found], Mapping[str, str]]:
    """Return the figures alone and beside each way of being loud, and what the loud app got."""
    found: dict[str, Found] = {ALONE: {}}
    told: dict[str, str] = {}
    with side.open(stores, variant) as ([node], scene):
        stage = Stage([node], seconds)
        quiet = Quiet(node, stage, stage.people(stage.receivers))
        loud = Loud(scene)
        loud.fill()
        stage.trial.settle()
        alone = [uvloop.run(quiet.measure(seconds))]
        for way in WAYS:
            if way.name in (ways or [each.name for each in WAYS]):
                found[way.name], told[way.name] = uvloop.run(_beside(quiet, loud, way, seconds))
                stage.trial.settle()
        # A disk is slower at times: that must not be taken for what the other app does.
        alone.append(uvloop.run(quiet.measure(seconds)))
        found[ALONE] = _figures(*alone)
    return found, told


def _figures(*waits: Waits) -> Found:
    """Return the percentiles of measurements together."""
    together = {what: sorted(chain(*(each[what] for each in waits))) for what in waits[0]}
    return {
        (what, percent): Measured(0.0, together[what]).percentile(percent)
        for what, percent in FIGURES
    }


async def _beside(quiet: Quiet, loud: Loud, way: Way, seconds: float) -> tuple[Found, str]:
    requests = way.make(loud)
    async with being_loud(quiet.node.port, requests, way.connections) as answers:
        await asyncio.sleep(WARM_UP_SECONDS)
        try:
            found = _figures(await quiet.measure(seconds))
        except (WrongAnswer, TimeoutError) as failure:
            return {}, f"the quiet app got {str(failure)[:80]!r}"
    return found, statuses(answers)


def _show(
    console: Console, title: str, found: Mapping[str, Found], told: Mapping[str, str]
) -> None:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("")
    for what, percent in FIGURES:
        table.add_column(f"{what} p{percent}", justify="right")
    table.add_column("the other app got")
    for name, figures in found.items():
        cells = [_cell(figures, found[ALONE], figure) for figure in FIGURES]
        table.add_row(name, *cells, told.get(name, ""))
    console.print(table)


def _cell(figures: Found, alone: Found, figure: tuple[str, int]) -> str:
    if figure not in figures:
        return "-"
    return f"{figures[figure] * 1000:.1f} ({figures[figure] / alone[figure]:.1f})"
