"""Measure `hubbub import` of a generated history, alone and beside a node with live sends.

The history goes into the app that is in use. Of each step (reading, importing, comparing with the
store) there are the rows in a second; CPU is that of the command, the node and PostgreSQL together.
"""

import asyncio
import os
import random
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen

import msgspec
import psutil
import uvloop
from rich import box
from rich.console import Console
from rich.table import Table
from tests.cli.command import options_of
from tests.live import HUBBUB, environment
from tests.postgres import find_installation

from bench import report
from bench.crowd import invented
from bench.history.words import Talker
from bench.load.generator import Measured, measure, measure_during
from bench.machine import choose_cores, describe
from bench.realtime.stage import Stage
from bench.stores import POSTGRES, Stores, Variant
from hubbub.config import Settings
from hubbub.moving.run import IMPORT, READ, VERIFY

MESSAGES, QUICK_MESSAGES = 2_000_000, 20_000
MESSAGES_OF_CONVERSATION = 200
PEOPLE, MEMBERS = 2_000, 10
BEGAN, PER_SECOND = 1_700_000_000, 5
CONNECTIONS, SENDS_RATE = 16, 50.0
WARM_UP_SECONDS = 1.0
STEPS = (READ, IMPORT, VERIFY)
AIM = 2.0
EXPLANATION = (
    "Rows in a second by step, and in all with the start of the command; CPU seconds of 1,000\n"
    f"rows; milliseconds of live sends, {SENDS_RATE:.0f} a second. The aim for their p99: at most\n"
    f"{AIM:.0f} times that without an import.\n"
)
_BEGINS = re.compile(rf"({'|'.join(STEPS)}): ")
_encode = msgspec.json.Encoder().encode


class ImportFailed(Exception):
    """The import has ended otherwise than with all rows stored; the message has its output."""


@dataclass(frozen=True, slots=True)
class Found:
    """What an import has shown."""

    rates: Mapping[str, float]
    """Rows in a second, by step."""
    overall: float
    cpu: float
    """Seconds of 1,000 rows."""
    peak: int
    """The bytes that the command had at most."""


def measure_imports(variants: Sequence[Variant], *, messages: int, seconds: float) -> None:
    """Measure, and print the figures."""
    console = Console(width=140)
    with (
        tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder,
        closing(Stores(Path(folder), choose_cores())) as stores,
    ):
        is_postgres = any(variant.engine == POSTGRES for variant in variants)
        version = (
            find_installation().run("postgres", "--version").split()[-1] if is_postgres else None
        )
        report.show_machine(console, describe(stores.folder, version))
        source = stores.folder / "history.jsonl"
        with console.status("writing the history"):
            rows = _write(source, messages)
        console.print(f"{messages:,} messages, {rows:,} rows, {source.stat().st_size:,} bytes")
        console.print(EXPLANATION)
        for variant in variants:
            _show(console, variant, _Import(stores, variant, source, rows), seconds)


def _write(path: Path, messages: int) -> int:
    """Write a history; return its number of lines."""
    count = 0
    with path.open("wb") as file:
        for count, line in enumerate(_history(messages), start=1):  # noqa: B007
            file.write(_encode(line) + b"\n")
    return count


