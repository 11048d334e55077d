"""Pages of lists: what was asked for, and what the answer says of where it stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")

PER_PAGE_DEFAULT = 100
PER_PAGE_MOST = 1_000


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A page by number, from 1."""

    page: int = 1
    per_page: int = PER_PAGE_DEFAULT

    @property
    def offset(self) -> int:
        return (self.page - 1) * self.per_page


@dataclass(frozen=True, slots=True)
class TimeCursor:
    """A place in a list that is ordered by time, then id."""

    at: int
    id: str
    is_before: bool


def next_place(places: Sequence[tuple[int, str]], asked: TimeCursor | None) -> TimeCursor | None:
    """Where a list that is newest first goes on after a page, in the direction that was asked for.

    `places` are the times and ids of the page's rows; None: it has none.
    """
    if not places:
        return None
    is_before = asked is None or asked.is_before
    return TimeCursor(*places[-1 if is_before else 0], is_before=is_before)


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """The rows of a page, how many there are in all, and where the next ones begin."""

    items: Sequence[Item]
    total: int
    request: PageRequest
    cursor: TimeCursor | None = None
