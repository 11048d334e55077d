"""Measure how fast a node takes a file in and gives it out, and how much memory that takes it.

python -m bench.attachments [--megabytes 100] [--runs 3]
"""

import argparse
import asyncio
import http.client
import itertools
import json
import os
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from tests.files.uploads import CHUNK, TO_BEN, TYPE, pieces_of_form
from tests.live import LiveNode
from tests.wire import LOOPBACK
from tests.world import World

from hubbub.config import Settings

MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Moved:
    """One upload and one download of the same file."""

    upload_seconds: float
    download_seconds: float
    grown_bytes: int
    """How much more memory the process had at its peak than before."""


def main() -> None:
    """Measure, and print the medians."""
    parser = argparse.ArgumentParser(prog="python -m bench.attachments", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hubbub-bench-") as folder:
        runs = [measure(Path(folder) / f"data-{run}", given.megabytes) for run in range(given.runs)]
    for name, rates in (
        ("in", [given.megabytes / run.upload_seconds for run in runs]),
        ("out", [given.megabytes / run.download_seconds for run in runs]),
    ):
        print(
            f"{name:>4}: {statistics.median(rates):,.0f} MB/s ({min(rates):,.0f}-{max(rates):,.0f})"
        )
    grown = max(run.grown_bytes for run in runs) / MEGABYTE
    print(f"The process grew by {grown:.1f} MB at most.")


def measure(data: Path, megabytes: int) -> Moved:
    """Move a file of that size through a fresh node, in and out."""
    with LiveNode(Settings(data=data)) as live:
        world = asyncio.run(make_talk(live))
        upload(live, world, b"x" * 1000)  # so that nothing is done for the first time
        before = peak_of(live)
        started = time.perf_counter()
        link = upload(live, world, os.urandom(CHUNK), megabytes * MEGABYTE // CHUNK)
        uploaded = time.perf_counter()
        size = download(live, link)
        ended = time.perf_counter()
        assert size == megabytes * MEGABYTE
        return Moved(uploaded - started, ended - uploaded, peak_of(live) - before)


async def make_talk(live: LiveNode) -> World:
    """An app with Anna and Ben."""
    world = await live.world()
    await world.users("anna", "ben")
    return world


def peak_of(live: LiveNode) -> int:
    """The most memory that the process has had, in bytes."""
    assert live.process is not None
    status = Path(f"/proc/{psutil.Process(live.process.pid).pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def upload(live: LiveNode, world: World, piece: bytes, times: int = 1) -> str:
    """Send a file as Anna to Ben; the link to it."""
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
    """How many bytes a link leads to."""
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


if __name__ == "__main__":
    main()