def _history(messages: int) -> Iterator[Mapping[str, object]]:
    """Yield the lines: half of the conversations are groups, half one-to-one."""
    chance = random.Random(1)
    talker = Talker(random.Random(2))
    people = [f"moved-{number}" for number in range(PEOPLE)]
    for uid, name in zip(people, islice(invented(chance), PEOPLE), strict=True):
        yield {"type": "user", "uid": uid, "name": name, "createdAt": BEGAN}
    places: list[tuple[str | None, list[str]]] = []
    for number in range(max(2, messages // MESSAGES_OF_CONVERSATION)):
        if number % 2:
            places.append((None, chance.sample(people, 2)))
            continue
        guid, members = f"moved-{number}", chance.sample(people, MEMBERS)
        places.append((guid, members))
        named = {"guid": guid, "name": f"Group {number}", "groupType": "private"}
        yield {"type": "group", **named, "owner": members[0], "createdAt": BEGAN}
        for uid in members[1:]:
            yield {"type": "member", "guid": guid, "uid": uid, "joinedAt": BEGAN}
    for number in range(messages):
        place, among = places[chance.randrange(len(places))]
        sender, other = chance.sample(among, 2)
        yield {
            "type": "message",
            "muid": f"moved-{number}",
            "sender": sender,
            "receiverType": "group" if place else "user",
            "receiver": place or other,
            "sentAt": BEGAN + 1 + number // PER_SECOND,
            "data": {"text": talker.say()},
        }


@dataclass(frozen=True, slots=True)
class _Import:
    """The import of a history into new stores of a variant."""

    stores: Stores
    variant: Variant
    source: Path
    rows: int

    def alone(self) -> Found:
        """Import into a store that no node has open."""
        store = self.stores.create(self.variant.engine)
        with self.stores.nodes(self.variant, store) as [node]:
            stage = Stage([node], 0)
        with self.stores.cores.of_both():
            return self.run(self.stores.settings(store), stage.scene.app_id, [])

    def run(self, settings: Settings, app_id: str, others: Sequence[psutil.Process]) -> Found:
        """Run the command to its end; `others` are processes that work for it."""
        options = ["--app", app_id, "--from", "lines", *options_of(settings)]
        before, began = self._cpu_of(others), time.perf_counter()
        begins: dict[str, float] = {}
        said: list[str] = []
        command = [*HUBBUB, "import", str(self.source), *options]
        with Popen(
            command, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE, text=True, env=environment()
        ) as process:
            assert process.stderr is not None
            for line in process.stderr:
                said.append(line)
                if found := _BEGINS.match(line):
                    begins.setdefault(found[1], time.perf_counter())
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        ended = time.perf_counter()
        if process.returncode:
            raise ImportFailed("".join(said))
        cpu = used.ru_utime + used.ru_stime + self._cpu_of(others) - before
        marks = [began, *(begins[step] for step in STEPS[1:]), ended]
        taken = (until - since for since, until in pairwise(marks))
        return Found(
            {step: self.rows / each for step, each in zip(STEPS, taken, strict=True)},
            self.rows / (ended - began),
            1_000 * cpu / self.rows,
            used.ru_maxrss * 1024,
        )

    def _cpu_of(self, others: Sequence[psutil.Process]) -> float:
        """Return the CPU seconds of these processes and of PostgreSQL so far."""
        processes = [*others]
        if self.variant.engine == POSTGRES:
            server = self.stores.postgres().find_process()
            processes += [server, *server.children()]
            ended = server.cpu_times()
            of_ended = ended.children_user + ended.children_system
        else:
            of_ended = 0.0
        used = [each.cpu_times() for each in processes]
        return float(sum(each.user + each.system for each in used) + of_ended)


def _show(console: Console, variant: Variant, import_: _Import, seconds: float) -> None:
    table = Table(title=variant.name, title_justify="left", box=box.SIMPLE_HEAD)
    for name in ("", *(f"{step}/s" for step in STEPS), "all/s", "CPU s", "peak MB"):
        table.add_column(name, justify="right" if name else "left")
    for name in ("sends p50", "of alone", "p99", "of alone"):
        table.add_column(name, justify="right")
    with console.status(f"{variant.name}, alone"):
        table.add_row("alone", *_cells(import_.alone()))
    with console.status(f"{variant.name}, beside a node"):
        found, before, during = _measure_beside(import_, seconds)
    table.add_row("beside a node", *_cells(found), *_of_sends(during, before))
    console.print(table)


def _measure_beside(import_: _Import, seconds: float) -> tuple[Found, Measured, Measured]:
    """Return an import into the app of a node, and its live sends before and meanwhile."""
    stores, variant = import_.stores, import_.variant
    store = stores.create(variant.engine)
    with stores.nodes(variant, store) as [node]:
        stage = Stage([node], seconds)
        load = replace(stage.to_receivers(), connections=CONNECTIONS, rate=SENDS_RATE)
        stage.trial.settle()
        before = uvloop.run(
            measure([node.port], load, warm_up_seconds=WARM_UP_SECONDS, seconds=seconds)
        )
        settings, app_id, others = stores.settings(store), stage.scene.app_id, [stage.process]
        found: list[Found] = []

        async def work() -> None:
            found.append(await asyncio.to_thread(import_.run, settings, app_id, others))

        with stores.cores.of_both():
            during = uvloop.run(
                measure_during([node.port], load, work, warm_up_seconds=WARM_UP_SECONDS)
            )
    return found[0], before, during


def _cells(found: Found) -> list[str]:
    rates = (*(found.rates[step] for step in STEPS), found.overall)
    return [*(f"{rate:,.0f}" for rate in rates), f"{found.cpu:.3f}", f"{found.peak / 1e6:,.0f}"]


def _of_sends(during: Measured, before: Measured) -> Iterator[str]:
    for percent in (50, 99):
        seconds = during.percentile(percent)
        yield f"{seconds * 1000:.1f}"
        yield f"{seconds / before.percentile(percent):.1f}"
