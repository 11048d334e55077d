"""Measure a node on both engines: sends, long lists, long histories and search, and files.

For messages the server runs alone on one core; the load generator and PostgreSQL share another.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import uvloop
from rich.console import Console
from tests.live import LiveNode
from tests.postgres import PostgresMissing, find_installation

from bench import attachments, compare, history, lists, profile, report
from bench.archive import Size
from bench.load import Measured, measure
from bench.machine import choose_cores, describe, measure_fsync
from bench.people import make_people
from bench.scenarios import Scenario, make_scenarios
from bench.stores import POSTGRES, SQLITE, VARIANTS, Stores, Variant

MESSAGES, LISTS, HISTORY, FILES, COMPARE = PARTS = (
    "messages",
    "lists",
    "history",
    "files",
    "compare",
)


@dataclass(frozen=True, slots=True)
class Plan:
    """The extent of the measurement."""

    variants: tuple[Variant, ...]
    seconds: float
    warm_up_seconds: float
    runs: int
    with_muid: bool


def main() -> None:
    """Measure what the command line requests."""
    given = _parser().parse_args()
    cores = os.sched_getaffinity(0)
    plan = Plan(
        tuple(each for each in VARIANTS if given.engine in {None, each.engine}),
        seconds=given.seconds or (3 if given.quick else 10),
        warm_up_seconds=1 if given.quick else 2,
        runs=1 if given.quick else 3,
        with_muid=given.with_muid,
    )
    try:
        if given.part == COMPARE:
            compare.compare(
                Console(width=140), given.against, plan.variants, given.rounds, plan.seconds
            )
            return
        if given.part in {None, MESSAGES}:
            _run_plan(plan, is_profile=given.profile)
        if given.profile:
            return
        os.sched_setaffinity(0, cores)  # for messages we were limited to one of them
        engines = [given.engine] if given.engine else [SQLITE, POSTGRES]
        if given.part in {None, LISTS}:
            _run_lists(engines, is_quick=given.quick)
        if given.part in {None, HISTORY}:
            _run_history(engines, _size(given), is_quick=given.quick)
        if given.part in {None, FILES}:
            _run_files(is_quick=given.quick)
    except PostgresMissing as problem:
        sys.exit(f"PostgreSQL can't be measured: {problem}. Without it: --engine {SQLITE}")


def _run_plan(plan: Plan, *, is_profile: bool) -> None:
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


def _run_lists(engines: Sequence[str], *, is_quick: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder:
        seconds = 0.2 if is_quick else 1.0
        lists.measure_lists(Console(width=120), Path(folder), engines, seconds=seconds)


def _run_history(engines: Sequence[str], size: Size, *, is_quick: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder:
        seconds = 0.2 if is_quick else 1.0
        history.measure_history(Console(width=120), Path(folder), engines, size, seconds=seconds)


def _size(given: argparse.Namespace) -> Size:
    usual = history.QUICK if given.quick else history.FULL
    return Size(given.messages or usual.messages, given.members or usual.members)


def _run_files(*, is_quick: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder:
        megabytes = attachments.QUICK if is_quick else attachments.FULL
        attachments.measure_files(Console(width=120), Path(folder), megabytes)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("part", nargs="?", choices=PARTS, help="only this one")
    parser.add_argument("--engine", choices=(SQLITE, POSTGRES), help="only this one")
    parser.add_argument(
        "--seconds", type=float, help="seconds to measure each scenario of messages"
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer and shorter runs, smaller stores"
    )
    parser.add_argument("--messages", type=int, help="number of messages for history")
    parser.add_argument("--members", type=int, help="number of members of its largest group")
    parser.add_argument(
        "--against", nargs="+", default=["HEAD"], help="compare: the commits to compare with"
    )
    parser.add_argument("--rounds", type=int, default=5, help="compare: the number of rounds")
    parser.add_argument("--with-muid", action="store_true", help="give each message a muid")
    parser.add_argument("--profile", action="store_true", help="profile the server instead")
    return parser


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
    scenarios = make_scenarios("", with_muid=plan.with_muid)
    runs: dict[tuple[str, str], list[Measured]] = defaultdict(list)
    for run in range(plan.runs):
        for variant in plan.variants:
            with console.status(f"run {run + 1} of {plan.runs}: {variant.name}"):
                for name, measured in _measure_variant(stores, variant, plan):
                    runs[variant.name, name].append(measured)
    report.show_runs(console, scenarios, runs)
    _, load, _ = os.getloadavg()
    console.print(f"Load over the last 5 minutes, including our own: {load:.2f}")


def _measure_variant(stores: Stores, variant: Variant, plan: Plan) -> list[tuple[str, Measured]]:
    with stores.node(variant) as node:
        key = asyncio.run(make_people(node))
        return [
            (scenario.name, _run(node, scenario, plan))
            for scenario in make_scenarios(key, with_muid=plan.with_muid)
        ]


def _run(node: LiveNode, scenario: Scenario, plan: Plan) -> Measured:
    return uvloop.run(
        measure(
            node.port,
            scenario.load,
            warm_up_seconds=plan.warm_up_seconds,
            seconds=plan.seconds,
        )
    )


def _profile(console: Console, stores: Stores, plan: Plan) -> None:
    for variant in plan.variants:
        if variant.delay_seconds:
            continue
        with stores.node(variant) as node:
            key = asyncio.run(make_people(node))
            scenario = make_scenarios(key, with_muid=plan.with_muid)[profile.SCENARIO]
            console.rule(f"{variant.name}, {scenario.name}")
            try:
                _profile_node(console, node, scenario, plan)
            except profile.NotPermitted as refusal:
                console.print(f"py-spy may not look into the server: {refusal}")


def _profile_node(console: Console, node: LiveNode, scenario: Scenario, plan: Plan) -> None:
    assert node.process is not None
    pid = node.process.pid
    before, started = profile.cpu_seconds(pid), time.monotonic()
    bare = _run(node, scenario, plan)
    spent, seconds = profile.cpu_seconds(pid), time.monotonic() - started
    output = node.data.with_name("stacks")
    recorded = plan.warm_up_seconds + plan.seconds - profile.START_SECONDS
    with profile.recording(pid, output, recorded):
        watched = _run(node, scenario, plan)
    samples = profile.read_samples(output)
    with profile.recording(pid, output, recorded, native=True):
        slowed = _run(node, scenario, plan)
    shares = Counter({each: (spent[each] - before[each]) / seconds for each in spent})
    profile.show_cpu(console, shares, samples)
    console.print(
        f"Sends/s: {bare.rate:,.0f} without py-spy, {watched.rate:,.0f} while it sampled "
        f"Python, {slowed.rate:,.0f} while it sampled C, too"
    )
    profile.show_python(console, samples)
    profile.show_kinds(console, profile.read_samples(output))


if __name__ == "__main__":
    main()
