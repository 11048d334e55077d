"""Measure lists of a million users, and of groups and members, and of a hundredth of them.

The REST interface is called in this process: the time is from the bytes of a request to those of
its answer, without sockets. Each page comes with its total.
"""

import os
import statistics
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlencode

import uvloop
from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from tests.postgres import PostgresServer, find_installation
from tests.wire import Answer, Asked, InProcess

from bench import report
from bench.crowd import RARE_NAME, RARE_UID, Crowd, Size, fill
from bench.history.indexes import without_indexes
from bench.machine import describe
from bench.stores import POSTGRES
from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS

SMALL = Size(users=10_000, groups=1_000, members=1_000)
FULL = Size(users=1_000_000, groups=100_000, members=100_000)
FILLED = [
    "users",
    "user_words",
    "user_tags",
    "groups",
    "group_words",
    "members",
    "memberships",
]
WARM_UP = 7
"""Calls that are not timed: PostgreSQL settles on a plan after five."""
LEAST_CALLS, MOST_CALLS = 11, 101
MOST_TIMES, MOST_SECONDS = 3.0, 0.060

USERS, USERS_SEEN = "users", "users, as one of them"
GROUPS, GROUPS_SEEN = "groups", "groups, as a user"
CLUB = "groups, as a user, where 99 % are private"
MEMBERS, MEMBERS_SEEN = "members", "members, as one of them"
AS_USER = {USERS_SEEN, GROUPS_SEEN, CLUB, MEMBERS_SEEN}

FIRST, LAST = "first page", "last page"
CURSOR, MIDDLE = "cursor in the middle", "page in the middle"
PLACES: Mapping[str, Sequence[str]] = {
    USERS: (FIRST, CURSOR, MIDDLE, LAST),
    USERS_SEEN: (FIRST, CURSOR),
    GROUPS: (FIRST, CURSOR, MIDDLE, LAST),
    GROUPS_SEEN: (FIRST, CURSOR, MIDDLE, LAST),
    CLUB: (FIRST, CURSOR, MIDDLE, LAST),
    MEMBERS: (FIRST, CURSOR, MIDDLE, LAST),
    MEMBERS_SEEN: (FIRST, CURSOR),
}
SEARCHES: Mapping[str, Mapping[str, str]] = {
    USERS: {"a name": RARE_NAME, "a uid": RARE_UID},
    GROUPS: {"a name": RARE_NAME},
    GROUPS_SEEN: {"a name": RARE_NAME},
    CLUB: {"a name": RARE_NAME},
}
FILTERS: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    USERS: {
        "one letter": {"searchKey": "m"},
        "two letters": {"searchKey": "mo"},
        "one letter, one role": {"searchKey": "m", "role": "member"},
        "one letter, the role of most": {"searchKey": "m", "role": "default"},
        "one letter, available": {"searchKey": "m", "status": "available"},
        "one letter, offline": {"searchKey": "m", "status": "offline"},
        "one letter, the tag of most": {"searchKey": "m", "tags": "tag-1"},
        "the role of most": {"role": "default"},
        "the role of few": {"role": "staff"},
        "two roles": {"roles": "member,staff"},
        "available": {"status": "available"},
        "offline": {"status": "offline"},
        "the role of most, available": {"role": "default", "status": "available"},
        "the tag of most": {"tags": "tag-1"},
        "the tag of most, one role": {"tags": "tag-1", "role": "member"},
        "two tags of many": {"tags": "tag-1,tag-2"},
        "two tags of few": {"tags": "tag-40,tag-41"},
        "deactivated": {"onlyDeactivated": "true"},
        "with deactivated": {"withDeactivated": "true"},
    },
    GROUPS: {
        "by name": {"sortBy": "name"},
        "one letter": {"searchKey": "m"},
        "private": {"type": "private"},
        "two types": {"types": "public,password"},
        "the tag of most": {"tags": "tag-1"},
    },
    GROUPS_SEEN: {
        "joined": {"hasJoined": "true"},
        "by name": {"sortBy": "name"},
        "one letter": {"searchKey": "m"},
        "public": {"type": "public"},
        "the tag of most": {"tags": "tag-1"},
    },
    CLUB: {"joined": {"hasJoined": "true"}, "one letter": {"searchKey": "m"}},
    MEMBERS: {
        "admins and moderators": {"scopes": "admin,moderator"},
        "participants": {"scopes": "participant"},
        "available": {"status": "available"},
        "offline": {"status": "offline"},
    },
}
PAGED: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    USERS: {
        name: FILTERS[USERS][name]
        for name in (
            "the role of most",
            "two roles",
            "one letter",
            "two letters",
            "one letter, the role of most",
            "offline",
            "the tag of most",
            "two tags of many",
            "with deactivated",
        )
    },
    GROUPS: {name: FILTERS[GROUPS][name] for name in ("by name", "one letter", "private")},
    GROUPS_SEEN: {name: FILTERS[GROUPS_SEEN][name] for name in ("by name", "one letter")},
    MEMBERS: {"participants": {"scopes": "participant"}},
}
"""Lists whose page in the middle is measured, too."""


