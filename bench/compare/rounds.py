"""Compare versions, or sizes of the store: the same load in turn, round by round, on one machine.

The speed of a shared machine drifts from minute to minute. Only figures of the same run compare, so
each round measures every side, and the ratio is that of the medians over all rounds.
"""

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rich.console import Console
from tests.live import LiveNode
from tests.postgres import find_installation

from bench import report
from bench.compare import tables
from bench.compare.meter import Meter
from bench.compare.tables import Run, Runs
from bench.load.client import Refused
from bench.load.generator import WrongAnswer
from bench.load.scenarios import ONE, SENDS, Scenario, Trial
from bench.load.scene import Scene
from bench.machine import choose_cores, describe
from bench.stores import POSTGRES, Stores, Variant

WARM_UP_SECONDS = 1.0
Opened = tuple[Sequence[LiveNode], Scene]
AllRuns = dict[tuple[str, str, str], Runs]
"""The runs by names of variant, scenario and side."""


class Side(Protocol):
    """One of the things compared."""

    @property
    def name(self) -> str: ...

    @property
    def may_lack(self) -> bool:
        """Return whether it may be unable to do some scenarios."""
        ...

    def open(self, stores: Stores, variant: Variant) -> AbstractContextManager[Opened]:
        """Yield nodes that run, and a scene on them."""
        ...


@dataclass(frozen=True, slots=True)
class Plan:
    """The extent of a comparison."""

    variants: Sequence[Variant]
    scenarios: Sequence[Scenario]
    rounds: int
    seconds: float

    def scenarios_of(self, variant: Variant) -> Sequence[Scenario]:
        """Return what is measured of a variant: of those that differ in the network, sends."""
        if variant.delay_seconds:
            return [each for each in self.scenarios if each in {ONE, SENDS}]
        if variant.nodes > 1:
            return [each for each in self.scenarios if each is SENDS]
        return self.scenarios


def compare(console: Console, plan: Plan, make_sides: Callable[[Stores], Sequence[Side]]) -> None:
    """Measure all sides in turn, and print a table for each variant and scenario."""
    runs: AllRuns = defaultdict(Runs)
    with _opened_stores() as stores:
        report.show_machine(console, describe(stores.folder, _version(plan)))
        sides = make_sides(stores)
        try:
            for number in range(plan.rounds):
                with console.status(f"round {number + 1} of {plan.rounds}"):
                    _run_round(stores, plan, sides if number % 2 else sides[::-1], runs)
        finally:  # the figures of the rounds before a failure are worth having
            _show(console, plan, sides, runs)


def _run_round(stores: Stores, plan: Plan, sides: Sequence[Side], runs: AllRuns) -> None:
    for variant in plan.variants:
        for scenario in plan.scenarios_of(variant):
            for side in sides:
                run = _measure(stores, variant, side, scenario, plan.seconds)
                runs[variant.name, scenario.name, side.name].add(run)


def _show(console: Console, plan: Plan, sides: Sequence[Side], runs: AllRuns) -> None:
    console.print(tables.EXPLANATION)
    for variant in plan.variants:
        for scenario in plan.scenarios_of(variant):
            found = {side.name: runs[variant.name, scenario.name, side.name] for side in sides}
            tables.show(console, f"{variant.name}: {scenario.about}", scenario, found)


def _version(plan: Plan) -> str | None:
    """Return the version of PostgreSQL, if it is measured."""
    is_postgres = any(variant.engine == POSTGRES for variant in plan.variants)
    return find_installation().run("postgres", "--version").split()[-1] if is_postgres else None


@contextmanager
def _opened_stores() -> Iterator[Stores]:
    cores = choose_cores()
    with (
        tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder,
        closing(Stores(Path(folder), cores)) as stores,
    ):
        yield stores


def _measure(
    stores: Stores, variant: Variant, side: Side, scenario: Scenario, seconds: float
) -> Run:
    """Run a scenario on nodes of its own, so that none is measured on what others have stored."""
    postgres = stores.postgres() if variant.engine == POSTGRES else None
    with side.open(stores, variant) as (nodes, scene):
        meter = Meter(nodes, postgres)
        trial = Trial(nodes, scene, WARM_UP_SECONDS, seconds, meter)
        try:
            return scenario.run(trial), meter.usage()
        except (Refused, WrongAnswer) as lack:
            if not side.may_lack:
                raise
            return str(lack)
