"""Measure sends and imports of this checkout, or profile them."""

import os
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from tests.live import LiveNode
from tests.postgres import find_installation

from bench import profile, report
from bench.compare.versions import open_scene
from bench.load.generator import Measured
from bench.load.scenarios import IMPORTS, ONE, SENDS, Trial
from bench.machine import choose_cores, describe, measure_fsync
from bench.stores import POSTGRES, Stores, Variant

SCENARIOS = (ONE, SENDS, IMPORTS)


@dataclass(frozen=True, slots=True)
class Plan:
    """The extent of the measurement."""

    variants: Sequence[Variant]
    seconds: float
    warm_up_seconds: float
    runs: int


def measure_messages(plan: Plan, *, is_profile: bool) -> None:
    """Measure, or profile, and print the figures."""
    console = Console(width=120)
    cores = choose_cores()
    with (
        tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder,
        closing(Stores(Path(folder), cores)) as stores,
    ):
        _show_conditions(console, stores, plan)
        if is_profile:
            _profile(console, stores, plan)
        else:
            _measure(console, stores, plan)


def _show_conditions(console: Console, stores: Stores, plan: Plan) -> None:
    is_postgres = any(variant.engine == POSTGRES for variant in plan.variants)
    version = find_installation().run("postgres", "--version").split()[-1] if is_postgres else None
    cores = stores.cores
    placed = f"server on core {cores.server}; load generator"
    if is_postgres:
        placed += ", PostgreSQL and the wire that delays it"
    facts = [*describe(stores.folder, version), ("Cores", f"{placed} on core {cores.load}")]
    report.show_machine(console, facts)
    floor = "Appending 4 KiB and fsync on that disk"
    report.show_floor(console, floor, measure_fsync(stores.folder))
    for variant in plan.variants:
        if variant.engine == POSTGRES:
            floor = f"{variant.name}: a round trip of SELECT 1"
            report.show_floor(console, floor, stores.measure_round_trip(variant))
    console.print()


def _measure(console: Console, stores: Stores, plan: Plan) -> None:
    """Measure all variants in each run, so that a disturbance does not affect one of them alone."""
    runs: dict[tuple[str, str], list[Measured]] = defaultdict(list)
    for run in range(plan.runs):
        for variant in plan.variants:
            with console.status(f"run {run + 1} of {plan.runs}: {variant.name}"):
                for name, measured in _measure_variant(stores, variant, plan):
                    runs[variant.name, name].append(measured)
    report.show_runs(console, SCENARIOS, runs)
    _, load, _ = os.getloadavg()
    console.print(f"Load over the last 5 minutes, including our own: {load:.2f}")


def _measure_variant(stores: Stores, variant: Variant, plan: Plan) -> list[tuple[str, Measured]]:
    with stores.node(variant) as node:
        trial = _trial(node, plan)
        return [(scenario.name, scenario.run(trial)) for scenario in SCENARIOS]


def _trial(node: LiveNode, plan: Plan) -> Trial:
    scene = open_scene(node)
    return Trial([node], scene, plan.warm_up_seconds, plan.seconds, nullcontext())


def _profile(console: Console, stores: Stores, plan: Plan) -> None:
    for variant in plan.variants:
        if variant.delay_seconds:
            continue
        with stores.node(variant) as node:
            console.rule(f"{variant.name}, {SENDS.about}")
            try:
                _profile_node(console, node, plan)
            except profile.NotPermitted as refusal:
                console.print(f"py-spy may not look into the server: {refusal}")


def _profile_node(console: Console, node: LiveNode, plan: Plan) -> None:
    assert node.process is not None
    pid = node.process.pid
    trial = _trial(node, plan)
    before, started = profile.cpu_seconds(pid), time.monotonic()
    bare = SENDS.run(trial)
    spent, seconds = profile.cpu_seconds(pid), time.monotonic() - started
    output = node.data.with_name("stacks")
    recorded = plan.warm_up_seconds + plan.seconds - profile.START_SECONDS
    with profile.recording(pid, output, recorded):
        watched = SENDS.run(trial)
    samples = profile.read_samples(output)
    with profile.recording(pid, output, recorded, native=True):
        slowed = SENDS.run(trial)
    shares = Counter({each: (spent[each] - before[each]) / seconds for each in spent})
    profile.show_cpu(console, shares, samples)
    console.print(
        f"Sends/s: {bare.rate:,.0f} without py-spy, {watched.rate:,.0f} while it sampled "
        f"Python, {slowed.rate:,.0f} while it sampled C, too"
    )
    profile.show_python(console, samples)
    profile.show_kinds(console, profile.read_samples(output))