@dataclass(frozen=True, slots=True)
class Case:
    """A list to measure, at one place in it."""

    about: str
    name: str
    query: Mapping[str, str] = field(default_factory=dict, hash=False)
    place: str = FIRST
    is_bounded: bool = False
    """True if the time must not grow with the store; otherwise it must only be short."""


def make_cases() -> Iterator[Case]:
    """Yield all lists to measure."""
    for about, places in PLACES.items():
        for place in places:
            yield Case(about, place, {}, place, is_bounded=place in {FIRST, CURSOR})
        for name, key in SEARCHES.get(about, {}).items():
            yield Case(about, f"search for {name}", {"searchKey": key}, is_bounded=True)
        for name, query in FILTERS.get(about, {}).items():
            yield Case(about, name, query)
        for name, query in PAGED.get(about, {}).items():
            yield Case(about, f"{name}, {MIDDLE}", query, MIDDLE)


@dataclass(frozen=True, slots=True)
class Scene:
    """A filled store, and the node that serves it."""

    sender: InProcess
    crowd: Crowd

    async def ask(self, asked: Asked) -> Answer:
        """Send a request for a list."""
        answer = await self.sender.send(asked)
        assert answer.status == 200, f"{asked}: {answer}"
        return answer

    def asked(self, case: Case, **further: object) -> Asked:
        """Return the request for a list."""
        app_id = self.crowd.club if case.about == CLUB else self.crowd.town
        headers = {"apikey": self.crowd.keys[app_id]}
        if case.about in AS_USER:
            headers["onBehalfOf"] = self.crowd.viewer
        path = case.about.partition(",")[0]
        if path == MEMBERS:
            path = f"groups/{self.crowd.large}/members"
        return Asked("GET", f"/v3/{path}?{urlencode({**case.query, **further})}", headers)


@dataclass(frozen=True, slots=True)
class Timed:
    """The seconds that a request took on a store, and the total of the list."""

    asked: Asked
    total: int
    took: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.took)


Figures = dict[tuple[Case, str], tuple[Timed, Timed]]
"""The times on the small and on the full store, by case and engine."""


def measure_lists(
    console: Console, folder: Path, engines: Sequence[str], *, seconds: float
) -> None:
    """Fill stores of both sizes on each engine, and time each list for about `seconds`."""
    version = None
    if POSTGRES in engines:
        version = find_installation().run("postgres", "--version").split()[-1]
    report.show_machine(console, describe(folder, version))
    figures: Figures = {}
    for engine in engines:
        figures |= uvloop.run(_measure(console, folder / f"lists-{engine}", engine, seconds))
    show_figures(console, figures)
    _, load, _ = os.getloadavg()
    console.print(f"Load over the last 5 minutes, our own in it: {load:.2f}")


