"""What was measured of the compared sides, as tables: medians of the rounds, and ratios."""

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan

from rich import box
from rich.console import Console
from rich.table import Table

from bench.compare.meter import PARTS, POSTGRES, Usage
from bench.load.generator import Measured
from bench.load.scenarios import Scenario

PERCENTILES = (50, 99)
EXPLANATION = (
    "Medians of the rounds; ratios of the rates, to the first row. For each send, row or page:\n"
    "µs of CPU, of the nodes by part and of PostgreSQL, and bytes of log.\n"
    "Generator: the share of its core that the load generator used.\n"
)
Figure = Callable[[Measured, Usage], float]
Run = tuple[Measured, Usage] | str
"""A measurement, or the reason why a side cannot do it."""


@dataclass(slots=True)
class Runs:
    """All runs of a side in a scenario."""

    measured: list[tuple[Measured, Usage]] = field(default_factory=list)
    lack: str = ""

    def add(self, run: Run) -> None:
        if isinstance(run, str):
            self.lack = run
        else:
            self.measured.append(run)

    def median(self, figure: Figure) -> float:
        """Return the median of a figure over the runs."""
        return statistics.median(figure(*run) for run in self.measured)


def show(console: Console, title: str, scenario: Scenario, sides: Mapping[str, Runs]) -> None:
    """Show the figures of each side, and why some have none."""
    able = [runs for runs in sides.values() if runs.measured]
    parts = [part for part in PARTS if any(runs.median(_cpu(part)) for runs in able)]
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    latencies = (f"p{percent}, ms" for percent in PERCENTILES)
    table.add_column("")
    rates = (f"{scenario.unit}/s", "ratio")
    for column in (*rates, *latencies, "CPU", *parts, "log", "generator"):
        table.add_column(column, justify="right")
    for name, runs in sides.items():
        cells = _cells(scenario, runs, able[0], parts) if runs.measured else ["-"]
        table.add_row(name, *cells)
    console.print(table)
    for name, runs in sides.items():
        if runs.lack:
            console.print(f"{name} cannot do this: {runs.lack}", highlight=False, markup=False)


def _cells(scenario: Scenario, runs: Runs, first: Runs, parts: Sequence[str]) -> Iterator[str]:
    rate, rows = runs.median(_rate), scenario.per_answer
    yield f"{rate * rows:,.0f}"
    yield f"{rate / first.median(_rate):.2f}"
    for percent in PERCENTILES:
        latency = runs.median(_latency(percent))
        yield "-" if isnan(latency) else f"{latency * 1000:.2f}"
    for figure in (_cpu_of_nodes, *map(_cpu, parts)):
        yield f"{runs.median(figure) * 1e6 / rows:.0f}"
    yield f"{runs.median(_log) / rows:,.0f}"
    yield f"{runs.median(lambda measured, _: measured.generator):.0%}"


def _rate(measured: Measured, _: Usage) -> float:
    return measured.rate


def _latency(percent: float) -> Figure:
    return lambda measured, _: measured.percentile(percent)


def _cpu(part: str) -> Figure:
    """Return a function that returns the CPU seconds of a part for an answer."""
    return lambda measured, used: used.cpu[part] / measured.answers


def _cpu_of_nodes(measured: Measured, used: Usage) -> float:
    return sum(used.cpu[part] for part in PARTS if part != POSTGRES) / measured.answers


def _log(measured: Measured, used: Usage) -> float:
    return used.log_bytes / measured.answers
