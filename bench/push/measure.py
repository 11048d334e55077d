"""Measure pushes of messages to a large group, and what they cost those who send messages."""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import uvloop
from rich import box
from rich.console import Console
from rich.table import Table
from tests.live import LiveNode
from tests.postgres import find_installation

from bench import profile, report
from bench.load import sends
from bench.load.client import Client
from bench.load.generator import Measured
from bench.load.requests import HOST, Load
from bench.load.scenarios import Trial
from bench.load.scene import Scene
from bench.machine import choose_cores, describe
from bench.push.audience import GUID, SENDER, Audience, fill
from bench.push.progress import Progress
from bench.stores import POSTGRES, Stores, Variant
from hubbub.bootstrap import open_runtime
from hubbub.config import Settings

MEMBERS, QUICK_MEMBERS = 10_000, 1_000
MESSAGES = 5
"""Those that are sent one after the other for the rate of pushes."""
WARM_UP_SECONDS = 1.0
HIGHEST_SECONDS = 3.0
SHARE = 0.5
"""Sends are measured at this share of their highest rate."""
PAUSE_SECONDS = 0.02
MOST_SECONDS = 120.0
WORDS = "Half-time in a minute: see you all at the north gate"


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one run; times are in seconds."""

    rate: float
    """Pushes in a second, from the first message until the last push has arrived."""
    cpu: float
    """What the node's process used for a push, of everything from the message to the log."""
    planned: float
    """From the answer to a message until everyone is planned, when nothing else is done."""
    planned_beside: float
    """The same while messages are sent at half of the highest rate."""
    sends: float
    """The sends in a second at which latencies are measured."""
    usual: float
    """The 99th percentile of the latency of sends."""
    beside: float
    """The same while large messages are planned and pushed, one after the other."""


class Gateway:
    """A running gateway."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.port, self.token_port = map(int, self._read().split())

    def count(self) -> int:
        """Return the number of pushes so far."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return int(self._read())

    def environment(self) -> dict[str, str]:
        """Return the settings of a node that pushes to it."""
        return {
            "HUBBUB_OUTBOUND_ALLOW": f"{HOST}/32",
            "HUBBUB_FCM_URL": f"http://{HOST}:{self.port}",
            "HUBBUB_GOOGLE_TOKEN_URL": f"http://{HOST}:{self.token_port}/token",
        }

    def _read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


@contextmanager
def receiving() -> Iterator[Gateway]:
    """Run a gateway, on the core of the load generator."""
    command = (sys.executable, "-m", "bench.push.gateway")
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Gateway(process)
        finally:
            process.communicate()


@dataclass(frozen=True, slots=True)
class Stage:
    """A node with a large group, and the gateway that it pushes to."""

    node: LiveNode
    audience: Audience
    gateway: Gateway
    progress: Progress

    def send(self, client: Client) -> None:
        """Send a message to the group."""
        body = {"receiver": GUID, "receiverType": "group", "data": {"text": WORDS}}
        client.post("/messages", body, as_=SENDER)

    def wait_until_pushed(self, total: int) -> None:
        """Wait until the gateway has so many pushes in all."""
        deadline = time.monotonic() + MOST_SECONDS
        while self.gateway.count() < total:
            assert time.monotonic() < deadline, "pushes are missing"
            time.sleep(PAUSE_SECONDS)

    def wait_until_planned(self) -> None:
        """Wait until what has been sent so far is planned."""
        target = self.progress.newest()
        deadline = time.monotonic() + MOST_SECONDS
        while self.progress.planned() < target:
            assert time.monotonic() < deadline, "nothing is planned"
            time.sleep(PAUSE_SECONDS)

    def cpu_seconds(self) -> float:
        """Return the CPU seconds of the node so far."""
        assert self.node.process is not None
        return sum(profile.cpu_seconds(self.node.process.pid).values())


def measure_pushes(
    variants: Sequence[Variant], *, members: int, seconds: float, rounds: int
) -> None:
    """Measure, and print the medians."""
    console = Console(width=140)
    found: dict[str, list[Figures]] = {}
    with (
        tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder,
        closing(Stores(Path(folder), choose_cores())) as stores,
    ):
        is_postgres = any(variant.engine == POSTGRES for variant in variants)
        version = (
            find_installation().run("postgres", "--version").split()[-1] if is_postgres else None
        )
        report.show_machine(console, describe(stores.folder, version))
        for _ in range(rounds):
            for variant in variants:
                for is_mixed in (False, True):
                    name = f"{variant.name}{', mixed' if is_mixed else ''}"
                    figures = _measure(stores, variant, members, seconds, is_mixed=is_mixed)
                    found.setdefault(name, []).append(figures)
                    console.print(name, ", ".join(f"{each:.4g}" for each in astuple(figures)))
    _show(console, found, members)