async def _measure(console: Console, folder: Path, engine: str, seconds: float) -> Figures:
    async with AsyncExitStack() as stack:
        small = Settings(data=folder / "small", log_requests=False)
        full = replace(small, data=folder / "full")
        if engine == POSTGRES:
            server = stack.enter_context(PostgresServer())
            for name in ("small", "full"):
                server.create_database(name)
            small = replace(small, database_url=server.url("small"))
            full = replace(full, database_url=server.url("full"))
        with Progress(console=console, transient=True) as progress:
            crowds = [
                await fill_store(small, SMALL, progress, f"{engine}, a hundredth"),
                await fill_store(full, FULL, progress, f"{engine}, full size"),
            ]
        scenes = [
            Scene(await stack.enter_async_context(serving(settings)), crowd)
            for settings, crowd in zip((small, full), crowds, strict=True)
        ]
        figures = {}
        for case in make_cases():
            with console.status(f"{engine}: {case.about}, {case.name}"):
                figures[case, engine] = await time_case(scenes[0], scenes[1], case, seconds)
        return figures


async def fill_store(settings: Settings, size: Size, progress: Progress, name: str) -> Crowd:
    """Fill a store quickly: indexes are created when all rows are there."""
    task = progress.add_task(f"filling {name}", total=size.rows)
    async with open_runtime(settings):
        pass  # it is migrated now
    async with without_indexes(settings, FILLED):
        async with open_runtime(settings) as runtime:
            crowd = await fill(runtime, size, lambda count: progress.advance(task, count))
        progress.update(task, description=f"indexing {name}")
    return crowd


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[InProcess]:
    """Yield a node in this process."""
    async with open_runtime(settings) as runtime:
        yield InProcess(make_app(runtime, OPERATIONS))


async def time_case(small: Scene, full: Scene, case: Case, seconds: float) -> tuple[Timed, Timed]:
    """Time a case on both stores in turn, so that a disturbance hits both."""
    pair = await _prepare(small, case), await _prepare(full, case)
    for call in range(WARM_UP + MOST_CALLS):
        if call == WARM_UP:
            deadline = time.perf_counter() + seconds
        for scene, timed in zip((small, full), pair, strict=True):
            started = time.perf_counter()
            await scene.ask(timed.asked)
            if call >= WARM_UP:
                timed.took.append(time.perf_counter() - started)
        if call >= WARM_UP + LEAST_CALLS and time.perf_counter() > deadline:
            break
    return pair


async def _prepare(scene: Scene, case: Case) -> Timed:
    """Return the request for the case's place in the list."""
    asked = scene.asked(case)
    pagination = (await scene.ask(asked)).meta["pagination"]
    pages = pagination["total_pages"]
    if case.place != FIRST:
        page = pages if case.place == LAST else (pages + 1) // 2
        asked = scene.asked(case, page=page)
    if case.place == CURSOR:
        asked = scene.asked(case, **(await scene.ask(asked)).meta["cursor"])
    return Timed(asked, pagination["total"])


def show_figures(console: Console, figures: Figures) -> None:
    """Print a table for each kind of list; figures beyond a limit are red."""
    engines = list(dict.fromkeys(engine for _, engine in figures))
    tables: dict[str, Table] = {}
    for case in dict.fromkeys(case for case, _ in figures):
        table = tables.setdefault(case.about, _table(case.about, engines))
        pairs = [figures[case, engine] for engine in engines]
        _, full = pairs[0]
        table.add_row(case.name, f"{full.total:,}", *_cells(case, pairs))
    for table in tables.values():
        console.print(table)


def _table(title: str, engines: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("p50, ms")
    table.add_column("total", justify="right")
    for engine in engines:
        for column in (f"{engine}, 1 %", "full", "times"):
            table.add_column(column, justify="right")
    return table


def _cells(case: Case, pairs: Sequence[tuple[Timed, Timed]]) -> Iterator[str]:
    for small, full in pairs:
        times = full.median / small.median
        is_good = times <= MOST_TIMES if case.is_bounded else full.median <= MOST_SECONDS
        yield f"{small.median * 1000:.1f}"
        yield f"{full.median * 1000:.1f}" if is_good else f"[red]{full.median * 1000:.1f}"
        yield f"{times:.1f}"
