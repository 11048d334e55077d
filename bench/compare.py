"""Compare this checkout with other commits: the same load in turn, round by round, on one machine.

The speed of a shared machine drifts from minute to minute. Only figures of the same run compare, so
each round measures every version, and the ratio is that of the medians over all rounds.
"""

import asyncio
import json
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import uvloop
from rich import box
from rich.console import Console
from rich.table import Table
from tests.live import LiveNode

from bench import profile, report
from bench.load import Measured, measure
from bench.machine import choose_cores, describe
from bench.people import make_people
from bench.scenarios import Scenario, make_scenarios
from bench.stores import Stores, Variant

ROOT = Path(__file__).parents[1]
HERE = "this checkout"
PARTS = ("event loop", "writer", "search index", "other threads")
PART_OF_THREAD = {"MainThread": PARTS[0], "hubbub-writer": PARTS[1], "hubbub-slow_": PARTS[2]}
"""The part that a thread belongs to, by the beginning of its name."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the code and the folder that its package is imported from."""

    name: str
    source: Path


@dataclass(slots=True)
class Runs:
    """The measurements of one version and scenario; `cpu` is in seconds per answer, by part."""

    measured: list[Measured] = field(default_factory=list)
    cpu: list[Counter[str]] = field(default_factory=list)

    def rate(self, scenario: Scenario) -> float:
        return statistics.median(run.rate for run in self.measured) * scenario.per_answer

    def latency(self, percent: float) -> float:
        return statistics.median(run.percentile(percent) for run in self.measured)

    def cpu_microseconds(self, part: str, scenario: Scenario) -> float:
        return statistics.median(cpu[part] for cpu in self.cpu) * 1e6 / scenario.per_answer


def compare(
    console: Console,
    commits: Sequence[str],
    variants: Sequence[Variant],
    rounds: int,
    seconds: float,
) -> None:
    """Measure sends and imports of this checkout and of `commits`, and print the ratios."""
    runs: dict[tuple[str, str, str], Runs] = defaultdict(Runs)
    cores = choose_cores()
    with (
        tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder,
        closing(Stores(Path(folder), cores)) as stores,
    ):
        report.show_machine(console, describe(stores.folder, None))
        versions = [*(_extract(commit, Path(folder)) for commit in commits), _this_checkout()]
        for number in range(rounds):
            for variant in variants:
                for version in versions if number % 2 else versions[::-1]:
                    with console.status(f"round {number + 1} of {rounds}: {version.name}"):
                        _measure(stores, variant, version, seconds, runs)
    for variant in variants:
        for scenario in make_scenarios(""):
            found = {each.name: runs[variant.name, each.name, scenario.name] for each in versions}
            console.print(_table(f"{variant.name}, {scenario.name}", scenario, found))


def _extract(commit: str, folder: Path) -> Version:
    """Put the package of a commit into a folder of its own."""
    archive = subprocess.run(
        ["git", "archive", "--format=tar", commit, "src"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    target = folder / f"version-{commit}"
    with tarfile.open(fileobj=BytesIO(archive)) as packed:
        packed.extractall(target, filter="data")
    return Version(commit, target / "src")


def _this_checkout() -> Version:
    return Version(HERE, ROOT / "src")


def _measure(
    stores: Stores,
    variant: Variant,
    version: Version,
    seconds: float,
    runs: dict[tuple[str, str, str], Runs],
) -> None:
    with stores.node(variant, PYTHONPATH=str(version.source)) as node:
        key = asyncio.run(make_people(node))
        for scenario in make_scenarios(key):
            found = runs[variant.name, version.name, scenario.name]
            with _cpu_counted(node) as spent:
                measured = uvloop.run(
                    measure(node.port, scenario.load, warm_up_seconds=1, seconds=seconds)
                )
            answers = len(measured.latencies) * (seconds + 1) / seconds
            found.measured.append(measured)
            found.cpu.append(Counter({part: each / answers for part, each in spent.items()}))


@contextmanager
def _cpu_counted(node: LiveNode) -> Iterator[Counter[str]]:
    """Count the CPU seconds of the server's threads by part, the warm-up included."""
    assert node.process is not None
    pid = node.process.pid
    spent: Counter[str] = Counter()
    before = profile.cpu_seconds(pid)
    yield spent
    after, names = profile.cpu_seconds(pid), _thread_names(pid)
    for thread, used in after.items():
        spent[_part(names.get(thread, ""))] += used - before[thread]


def _thread_names(pid: int) -> dict[int, str]:
    """Return the names of a process's threads by number; of the first alone without py-spy."""
    spy = Path(sys.executable).with_name("py-spy")
    done = subprocess.run(
        [spy, "dump", "--json", "--pid", str(pid)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        return {pid: "MainThread"}
    return {each["os_thread_id"]: each["thread_name"] for each in json.loads(done.stdout)}


def _part(thread: str) -> str:
    fits = (part for beginning, part in PART_OF_THREAD.items() if thread.startswith(beginning))
    return next(fits, PARTS[-1])


def _table(title: str, scenario: Scenario, found: dict[str, Runs]) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("")
    for column in (f"{scenario.unit}/s", "ratio", "p50, ms", "p99, ms", *PARTS):
        table.add_column(column, justify="right")
    first = next(iter(found.values())).rate(scenario)
    for name, runs in found.items():
        rate = runs.rate(scenario)
        latencies = (f"{runs.latency(percent) * 1000:.2f}" for percent in (50, 99))
        cpu = (f"{runs.cpu_microseconds(part, scenario):.0f} µs" for part in PARTS)
        table.add_row(name, f"{rate:,.0f}", f"{rate / first:.2f}", *latencies, *cpu)
    return table
