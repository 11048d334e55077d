"""Figures as tables: medians of the runs, with minimum and maximum."""

import statistics
from collections.abc import Callable, Mapping, Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from bench.load.generator import Measured
from bench.load.scenarios import Scenario

PERCENTILES = (50, 95, 99)
Runs = Mapping[tuple[str, str], Sequence[Measured]]
"""The runs by names of variant and scenario."""


def show_machine(console: Console, facts: Sequence[tuple[str, str]]) -> None:
    """Show the machine."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, text in facts:
        table.add_row(f"[bold]{name}", text)
    console.print(table)


def show_floor(console: Console, floor: str, took: Sequence[float]) -> None:
    """Show the lower bounds of all figures; `took` is in seconds, ascending."""
    at = [took[min(len(took) - 1, len(took) * percent // 100)] for percent in PERCENTILES]
    told = ", ".join(
        f"p{percent} {_ms(seconds)}" for percent, seconds in zip(PERCENTILES, at, strict=True)
    )
    console.print(f"{floor}, ms: {told} ({len(took)} times)")


def show_runs(console: Console, scenarios: Sequence[Scenario], runs: Runs) -> None:
    """Show one table for each scenario, one row for each variant."""
    for scenario in scenarios:
        columns = (f"{scenario.unit}/s", *(f"p{percent}, ms" for percent in PERCENTILES))
        table = Table(title=scenario.about, title_justify="left", box=box.SIMPLE_HEAD)
        table.add_column("")
        for column in columns:
            table.add_column(column, justify="right")
        for (variant, name), measured in runs.items():
            if name == scenario.name:
                table.add_row(variant, *_cells(scenario, measured))
        console.print(table)


def _cells(scenario: Scenario, measured: Sequence[Measured]) -> list[str]:
    rates = [run.rate * scenario.per_answer for run in measured]
    return [
        _spread(rates, "{:,.0f}".format),
        *(_spread([run.percentile(percent) for run in measured], _ms) for percent in PERCENTILES),
    ]


def _spread(values: Sequence[float], show: Callable[[float], str]) -> str:
    """Return the median, with minimum and maximum."""
    median = show(statistics.median(values))
    if len(values) == 1:
        return median
    return f"{median} ({show(min(values))}-{show(max(values))})"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f}"
