"""How long lists take: at full size and at a hundredth of it, on both engines.

The functions of the domain are called in this process, so that no HTTP is measured: a list with its
total, as a request asks for it.
"""

import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bench.crowd import RARE_NAME, RARE_UID, Crowd
from hubbub.domain.access.actor import APP, Actor
from hubbub.domain.groups.find import list_groups
from hubbub.domain.groups.store import GroupFilter
from hubbub.domain.members.find import list_members
from hubbub.domain.members.store import MemberFilter
from hubbub.domain.users.find import list_users
from hubbub.domain.users.store import UserFilter
from hubbub.kernel.pages import Page, PageRequest
from hubbub.runtime import Runtime

WARM_UP = 7
"""Calls before any counts: PostgreSQL settles on a plan after five."""
LEAST, MOST = 11, 101
CASE_SECONDS = 1.0
MOST_TIMES, MOST_SECONDS = 3.0, 0.060

FIRST, CURSOR, MIDDLE, LAST = "first page", "cursor, middle", "page, middle", "last page"
Filter = UserFilter | GroupFilter | MemberFilter


@dataclass(frozen=True, slots=True)
class Case:
    """A list that somebody asks for; `wanted` says which."""

    about: str
    name: str
    wanted: Filter
    place: str = FIRST
    is_viewer: bool = False
    is_club: bool = False
    is_bounded: bool = False
    """Whether its time must not grow with the store; otherwise it must only be short."""


@dataclass(slots=True)
class Scene:
    """A filled store."""

    runtime: Runtime
    crowd: Crowd


@dataclass(slots=True)
class Timed:
    """A case on a store: what it answered, and the seconds that it took."""

    page: Page[Any]
    took: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.took)


def make_cases() -> list[Case]:
    """All that is measured."""
    return [*_users(), *_groups(), *_groups_seen(), *_club(), *_members()]


def _walk(about: str, wanted: Filter, **how: bool) -> list[Case]:
    """The pages of a list that is not searched."""
    return [
        Case(about, FIRST, wanted, FIRST, is_bounded=True, **how),
        Case(about, CURSOR, wanted, CURSOR, is_bounded=True, **how),
        Case(about, MIDDLE, wanted, MIDDLE, **how),
        Case(about, LAST, wanted, LAST, **how),
    ]


def _users() -> list[Case]:
    about, default = "users", UserFilter(roles=["default"])
    return [
        *_walk(about, UserFilter()),
        Case(about, "first page, as a user", UserFilter(), is_viewer=True, is_bounded=True),
        Case(about, "search: a name", UserFilter(search=RARE_NAME), is_bounded=True),
        Case(about, "search: a uid", UserFilter(search=RARE_UID), is_bounded=True),
        Case(about, "search: a letter", UserFilter(search="m")),
        Case(about, "search: a letter, middle", UserFilter(search="m"), MIDDLE),
        Case(about, "search: two letters", UserFilter(search="mo")),
        Case(about, "search and role", UserFilter(search=RARE_NAME, roles=["member"])),
        Case(about, "role of most", default),
        Case(about, "role of most, middle", default, MIDDLE),
        Case(about, "role of few", UserFilter(roles=["staff"])),
        Case(about, "two roles", UserFilter(roles=["member", "staff"])),
        Case(about, "available", UserFilter(status="available")),
        Case(about, "offline", UserFilter(status="offline")),
        Case(about, "role and status", UserFilter(roles=["default"], status="available")),
        Case(about, "tag of many", UserFilter(tags=["tag-1"])),
        Case(about, "two tags of few", UserFilter(tags=["tag-40", "tag-41"])),
        Case(about, "deactivated", UserFilter(only_deactivated=True)),
        Case(about, "with deactivated", UserFilter(with_deactivated=True)),
        Case(about, "with deactivated, middle", UserFilter(with_deactivated=True), MIDDLE),
    ]


