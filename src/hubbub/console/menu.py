"""The menus: which pages are in them, and which of those an operator may see."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hubbub.console.access import may_visit
from hubbub.console.page import PAGES
from hubbub.console.visit import Visit

MAIN = ("", "/apps", "/system", "/audit", "/account")
"""The paths of the pages in the menu, in its order; their titles are those of the pages."""
OF_APP = (
    "/apps/{app}",
    "/apps/{app}/people",
    "/apps/{app}/groups",
    "/apps/{app}/conversations",
    "/apps/{app}/messages",
    "/apps/{app}/moderation",
    "/apps/{app}/rules",
    "/apps/{app}/keywords",
    "/apps/{app}/reasons",
    "/apps/{app}/webhooks",
    "/apps/{app}/keys",
    "/apps/{app}/identity",
    "/apps/{app}/notifications",
    "/apps/{app}/providers",
    "/apps/{app}/bots",
    "/apps/{app}/settings",
    "/apps/{app}/retention",
    "/apps/{app}/moving",
)
"""The same for the menu of an app."""


@dataclass(frozen=True, slots=True)
class MenuItem:
    """A line of a menu."""

    title: str
    address: str
    current: str
    """As `aria-current` has it: `page`, `true` for where the page belongs, or empty."""


def menu_of(visit: Visit, paths: Sequence[str]) -> list[MenuItem]:
    """Return the lines of a menu that an operator may see."""
    return list(_items(visit, paths))


def _items(visit: Visit, paths: Sequence[str]) -> Iterator[MenuItem]:
    current = _current(visit.page.path, paths)
    is_above = bool(visit.app) and paths is not OF_APP
    for path in paths:
        page = PAGES["GET", path]
        if may_visit(visit.operator, page, visit.values):
            mark = "" if path != current else "true" if is_above else "page"
            yield MenuItem(page.title, page.address(visit.values), mark)


def _current(path: str, paths: Sequence[str]) -> str | None:
    """Return the page of a menu to which another page belongs: that with the longest beginning."""
    parts = path.split("/")
    fitting = [each for each in paths if parts[: each.count("/") + 1] == each.split("/")]
    return max(fitting, key=len, default=None)
