"""Measure a node on both engines: sends, lists, files, imports, webhooks, pushes, sockets, others.

For messages the server runs alone on one core; the load generator and PostgreSQL share another.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from tests.postgres import PostgresMissing

from bench import attachments, backlog, importing, lists, messages, stats, webhooks
from bench.compare.filled import fill_stores
from bench.compare.rounds import Plan, Side, compare
from bench.compare.versions import extract, this_checkout
from bench.growing import measure_growing
from bench.history.archive import Size
from bench.history.measure import FULL, QUICK, measure_history
from bench.load.logs import LOGS, logs_scenario
from bench.load.scenarios import REPEATED, Scenario
from bench.load.steady import STEADY
from bench.loop import measure_stops
from bench.moderation import measure_moderation
from bench.neighbours import measure_neighbours
from bench.push import measure as pushes
from bench.realtime.burst import measure_after_burst
from bench.realtime.measure import measure_realtime
from bench.retention import measure_retention
from bench.stores import POSTGRES, SQLITE, TWO_NODES, VARIANTS, Stores

(
    MESSAGES,
    LISTS,
    HISTORY,
    FILES,
    WEBHOOKS,
    PUSH,
    REALTIME,
    GROWING,
    STATS,
    NEIGHBOURS,
    LOOP,
    MODERATION,
    IMPORT,
    RETENTION,
    COMPARE,
) = PARTS = (
    "messages",
    "lists",
    "history",
    "files",
    "webhooks",
    "push",
    "realtime",
    "growing",
    "stats",
    "neighbours",
    "loop",
    "moderation",
    "import",
    "retention",
    "compare",
)
MEMBERS_OF_FILLED = 1_000
NEIGHBOURS_SECONDS = 12.0
EXAMPLES = """compare:
  Measure versions of the code in turn, on one machine, and print ratios to the first of them:
    python -m bench compare --against f84fccf HEAD~1
    python -m bench compare --against HEAD~1 --engine sqlite --scenario sends muid --seconds 5
    python -m bench compare --against HEAD~1 --scenario logs --logs logs.tar.xz --rounds 1
  Measure this checkout on stores of several sizes in turn:
    python -m bench compare --sizes 10000 10000000 --scenario sends one newest middle