def _groups() -> list[Case]:
    about, by_name = "groups, as the app", GroupFilter(sort_by="name")
    return [
        *_walk(about, GroupFilter()),
        Case(about, "by name", by_name),
        Case(about, "by name, middle", by_name, MIDDLE),
        Case(about, "search: a name", GroupFilter(search=RARE_NAME), is_bounded=True),
        Case(about, "search: a letter", GroupFilter(search="m")),
        Case(about, "private", GroupFilter(types=["private"])),
        Case(about, "two types", GroupFilter(types=["public", "password"])),
        Case(about, "tag of many", GroupFilter(tags=["tag-1"])),
    ]


def _groups_seen() -> list[Case]:
    about, by_name = "groups, as a user", GroupFilter(sort_by="name")
    return [
        *_walk(about, GroupFilter(), is_viewer=True),
        Case(about, "by name", by_name, is_viewer=True),
        Case(about, "by name, middle", by_name, MIDDLE, is_viewer=True),
        Case(about, "search: a name", GroupFilter(search=RARE_NAME), FIRST, True, is_bounded=True),
        Case(about, "search: a letter", GroupFilter(search="m"), is_viewer=True),
        Case(about, "public", GroupFilter(types=["public"]), is_viewer=True),
        Case(about, "tag of many", GroupFilter(tags=["tag-1"]), is_viewer=True),
        Case(about, "joined", GroupFilter(joined_only=True), is_viewer=True, is_bounded=True),
    ]


def _club() -> list[Case]:
    about = "nearly all groups private"
    search = GroupFilter(search=RARE_NAME)
    joined = GroupFilter(joined_only=True)
    return [
        *_walk(about, GroupFilter(), is_viewer=True, is_club=True),
        Case(about, "search: a name", search, FIRST, True, True, is_bounded=True),
        Case(about, "search: a letter", GroupFilter(search="m"), FIRST, True, True),
        Case(about, "joined", joined, FIRST, True, True, is_bounded=True),
    ]


def _members() -> list[Case]:
    about = "members"
    moderators = MemberFilter(scopes=["admin", "moderator"])
    participants = MemberFilter(scopes=["participant"])
    return [
        *_walk(about, MemberFilter()),
        Case(about, "first page, as a member", MemberFilter(), is_viewer=True, is_bounded=True),
        Case(about, "admins and moderators", moderators),
        Case(about, "participants", participants),
        Case(about, "participants, middle", participants, MIDDLE),
        Case(about, "available", MemberFilter(status="available")),
        Case(about, "offline", MemberFilter(status="offline")),
    ]


def _ask(scene: Scene, case: Case, wanted: Filter, number: int) -> Awaitable[Page[Any]]:
    crowd, request = scene.crowd, PageRequest(number)
    app_id = crowd.club if case.is_club else crowd.town
    actor = Actor(crowd.viewer) if case.is_viewer else APP
    if isinstance(wanted, UserFilter):
        return list_users(scene.runtime, app_id, actor, wanted, request)
    if isinstance(wanted, GroupFilter):
        return list_groups(scene.runtime, app_id, actor, wanted, request)
    return list_members(scene.runtime, app_id, actor, crowd.large, wanted, request)


async def _prepare(scene: Scene, case: Case) -> tuple[Callable[[], Awaitable[Page[Any]]], Timed]:
    """What asks for the case's page, and its answer."""
    page = await _ask(scene, case, case.wanted, 1)
    pages = max(1, -(-page.total // page.request.per_page))
    number = {FIRST: 1, LAST: pages}.get(case.place, (pages + 1) // 2)
    wanted = case.wanted
    if case.place == CURSOR:
        middle = await _ask(scene, case, wanted, number)
        wanted, number = replace(wanted, cursor=middle.cursor), 1
    return lambda: _ask(scene, case, wanted, number), Timed(page)


async def measure_case(scenes: Sequence[Scene], case: Case) -> list[Timed]:
    """Time the case on all stores in turn, so that a disturbance does not hit one of them alone."""
    asked = [await _prepare(scene, case) for scene in scenes]
    for _ in range(WARM_UP):
        for ask, timed in asked:
            timed.page = await ask()
    deadline = time.perf_counter() + CASE_SECONDS
    for number in range(MOST):
        for ask, timed in asked:
            started = time.perf_counter()
            await ask()
            timed.took.append(time.perf_counter() - started)
        if number >= LEAST and time.perf_counter() > deadline:
            break
    return [timed for _, timed in asked]
