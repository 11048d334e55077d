"""The command line: which scenarios are run against which driver."""

import argparse
import asyncio
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence

from conformance.report import render, render_list
from conformance.scenarios import SCENARIOS
from conformance.stage import Skipped, Stage
from conformance.verdict import FASTEST, Broken, NoDriver, Scenario, Verdict

AT_A_TIME = 8
PATIENCE_SECONDS = 30.0
HELP = """\
Check a client of Hubbub's socket against its specification, docs/reference/client.md.

COMMAND is a driver: a small program around the client, which the suite starts once for each
scenario. README.md, beside this program, has the lines that pass between both.
"""
EXAMPLES = """\
examples:
  python clients/conformance -- python examples/sockets/driver.py
  python clients/conformance first-frame doubled-event -- node driver.mjs
  python clients/conformance --trace --jobs 1 silent-server -- ./driver
  python clients/conformance --list

exit code: 0 if nothing has failed, 1 if something has, 2 if COMMAND is no driver
"""


def main(arguments: Sequence[str]) -> int:
    """Run what the arguments say; return the exit code."""
    parser = _parser()
    own, command = _split(list(arguments))
    options = parser.parse_args(own)
    if options.list:
        print(render_list(SCENARIOS.values()))
        return 0
    if unknown := [name for name in options.names if name not in SCENARIOS]:
        parser.error(f"There is no scenario {unknown[0]!r}; --list lists them.")
    if not command:
        parser.error("The command of the driver is missing: it follows `--`.")
    try:
        return asyncio.run(_report(options, command))
    except NoDriver as fault:
        print(fault, file=sys.stderr)
        return 2


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python clients/conformance",
        usage="%(prog)s [options] [SCENARIO …] -- COMMAND …",
        description=HELP,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("names", nargs="*", metavar="SCENARIO", help="the scenarios to run; all, if none is named")
    add("--list", action="store_true", help="list the scenarios and what they need, and end")
    add("--trace", action="store_true", help="show all that was said in scenarios that failed")
    speed = (
        "run the client's clock so many times as fast, at most (default: as each scenario has it)"
    )
    add("--speed", type=float, default=FASTEST, metavar="N", help=speed)
    patience = "wait so long for what must come (default: %(default).0f)"
    add("--patience", type=float, default=PATIENCE_SECONDS, metavar="SECONDS", help=patience)
    jobs = "run so many scenarios at a time (default: %(default)d)"
    add("--jobs", type=int, default=AT_A_TIME, metavar="N", help=jobs)
    return parser


async def _report(options: argparse.Namespace, command: Sequence[str]) -> int:
    began, kinds = time.monotonic(), Counter[str]()
    chosen = [SCENARIOS[name] for name in options.names] or list(SCENARIOS.values())
    running = run_all(
        chosen, command, speed=options.speed, patience=options.patience, jobs=options.jobs
    )
    async for verdict in running:
        kinds[verdict.kind] += 1
        print(render(verdict, with_trace=options.trace), flush=True)
    counts = ", ".join(f"{kinds[kind]} {kind}" for kind in ("passed", "failed", "skipped"))
    print(f"\n{counts} in {time.monotonic() - began:.1f} s")
    return 1 if kinds["failed"] else 0


async def run_all(
    scenarios: Sequence[Scenario],
    command: Sequence[str],
    *,
    speed: float = FASTEST,
    patience: float = PATIENCE_SECONDS,
    jobs: int = AT_A_TIME,
) -> AsyncIterator[Verdict]:
    """Run scenarios, several at a time; yield the verdicts in their order.

    Raises:
        NoDriver: the command is no driver.
    """
    turns = asyncio.Semaphore(jobs)

    async def take_turn(scenario: Scenario) -> Verdict:
        async with turns:
            return await run(scenario, command, speed=min(speed, scenario.speed), patience=patience)

    tasks = [asyncio.create_task(take_turn(each)) for each in scenarios]
    try:
        for task in tasks:
            yield await task
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def run(
    scenario: Scenario, command: Sequence[str], *, speed: float, patience: float
) -> Verdict:
    """Run a scenario against a driver.

    Raises:
        NoDriver: the command is no driver.
    """
    async with Stage(command, speed, patience) as stage:
        try:
            await stage.start(scenario.needs)
            await scenario.script(stage)
            stage.check_faults(scenario.sentence)
        except Skipped as skipped:
            return Verdict(scenario, lacks=skipped.lacks)
        except Broken as broken:
            return Verdict(scenario, broken=broken, trace=list(stage.trace))
    return Verdict(scenario)
