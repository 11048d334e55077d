"""Measure the speed of uploads and downloads, and the memory that they take.

The node runs as an operator runs it, in its own process; the files are in its data folder.
"""

import asyncio
import http.client
import itertools
import json
import os
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from rich import box
from rich.console import Console
from rich.table import Table
from tests.files.uploads import CHUNK, TO_BEN, TYPE, pieces_of_form
from tests.live import LiveNode
from tests.wire import LOOPBACK
from tests.world import World

from bench import report
from bench.machine import describe
from hubbub.config import Settings

MEGABYTE = 1024 * 1024
FULL, QUICK = 100, 10
"""The size of a file, in megabytes."""
WARM_UP, RUNS = 2, 11


@dataclass(frozen=True, slots=True)
class Moved:
    """One upload and one download of the same file."""

    upload_seconds: float
    download_seconds: float


def measure_files(console: Console, folder: Path, megabytes: int) -> None:
    """Upload and download a file of that size repeatedly, on a fresh node."""
    report.show_machine(console, describe(folder, None))
    with LiveNode(Settings(data=folder / "files")) as live:
        world = asyncio.run(make_talk(live))
        for _ in range(WARM_UP):
            move(live, world, 1)
        before = peak_of(live)
        moved = [move(live, world, megabytes) for _ in range(RUNS)]
        grown = peak_of(live) - before
    table = Table(title=f"a file of {megabytes} MB", title_justify="left", box=box.SIMPLE_HEAD)
    for column in ("MB/s", "median", "least", "most"):
        table.add_column(column, justify="right" if table.columns else "left")
    for name, took in (
        ("upload", [each.upload_seconds for each in moved]),
        ("download", [each.download_seconds for each in moved]),
    ):
        rates = [megabytes / seconds for seconds in took]
        shown = (statistics.median(rates), min(rates), max(rates))
        table.add_row(name, *(f"{rate:,.0f}" for rate in shown))
    console.print(table)
    console.print(f"The process grew by {grown / MEGABYTE:.1f} MB at its peak.")


def move(live: LiveNode, world: World, megabytes: int) -> Moved:
    """Upload a file of that size, and download it."""
    piece = os.urandom(CHUNK)
    started = time.perf_counter()
    link = upload(live, world, piece, megabytes * MEGABYTE // CHUNK)
    uploaded = time.perf_counter()
    size = download(live, link)
    ended = time.perf_counter()
    assert size == megabytes * MEGABYTE
    return Moved(uploaded - started, ended - uploaded)


async def make_talk(live: LiveNode) -> World:
    """Create an app with Anna and Ben."""
    world = await live.world()
    await world.users("anna", "ben")
    return world


def peak_of(live: LiveNode) -> int:
    """Return the process's peak memory, in bytes."""
    assert live.process is not None
    status = Path(f"/proc/{psutil.Process(live.process.pid).pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def upload(live: LiveNode, world: World, piece: bytes, times: int) -> str:
    """Send a file as Anna to Ben; return its link."""
    connection = http.client.HTTPConnection(LOOPBACK, live.port, timeout=120)
    length = len(piece) * times + len(b"".join(pieces_of_form(TO_BEN, [])))
    headers = {"apikey": world.key, "onBehalfOf": "anna", "Content-Length": str(length), **TYPE}
    pieces = pieces_of_form(TO_BEN, itertools.repeat(piece, times))
    connection.request("POST", "/v3/messages", pieces, headers)
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, body
    connection.close()
    link: str = json.loads(body)["data"]["data"]["attachments"][0]["url"]
    return link


def download(live: LiveNode, link: str) -> int:
    """Download a link; return the number of bytes."""
    connection = http.client.HTTPConnection(LOOPBACK, live.port, timeout=120)
    parts = urlsplit(link)
    connection.request("GET", f"{parts.path}?{parts.query}")
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    size = 0
    while piece := answer.read(MEGABYTE):
        size += len(piece)
    connection.close()
    return size
