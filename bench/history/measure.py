"""Measure reading, searching and sending with very many messages.

The REST interface is called in this process: the time is that between the bytes of a request and
those of its answer, without sockets.
"""

import os
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import uvloop
from rich import box
from rich.console import Console
from rich.progress import Progress, TimeElapsedColumn
from rich.table import Table
from tests.postgres import PostgresServer, find_installation
from tests.wire import InProcess

from bench import report
from bench.history.archive import Archive, Size
from bench.history.cases import Case, NextRequest, Scene, make_cases
from bench.history.filling import FILLED, fill
from bench.history.indexes import without_indexes
from bench.machine import describe
from bench.stores import POSTGRES
from bench.timing import CLIENTS, REQUESTS_OF_CLIENTS, Ask, at_once, time_in_turn
from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS

FULL = Size(messages=10_000_000, members=100_000)
QUICK = Size(messages=200_000, members=10_000)
MOST_TIMES, MOST_SECONDS = 1.5, 0.060


@dataclass(frozen=True, slots=True)
class Timed:
    """Medians of a case by column, in seconds; none if an answer was wrong."""

    case: Case
    alone: Mapping[str, float] = field(default_factory=dict)
    """For a request, without others."""
    by_many: Mapping[str, float] = field(default_factory=dict)
    """For all concurrent requests of many clients."""


def measure_history(
    console: Console, folder: Path, engines: Sequence[str], size: Size, *, seconds: float
) -> None:
    """Fill a store on each engine, and time requests to it, each for about this many seconds."""
    version = None
    if POSTGRES in engines:
        version = find_installation().run("postgres", "--version").split()[-1]
    report.show_machine(console, describe(folder, version))
    figures = {
        engine: uvloop.run(_measure(console, folder, engine, size, seconds)) for engine in engines
    }
    show_figures(console, figures)
    _, load, _ = os.getloadavg()
    console.print(f"Load over the last 5 minutes, including our own: {load:.2f}")


async def _measure(
    console: Console, folder: Path, engine: str, size: Size, seconds: float
) -> list[Timed]:
    """Fill and measure a store; its disk space is free again afterwards."""
    async with AsyncExitStack() as stack:
        data = stack.enter_context(tempfile.TemporaryDirectory(dir=folder))
        settings = Settings(data=Path(data), log_requests=False)
        if engine == POSTGRES:
            server = stack.enter_context(PostgresServer())
            server.create_database("archive")
            settings = replace(settings, database_url=server.url("archive"))
        archive = await fill_store(console, settings, engine, size)
        scene = Scene(await stack.enter_async_context(_serving(settings)), archive)
        figures = []
        for case in await make_cases(scene):
            with console.status(f"{engine}: {case.about}, {case.name}"):
                figures.append(await time_case(scene, case, seconds))
        return figures


async def fill_store(console: Console, settings: Settings, engine: str, size: Size) -> Archive:
    """Fill a store without indexes, which are created when all rows exist."""
    async with open_runtime(settings):
        pass  # it is migrated now
    started = time.perf_counter()
    with Progress(*Progress.get_default_columns(), TimeElapsedColumn(), console=console) as shown:
        task = shown.add_task(f"{engine}: {size.messages:,} messages", total=size.rows)
        async with without_indexes(settings, FILLED):
            async with open_runtime(settings) as runtime:
                archive = await fill(runtime, size, lambda count: shown.advance(task, count))
            filled = time.perf_counter()
            shown.update(task, description=f"{engine}: indexes")
    ended = time.perf_counter()
    console.print(f"{engine}: filled in {filled - started:,.0f} s, indexes {ended - filled:,.0f} s")
    return archive


@asynccontextmanager
async def _serving(settings: Settings) -> AsyncIterator[InProcess]:
    """Yield a node in this process."""
    async with open_runtime(settings) as runtime:
        yield InProcess(make_app(runtime, OPERATIONS))


async def time_case(scene: Scene, case: Case, seconds: float) -> Timed:
    """Time a case, unless an answer is wrong: its time would be meaningless."""
    for following in case.columns.values():
        if not case.is_right(await scene.send(following())):
            return Timed(case)
    asks = [_ask(scene, following) for following in case.columns.values()]
    alone = _medians(case, await time_in_turn(asks, seconds))
    if not case.by_many:
        return Timed(case, alone)
    many = await time_in_turn([at_once(ask) for ask in asks], seconds)
    return Timed(case, alone, _medians(case, many))


def _ask(scene: Scene, following: NextRequest) -> Ask:
    async def ask() -> None:
        await scene.send(following())

    return ask


def _medians(case: Case, took: Sequence[Sequence[float]]) -> dict[str, float]:
    return dict(zip(case.columns, map(statistics.median, took), strict=True))


def show_figures(console: Console, figures: Mapping[str, Sequence[Timed]]) -> None:
    """Show a table for each kind of request; bad figures are red."""
    tables: dict[str, Table] = {}
    for row in zip(*figures.values(), strict=True):
        case = row[0].case
        table = tables.setdefault(case.about, _table(case, list(figures)))
        table.add_row(f"{case.name}, ms", *(cell for each in row for cell in _times(each)))
        if case.by_many:
            name = f"{case.name}, {CLIENTS} clients, requests/s"
            table.add_row(name, *(cell for each in row for cell in _rates(each)))
    for table in tables.values():
        console.print(table)


def _table(case: Case, engines: Sequence[str]) -> Table:
    table = Table(title=case.about, title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("median")
    for engine in engines:
        first, *others = case.columns
        table.add_column(f"{engine}\n{first}", justify="right")
        for column in (*others, "times") if others else ():
            table.add_column(f"\n{column}", justify="right")
    return table


def _times(timed: Timed) -> Iterator[str]:
    most = None if len(timed.case.columns) > 1 else MOST_SECONDS
    for seconds in timed.alone.values():
        shown = f"{seconds * 1000:.1f}"
        yield shown if most is None or seconds <= most else f"[red]{shown}"
    yield from _compared(timed, timed.alone)


def _rates(timed: Timed) -> Iterator[str]:
    for seconds in timed.by_many.values():
        yield f"{REQUESTS_OF_CLIENTS / seconds:,.0f}"
    yield from _compared(timed, timed.by_many)


def _compared(timed: Timed, medians: Mapping[str, float]) -> Iterator[str]:
    """Yield the ratio of the last column to the first."""
    columns = len(timed.case.columns)
    if not medians:
        yield "[red]wrong answer"
        yield from [""] * (columns if columns > 1 else 0)
    elif columns > 1:
        first, *_, last = medians.values()
        times = last / first
        yield f"{times:.1f}" if times <= MOST_TIMES else f"[red]{times:.1f}"
