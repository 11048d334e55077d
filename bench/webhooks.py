"""Measure deliveries to webhooks: how fast they are, and what they cost those who send messages."""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import astuple, dataclass
from pathlib import Path

import uvloop
from rich import box
from rich.console import Console
from rich.table import Table
from tests.postgres import find_installation

from bench import report
from bench.compare.versions import open_scene
from bench.load import sends
from bench.load.requests import HOST
from bench.load.scenarios import Trial
from bench.load.scene import Scene
from bench.machine import choose_cores, describe
from bench.stores import POSTGRES, Stores, Variant

WARM_UP_SECONDS = 1.0
INTERVAL_SECONDS = 0.5
MOST_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Rates:
    """Sends in a second without and with a webhook, and deliveries when nothing is sent."""

    without: float
    with_webhook: float
    meanwhile: float
    """Deliveries in a second while messages were sent."""
    afterwards: float
    """Deliveries in a second after the sends, while the rest is planned and indexed."""
    replayed: float
    """Deliveries in a second when there is nothing else to do."""


class Count:
    """A running receiver."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.port = int(self._read())

    def deliveries(self) -> int:
        """Return the number of deliveries so far."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return int(self._read())

    def _read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


@contextmanager
def receiving() -> Iterator[Count]:
    """Run a receiver, on the core of the load generator."""
    command = (sys.executable, "-m", "bench.receiver")
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Count(process)
        finally:
            process.communicate()


def measure_webhooks(variants: Sequence[Variant], *, seconds: float, rounds: int) -> None:
    """Measure, and print the medians."""
    console = Console(width=120)
    cores = choose_cores()
    found: dict[str, list[Rates]] = {variant.name: [] for variant in variants}
    with (
        tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder,
        closing(Stores(Path(folder), cores)) as stores,
    ):
        is_postgres = any(variant.engine == POSTGRES for variant in variants)
        version = (
            find_installation().run("postgres", "--version").split()[-1] if is_postgres else None
        )
        report.show_machine(console, describe(stores.folder, version))
        for _ in range(rounds):
            for variant in variants:
                found[variant.name].append(_measure(stores, variant, seconds))
    _show(console, found)


def _measure(stores: Stores, variant: Variant, seconds: float) -> Rates:
    """Measure on a new store: sends, sends with a webhook, then the rest of the deliveries."""
    store = stores.create(variant.engine)
    allowed = {"HUBBUB_OUTBOUND_ALLOW": f"{HOST}/32"}
    with stores.nodes(variant, store, **allowed) as (node,), receiving() as count:
        scene = open_scene(node)
        trial = Trial([node], scene, WARM_UP_SECONDS, seconds, nullcontext())
        without = trial.run(sends.one_to_one(scene)).rate
        _attach(scene, count.port)
        began = time.monotonic()
        with_webhook = uvloop.run(trial.measure(sends.one_to_one(scene))).rate
        delivered, passed = count.deliveries(), time.monotonic() - began
        afterwards = _drain(count)
        with trial.metered():  # which waits until the node has nothing to do
            pass
        scene.client.post("/webhooks/all/replay", {"fromTimestamp": 1, "toTimestamp": 2**32})
        return Rates(without, with_webhook, delivered / passed, afterwards, _drain(count))


def _attach(scene: Scene, port: int) -> None:
    """Attach a webhook to every message that is sent."""
    webhook = {
        "id": "all",
        "name": "All",
        "webhookURL": f"http://{HOST}:{port}/",
        "retryOnFailure": True,
    }
    scene.client.post("/webhooks", webhook)
    scene.client.post("/webhooks/all/triggers", {"triggerIds": ["message_sent"]})


def _drain(count: Count) -> float:
    """Return the median of deliveries in a second until there are no more."""
    rates: list[float] = []
    deadline = time.monotonic() + MOST_SECONDS
    before, since = count.deliveries(), time.monotonic()
    while time.monotonic() < deadline:
        time.sleep(INTERVAL_SECONDS)
        now, total = time.monotonic(), count.deliveries()
        if total == before:
            break
        rates.append((total - before) / (now - since))
        before, since = total, now
    return statistics.median(rates[:-1] or rates or [0.0])


def _show(console: Console, found: dict[str, list[Rates]]) -> None:
    table = Table(title="a webhook on every message", title_justify="left", box=box.SIMPLE_HEAD)
    columns = ("", "sends/s", "with it", "ratio", "deliveries/s", "afterwards", "replayed")
    for column in columns:
        table.add_column(column, justify="right" if column else "left")
    for name, rounds in found.items():
        median = Rates(
            *(statistics.median(each) for each in zip(*map(_figures, rounds), strict=True))
        )
        table.add_row(
            name,
            f"{median.without:,.0f}",
            f"{median.with_webhook:,.0f}",
            f"{median.with_webhook / median.without:.2f}",
            f"{median.meanwhile:,.0f}",
            f"{median.afterwards:,.0f}",
            f"{median.replayed:,.0f}",
        )
    console.print(table)


def _figures(rates: Rates) -> tuple[float, ...]:
    return astuple(rates)
