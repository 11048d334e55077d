"""The first minute of a node whose store has just taken many messages: latencies, and stops."""

import itertools
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import msgspec
import uvloop
from rich import box
from rich.console import Console
from rich.table import Table
from tests.live import LiveNode
from tests.postgres import find_installation

from bench import report
from bench.load import sends
from bench.load.generator import measure
from bench.load.sends import CONNECTIONS
from bench.machine import choose_cores, describe
from bench.realtime.figures import STEADY_RATE
from bench.realtime.sockets import Latencies
from bench.realtime.stage import Stage
from bench.realtime.watched import KEPT, MARK, Stop
from bench.stores import POSTGRES, Stores, Variant

MESSAGES, MESSAGES_OF_QUICK = 100_000, 10_000
MINUTE, MINUTE_OF_QUICK = 60.0, 10.0
WATCHED = (sys.executable, "-m", "bench.realtime.watched")
FILLING_SECONDS = 1.0
STALLS = "bench.realtime.stalls"


def measure_after_burst(variants: Sequence[Variant], *, rounds: int, is_quick: bool) -> None:
    """Measure the variants in turn, and print what was found of each in each round."""
    console = Console(width=120)
    cores = choose_cores()
    seconds = MINUTE_OF_QUICK if is_quick else MINUTE
    with (
        tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder,
        closing(Stores(Path(folder), cores)) as stores,
    ):
        is_postgres = any(variant.engine == POSTGRES for variant in variants)
        version = (
            find_installation().run("postgres", "--version").split()[-1] if is_postgres else None
        )
        report.show_machine(console, describe(stores.folder, version))
        for number, variant in itertools.product(range(rounds), variants):
            with console.status(f"round {number + 1} of {rounds}: {variant.name}"):
                messages = MESSAGES_OF_QUICK if is_quick else MESSAGES
                _measure(console, stores, variant, messages, seconds)


def _measure(
    console: Console, stores: Stores, variant: Variant, messages: int, seconds: float
) -> None:
    """Fill a store, start a node on it at once, and watch its first minute."""
    settings = stores.settings(stores.create(variant.engine))
    node = LiveNode(settings)
    with stores.cores.of_server():
        node.start()
    try:
        stage = Stage([node], seconds)
        people = stage.people(stage.receivers)
        load = replace(stage.to_receivers(), connections=CONNECTIONS, rate=STEADY_RATE)
        _fill(stage, messages)
        node.stop()
        node.program = WATCHED
        with stores.cores.of_server():
            node.start()
        latencies = Latencies()

        async def first_minute() -> None:
            with await stage.open(people, latencies):
                await measure([node.port], load, warm_up_seconds=0, seconds=seconds)

        with _stalls() as stalls:
            uvloop.run(first_minute())
        node.stop()
    finally:
        node.__exit__(None, None, None)
    _show(console, variant, latencies.all(), stalls, _stops_of(node))


def _fill(stage: Stage, messages: int) -> None:
    """Send messages as fast as the node takes them."""
    load, done = sends.one_to_one(stage.scene), 0
    trial = replace(stage.trial, warm_up_seconds=0, seconds=FILLING_SECONDS)
    while done < messages:
        done += uvloop.run(trial.measure(load)).answers


@contextmanager
def _stalls() -> Iterator[list[float]]:
    """Yield the stalls of the machine within the block, in seconds, once it has ended."""
    found: list[float] = []
    command = (sys.executable, "-m", STALLS)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield found
        output, _ = process.communicate()
    found += msgspec.json.decode(output, type=list[float])


def _stops_of(node: LiveNode) -> list[Stop]:
    line = next(each for each in node.output.splitlines()[::-1] if each.startswith(MARK))
    return msgspec.json.decode(line.removeprefix(MARK), type=list[Stop])


def _show(
    console: Console,
    variant: Variant,
    took: Sequence[float],
    stalls: Sequence[float],
    stops: Sequence[Stop],
) -> None:
    parts = [f"p{part:g} {_ms(took[int(len(took) * part / 100)])}" for part in (50, 99, 99.9)]
    console.print(
        f"{variant.name}: {len(took):,} messages in the first minute, send to receiver: "
        f"{', '.join(parts)}, longest {_ms(took[-1])}"
    )
    console.print(
        f"Stalls of the machine meanwhile: {len(stalls)}, {_ms(sum(stalls))} in all, the longest "
        f"{', '.join(map(_ms, sorted(stalls, reverse=True)[:3])) or 'none'}"
    )
    table = Table(
        "where", "by what", "ms", "of it CPU", box=box.SIMPLE_HEAD, title=f"The longest {KEPT} each"
    )
    for stop in stops:
        table.add_row(stop.where, stop.cause, _ms(stop.seconds), _ms(stop.cpu_seconds))
    console.print(table)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f}"