scenarios of compare:
"""


def main() -> None:
    """Measure what the command line requests."""
    given = _parse()
    engines = [given.engine] if given.engine else [SQLITE, POSTGRES]
    try:
        if given.part == COMPARE:
            _compare(given, engines)
        else:
            _measure(given, engines)
    except PostgresMissing as problem:
        sys.exit(f"PostgreSQL can't be measured: {problem}. Without it: --engine {SQLITE}")


def _measure(given: argparse.Namespace, engines: Sequence[str]) -> None:
    cores = os.sched_getaffinity(0)
    if given.part in {None, MESSAGES}:
        messages.measure_messages(_plan_of_messages(given, engines), is_profile=given.profile)
    if given.profile:
        return
    os.sched_setaffinity(0, cores)  # for messages we were limited to one of them
    if given.part in {None, LISTS}:
        _run_lists(engines, is_quick=given.quick)
    if given.part in {None, HISTORY}:
        _run_history(engines, _size(given), is_quick=given.quick)
    if given.part in {None, FILES}:
        _run_files(is_quick=given.quick)
    if given.part in {None, WEBHOOKS}:
        plan = _plan_of_messages(given, engines)
        variants = [each for each in plan.variants if not each.delay_seconds]
        webhooks.measure_webhooks(variants, seconds=plan.seconds, rounds=plan.runs)
        backlog.measure_backlog(variants, [0, 10_000 if given.quick else 1_000_000])
    if given.part in {None, PUSH}:
        _run_pushes(given, engines)
    if given.part in {None, REALTIME}:
        plan = _plan_of_messages(given, engines)
        variants = [each for each in plan.variants if not each.delay_seconds]
        rounds = given.rounds if given.part else plan.runs
        if given.after_burst:
            measure_after_burst(variants, rounds=rounds, is_quick=given.quick)
        else:
            measure_realtime(variants, seconds=plan.seconds, rounds=rounds, is_quick=given.quick)
    if given.part in {None, GROWING}:
        plan = _plan_of_messages(given, engines)
        variants = [each for each in plan.variants if not each.delay_seconds]
        measure_growing(variants, seconds=plan.seconds, is_quick=given.quick)
    if given.part in {None, STATS}:
        _run_stats(engines, is_quick=given.quick)
    if given.part == NEIGHBOURS:  # not with the others: it is about two apps, not about speed
        variants = [each for each in VARIANTS if each.engine in engines and not each.delay_seconds]
        sides = [] if given.against == ["HEAD"] else given.against
        measure_neighbours(variants, sides, seconds=given.seconds or NEIGHBOURS_SECONDS)
    if given.part in {None, LOOP}:
        _run_loop(engines, is_quick=given.quick)
    if given.part in {None, MODERATION}:
        _run_moderation(is_quick=given.quick)
    if given.part == RETENTION:  # likewise, with ten million messages
        _run_retention(engines, _size(given), _seconds(given))
    if given.part == IMPORT:  # not with the others: it takes an hour
        variants = [each for each in VARIANTS if each.engine in engines and not each.delay_seconds]
        usual = importing.QUICK_MESSAGES if given.quick else importing.MESSAGES
        importing.measure_imports(
            variants, messages=given.messages or usual, seconds=_seconds(given)
        )


def _plan_of_messages(given: argparse.Namespace, engines: Sequence[str]) -> messages.Plan:
    return messages.Plan(
        [each for each in VARIANTS if each.engine in engines],
        seconds=_seconds(given),
        warm_up_seconds=1 if given.quick else 2,
        runs=1 if given.quick else 3,
    )


def _seconds(given: argparse.Namespace) -> float:
    return float(given.seconds or (3 if given.quick else 10))


def _compare(given: argparse.Namespace, engines: Sequence[str]) -> None:
    console = Console(width=160)
    variants = [each for each in (*VARIANTS, TWO_NODES) if each.engine in engines]
    plan = Plan(variants, _chosen(given), given.rounds, _seconds(given))

    def sides(stores: Stores) -> Sequence[Side]:
        if given.sizes:
            sizes = [Size(each, given.members or MEMBERS_OF_FILLED) for each in given.sizes]
            return [fill_stores(console, stores, engines, size) for size in sizes]
        return [*(extract(each, stores.folder) for each in given.against), this_checkout()]

    compare(console, plan, sides)


def _chosen(given: argparse.Namespace) -> list[Scenario]:
    logs = [logs_scenario(given.logs)] if given.logs else []
    by_name = {each.name: each for each in (*REPEATED, *STEADY, *logs)}
    return [by_name[name] for name in given.scenario or [each.name for each in REPEATED]]


def _run_lists(engines: Sequence[str], *, is_quick: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder:
        seconds = 0.2 if is_quick else 1.0
        lists.measure_lists(Console(width=120), Path(folder), engines, seconds=seconds)


def _run_history(engines: Sequence[str], size: Size, *, is_quick: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder:
        seconds = 0.2 if is_quick else 1.0
        measure_history(Console(width=120), Path(folder), engines, size, seconds=seconds)


def _size(given: argparse.Namespace) -> Size:
    usual = QUICK if given.quick else FULL
    return Size(given.messages or usual.messages, given.members or usual.members)


def _run_retention(engines: Sequence[str], size: Size, seconds: float) -> None:
    with tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder:
        measure_retention(Console(width=120), Path(folder), engines, size, seconds=seconds)


def _run_pushes(given: argparse.Namespace, engines: Sequence[str]) -> None:
    plan = _plan_of_messages(given, engines)
    variants = [each for each in plan.variants if not each.delay_seconds]
    usual = pushes.QUICK_MEMBERS if given.quick else pushes.MEMBERS
    rounds = given.rounds if given.part else plan.runs
    members = given.members or usual
    pushes.measure_pushes(variants, members=members, seconds=plan.seconds, rounds=rounds)


def _run_files(*, is_quick: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder:
        megabytes = attachments.QUICK if is_quick else attachments.FULL
        attachments.measure_files(Console(width=120), Path(folder), megabytes)


def _run_stats(engines: Sequence[str], *, is_quick: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder:
        years = 1 if is_quick else 5
        stats.measure_stats(Console(width=120), Path(folder), engines, years=years)


def _run_loop(engines: Sequence[str], *, is_quick: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder:
        measure_stops(Console(width=120), Path(folder), engines, is_quick=is_quick)


def _run_moderation(*, is_quick: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder:
        measure_moderation(Console(width=120), Path(folder), is_quick=is_quick)


def _parse() -> argparse.Namespace:
    parser = make_parser()
    given = parser.parse_args()
    if LOGS in (given.scenario or ()) and given.logs is None:
        parser.error(f"the scenario {LOGS} needs --logs")
    return given


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the options."""
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description=__doc__,
        epilog=_explain(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("part", nargs="?", choices=PARTS, help="only this one")
    parser.add_argument("--engine", choices=(SQLITE, POSTGRES), help="only this one")
    parser.add_argument(
        "--seconds", type=float, help="seconds to measure each scenario of messages and compare"
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer and shorter runs, smaller stores"
    )
    parser.add_argument("--profile", action="store_true", help="messages: profile the server")
    parser.add_argument("--messages", type=int, help="number of messages for history and import")
    parser.add_argument("--members", type=int, help="number of members of the largest group")
    parser.add_argument(
        "--against",
        nargs="+",
        default=["HEAD"],
        help="compare, neighbours: the commits to compare with",
    )
    parser.add_argument(
        "--sizes", nargs="+", type=int, help="compare: numbers of messages, instead of commits"
    )
    parser.add_argument(
        "--rounds", type=int, default=5, help="compare, realtime and push: the number of rounds"
    )
    names = [each.name for each in (*REPEATED, *STEADY)]
    parser.add_argument(
        "--scenario",
        nargs="+",
        choices=[*names, LOGS],
        metavar="NAME",
        help="compare: what to measure (default: all of the first list below)",
    )
    parser.add_argument(
        "--after-burst",
        action="store_true",
        help="realtime: the first minute of a node whose store has just taken 100,000 messages",
    )
    parser.add_argument("--logs", type=Path, help="compare: the logs that `logs` imports")
    return parser


def _explain() -> str:
    """Return what `compare` can do, with its scenarios."""
    rows = [f"  {each.name:14} {each.about}" for each in REPEATED]
    further = [f"  {each.name:14} {each.about}" for each in STEADY]
    logs = f"  {LOGS:14} a complete import of IRC logs, read back and compared; needs --logs"
    return "\n".join([EXAMPLES + "\n".join(rows), "only if named:", *further, logs])


if __name__ == "__main__":
    main()
