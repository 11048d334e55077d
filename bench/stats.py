"""Measure the metrics of an app with a year of 10,000,000 messages, and of five such years.

Its users have habits: some are active every day, some twice a year. The REST interface is called in
this process, without sockets.
"""

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from math import log
from pathlib import Path
from random import Random

import uvloop
from rich import box
from rich.console import Console
from rich.table import Table
from tests.clock import ManualClock
from tests.postgres import PostgresServer, find_installation
from tests.wire import InProcess
from tests.world import World

from bench import report
from bench.machine import describe
from bench.stores import POSTGRES
from bench.timing import time_in_turn
from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.domain.apps.manage import create_app
from hubbub.http.app import make_app
from hubbub.records.metrics import store
from hubbub.records.metrics.model import (
    SECONDS_OF_DAY,
    ActiveCounts,
    ActiveUser,
    Traffic,
    add_active_day,
    day_of,
)
from hubbub.rest.operations import OPERATIONS
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

USERS = 30_000
MESSAGES_OF_DAY = 4.5
"""Of an active user: 10,000,000 in a year."""
CHANCES = (0.9, 0.5, 0.2, 0.05, 0.01, 0.005)
"""The chance of a user to be active on a day, by the kind of user."""
YEAR = 365
CHUNK = 2_000
RANGES = {"a day": 1, "a month": 30, "a year": 365, "five years": 1_825}


def measure_stats(console: Console, folder: Path, engines: Sequence[str], *, years: int) -> None:
    """Fill stores with that many years, and show how long the metrics of ranges take."""
    has_postgres = POSTGRES in engines
    version = find_installation().run("postgres", "--version") if has_postgres else None
    report.show_machine(console, describe(folder, version and version.split()[-1]))
    table = Table(box=box.SIMPLE_HEAD)
    for column in ("ms", "engine", "years", "figure", "median", "least", "most"):
        table.add_column(column, justify="left" if column in ("ms", "engine") else "right")
    for engine in engines:
        for of_years in sorted({1, years}):
            for row in uvloop.run(_measure(console, folder, engine, of_years)):
                table.add_row(*row)
    console.print(table)


async def _measure(console: Console, folder: Path, engine: str, years: int) -> list[list[str]]:
    clock = ManualClock()
    with ExitStack() as stack:
        settings = Settings(data=folder / f"{engine}-{years}", log_requests=False)
        if engine == POSTGRES:
            server = stack.enter_context(PostgresServer())
            server.create_database("stats")
            settings = Settings(
                data=settings.data, database_url=server.url("stats"), log_requests=False
            )
        async with open_runtime(settings, clock) as runtime:
            app, (key, auth_key) = await create_app(runtime, name="Busy", region="us")
            last = day_of(clock.now())
            await _fill(console, runtime, app.id, range(last - YEAR * years + 1, last + 1))
            sender = InProcess(make_app(runtime, OPERATIONS))
            world = World(sender, app.id, key.api_key, auth_key.api_key)
            return [[*row] for row in await _ask(world, engine, years, last)]


@dataclass(frozen=True, slots=True)
class Crowd:
    """The users of some days, and the counts that follow from their days."""

    users: Sequence[ActiveUser]
    counts: ActiveCounts

    @property
    def user_days(self) -> int:
        """Return the number of days of all users."""
        return sum(int(user.days, 16).bit_count() for user in self.users)


@cache
def _crowd(days: range) -> Crowd:
    """Return users who are active with the chance of their kind, half of them from the start on."""
    chance, counts = Random(1), Counter[tuple[int, int]]()
    users = []
    for number in range(USERS):
        user, rare = ActiveUser(f"user-{number}"), log(1 - CHANCES[number % len(CHANCES)])
        day = days[0] + (chance.randrange(len(days)) if number % 2 else 0)
        while day <= days[-1]:
            user = add_active_day(user, day, counts)
            day += 1 + int(log(1 - chance.random()) / rare)
        users.append(user)
    return Crowd(users, counts)


async def _fill(console: Console, runtime: Runtime, app_id: str, days: range) -> None:
    """Store users with their active days, their counts, and an hour of traffic."""
    crowd = _crowd(days)
    for first in range(0, USERS, CHUNK):
        await _write(runtime, app_id, users=crowd.users[first : first + CHUNK])
    now = runtime.clock.now()
    traffic = [Traffic(at, 20, 10, 5) for at in range(now - 3_600, now + 1)]
    await _write(runtime, app_id, counts=crowd.counts, traffic=traffic)
    await runtime.database.maintain()
    console.print(
        f"{len(days):,} days: {crowd.user_days:,} days of users,"
        f" {crowd.user_days * MESSAGES_OF_DAY:,.0f} messages, {len(crowd.counts):,} counts"
    )


async def _write(
    runtime: Runtime,
    app_id: str,
    *,
    users: Sequence[ActiveUser] = (),
    counts: ActiveCounts | None = None,
    traffic: Sequence[Traffic] = (),
) -> None:
    async def within(tx: Transaction) -> None:
        await store.put_active_users(tx, users)
        await store.add_active_counts(tx, counts or Counter())
        await store.add_traffic(tx, traffic)

    await runtime.database.write(app_id, within)


async def _ask(world: World, engine: str, years: int, last: int) -> Iterator[Sequence[str]]:
    """Yield the times of each range, and of the last hour."""
    paths = {
        name: f"/stats?fromDate={(last - days + 1) * SECONDS_OF_DAY}&toDate={last * SECONDS_OF_DAY}"
        for name, days in RANGES.items()
        if days <= YEAR * years
    }
    figures = {
        name: (await world.get(path))["metrics"]["active_users"] for name, path in paths.items()
    }
    points = (await world.get("/stats/messages"))["dataPoints"]
    paths["the last hour"] = "/stats/messages"
    figures["the last hour"] = sum(point["messagesSent"] for point in points)
    asks = [lambda path=path: world.get(path) for path in paths.values()]
    took = await time_in_turn(asks, 2.0)
    return (
        (name, engine, str(years), f"{figures[name]:,}", *map(_ms, _spread(seconds)))
        for name, seconds in zip(paths, took, strict=True)
    )


def _spread(seconds: Sequence[float]) -> tuple[float, float, float]:
    return statistics.median(seconds), min(seconds), max(seconds)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f}"