def _measure(
    stores: Stores, variant: Variant, members: int, seconds: float, *, is_mixed: bool
) -> Figures:
    """Measure on a new store."""
    store = stores.create(variant.engine)
    settings = stores.settings(store)
    with stores.cores.of_both():
        audience = uvloop.run(_fill(settings, members, is_mixed=is_mixed))
    with (
        receiving() as gateway,
        stores.nodes(variant, store, **gateway.environment()) as (node,),
        closing(Progress.open(settings, audience.app_id)) as progress,
    ):
        stage = Stage(node, audience, gateway, progress)
        figures = _measure_stage(stage, seconds)
    stores.remove(store)
    return figures


async def _fill(settings: Settings, members: int, *, is_mixed: bool) -> Audience:
    async with open_runtime(settings) as runtime:
        return await fill(runtime, members, is_mixed=is_mixed)


def _measure_stage(stage: Stage, seconds: float) -> Figures:
    client = Client(stage.node.port, {"apikey": stage.audience.key})
    scene = Scene(client, stage.audience.app_id, stage.audience.key)
    trial = Trial([stage.node], scene, WARM_UP_SECONDS, seconds, nullcontext())
    load = sends.one_to_one(scene)
    trial.settle()
    _push(stage, client, 1)  # opens connections, and gets the token
    trial.settle()
    planned = _time_plan(stage, client)
    trial.settle()
    spent = stage.cpu_seconds()
    rate = _push(stage, client, MESSAGES)
    trial.settle()
    cpu = (stage.cpu_seconds() - spent) / (MESSAGES * stage.audience.reached)
    highest = replace(trial, seconds=HIGHEST_SECONDS).run(load).rate
    load = replace(load, rate=SHARE * highest)
    usual = trial.run(load)
    trial.settle()
    beside, planned_beside = uvloop.run(_beside(stage, trial, load))
    client.close()
    return Figures(
        rate, cpu, planned, planned_beside, usual.rate, usual.percentile(99), beside.percentile(99)
    )


def _push(stage: Stage, client: Client, messages: int) -> float:
    """Return the pushes in a second, from the first message until the last push."""
    pushes = messages * stage.audience.reached
    total = stage.gateway.count() + pushes
    began = time.monotonic()
    for _ in range(messages):
        stage.send(client)
    stage.wait_until_pushed(total)
    return pushes / (time.monotonic() - began)


def _time_plan(stage: Stage, client: Client) -> float:
    total = stage.gateway.count() + stage.audience.reached
    stage.send(client)
    began = time.monotonic()
    stage.wait_until_planned()
    took = time.monotonic() - began
    stage.wait_until_pushed(total)
    return took


async def _beside(stage: Stage, trial: Trial, load: Load) -> tuple[Measured, float]:
    """Return sends while large messages are planned and pushed, and how long the plans took."""
    took: list[float] = []
    is_over = False

    def push() -> None:
        client = Client(stage.node.port, {"apikey": stage.audience.key})
        while not is_over:
            took.append(_time_plan(stage, client))
        client.close()

    pushing = asyncio.create_task(asyncio.to_thread(push))
    measured = await trial.measure(load)
    is_over = True
    await pushing
    return measured, statistics.median(took)


def _show(console: Console, found: dict[str, list[Figures]], members: int) -> None:
    title = f"messages to a group of {members:,}, each of whom has a device"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for column in (
        "",
        "pushes/s",
        "CPU, µs",
        "planned, s",
        "beside sends, s",
        "sends/s",
        "p99, ms",
        "beside pushes, ms",
        "ratio",
    ):
        table.add_column(column, justify="right" if column else "left")
    for name, rounds in found.items():
        median = Figures(
            *(statistics.median(each) for each in zip(*map(astuple, rounds), strict=True))
        )
        table.add_row(
            name,
            f"{median.rate:,.0f}",
            f"{1e6 * median.cpu:.0f}",
            f"{median.planned:.2f}",
            f"{median.planned_beside:.2f}",
            f"{median.sends:,.0f}",
            f"{1000 * median.usual:.1f}",
            f"{1000 * median.beside:.1f}",
            f"{statistics.median(each.beside / each.usual for each in rounds):.2f}",
        )
    console.print(table)
