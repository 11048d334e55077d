"""The figures of a round: each function measures some of them on a node."""

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import psutil
import uvloop

from bench.machine import Cores
from bench.realtime.sockets import Count, Latencies, close_sockets, open_sockets
from bench.realtime.stage import CROWD, WARM_UP_SECONDS, Stage

Figures = Mapping[str, float]

MEMORY, CONNECTS = "memory", "connects"
DELIVERIES, SPREAD = "deliveries", "spread"
STEADY_50, STEADY_99 = "steady_50", "steady_99"
RETURNED, RETURNING_99 = "returned", "returning_99"
BUSY_50, BUSY_99, RATIO, SENDS = "busy_50", "busy_99", "ratio", "sends"

WARM_UP_SOCKETS = 200
SETTLING_SECONDS = 2.0
CONNECTIONS, GROUP_CONNECTIONS = 64, 16
STEADY_RATE, BUSY_SHARE = 200.0, 0.8
SPREAD_RATE = 10.0
TEXT_BYTES, AHEAD = 700, 4
"""The size of a bare broadcast, about that of an event, and how many of them are under way."""


async def measure_idle(stage: Stage, sockets: int) -> Figures:
    """Measure the memory of sockets that nothing happens to, and how fast they are opened."""
    people = stage.people(stage.scene.make_users("idle", sockets + WARM_UP_SOCKETS))
    with await stage.connect(people[:WARM_UP_SOCKETS], Count()):
        before, began = stage.memory(), time.perf_counter()
        with await stage.open(people[WARM_UP_SOCKETS:], Count()):
            seconds = time.perf_counter() - began
            await asyncio.sleep(SETTLING_SECONDS)
            used = stage.memory() - before
    return {MEMORY: used / sockets, CONNECTS: sockets / seconds}


async def measure_deliveries(stage: Stage) -> Figures:
    """Measure how many events reach the members of a group whose members send all the time."""
    count = Count()
    with await stage.connect(stage.people(stage.crowd.members), count):
        load = replace(stage.to_group(stage.crowd), connections=GROUP_CONNECTIONS)
        sending = asyncio.ensure_future(stage.trial.measure(load))
        await asyncio.sleep(WARM_UP_SECONDS)
        before, began = count.frames, time.perf_counter()
        await asyncio.sleep(stage.trial.seconds)
        rate = (count.frames - before) / (time.perf_counter() - began)
        await sending
    return {DELIVERIES: rate}


async def measure_spread(stage: Stage) -> Figures:
    """Measure how long a message takes to reach the last member of a large group."""
    latencies, group = Latencies(), stage.large_crowd
    with await stage.connect(stage.people(group.members), latencies):
        load = replace(stage.to_group(group), rate=SPREAD_RATE, connections=CONNECTIONS)
        await stage.trial.measure(load)
    return {SPREAD: statistics.median(latencies.of_last())}


async def measure_latencies(stage: Stage) -> Figures:
    """Measure sends to connected users: all the time, at a low rate, and at 80 % of the highest."""
    load = replace(stage.to_receivers(), connections=CONNECTIONS)
    await stage.settle()
    alone = (await stage.trial.measure(load)).rate
    with await stage.connect(stage.people(stage.receivers), Count()):
        highest = (await stage.trial.measure(load)).rate
    took = await _send_at(stage, BUSY_SHARE * highest)
    return {
        SENDS: highest,
        RATIO: highest / alone,
        **await measure_steady(stage),
        BUSY_50: _percentile(took, 50),
        BUSY_99: _percentile(took, 99),
    }


async def measure_steady(stage: Stage) -> Figures:
    """Measure how long messages take to connected users at a low rate."""
    took = await _send_at(stage, STEADY_RATE)
    return {STEADY_50: _percentile(took, 50), STEADY_99: _percentile(took, 99)}


async def _send_at(stage: Stage, rate: float) -> Sequence[float]:
    """Return how long messages to connected users took, ascending."""
    latencies = Latencies()
    with await stage.connect(stage.people(stage.receivers), latencies):
        load = replace(stage.to_receivers(), connections=CONNECTIONS, rate=rate)
        latencies.count_from = time.perf_counter() + WARM_UP_SECONDS
        await stage.trial.measure(load)
    return latencies.all()


def _percentile(ascending: Sequence[float], percent: int) -> float:
    return ascending[len(ascending) * percent // 100]


async def measure_return(stage: Stage, sockets: int) -> Figures:
    """Measure how fast users are back who were all cut off, and sends meanwhile."""
    people = stage.people(stage.scene.make_users("cut", sockets))
    with await stage.connect(people, Count()):
        pass
    found: dict[str, float] = {}

    async def come_back() -> None:
        began = time.perf_counter()
        with await stage.open(people, Count(), at_once=sockets):
            found[RETURNED] = time.perf_counter() - began

    load = replace(stage.to_receivers(), connections=CONNECTIONS, rate=STEADY_RATE)
    # In a loop of their own, so that those who send don't wait for those who return.
    measured = await stage.trial.measure_during(
        load, lambda: asyncio.to_thread(uvloop.run, come_back())
    )
    return {**found, RETURNING_99: measured.percentile(99)}


async def measure_bare(cores: Cores, sockets: int, seconds: float) -> Figures:
    """Measure the same of a server that only copies: the memory of sockets, and deliveries."""
    with broadcasting(cores) as process:
        assert process.stdout is not None
        port, text = int(process.stdout.readline()), b"x" * TEXT_BYTES
        rate = await _broadcast(port, text, seconds)
        rss = psutil.Process(process.pid).memory_info
        before = rss().rss
        opened = await open_sockets(port, "/", [text] * sockets, Count())
        await asyncio.sleep(SETTLING_SECONDS)
        used = rss().rss - before
        close_sockets(opened)
    return {MEMORY: used / sockets, DELIVERIES: rate}


async def _broadcast(port: int, text: bytes, seconds: float) -> float:
    count = Count()
    sockets = await open_sockets(port, "/", [text] * CROWD, count)
    began, said = time.perf_counter(), 0
    while time.perf_counter() < began + seconds:
        sockets[0].say(text)
        said += 1
        await count.reach((said - AHEAD) * CROWD)
    rate = count.frames / (time.perf_counter() - began)
    close_sockets(sockets)
    return rate


@contextmanager
def broadcasting(cores: Cores) -> Iterator["subprocess.Popen[str]"]:
    """Run a bare broadcast, on the server's core."""
    command = (sys.executable, "-m", "bench.realtime.broadcast")
    with cores.of_server():
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
    with process:
        try:
            yield process
        finally:
            process.communicate()
