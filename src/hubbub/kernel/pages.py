"""Pages and slices of lists: the request, the rows, and the cursors to go on with.

A page is numbered, or begins at a time cursor. A slice begins at a cursor, in either direction.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")
Cursor = TypeVar("Cursor")

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
    """A position in a list that is ordered by time, then id."""

    at: int
    id: str
    is_before: bool


def next_cursor(
    positions: Sequence[tuple[int, str]], asked: TimeCursor | None
) -> TimeCursor | None:
    """Return the cursor that follows a page of a newest-first list, in the direction of `asked`.

    `positions` are the times and ids of the page's rows; without rows there is no cursor.
    """
    if not positions:
        return None
    is_before = asked is None or asked.is_before
    return TimeCursor(*positions[-1 if is_before else 0], is_before=is_before)


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """The rows of a page, the total of the list, and the cursor of the next page."""

    items: Sequence[Item]
    total: int
    request: PageRequest
    cursor: TimeCursor | None = None


def page_of(items: Sequence[Item], request: PageRequest) -> Page[Item]:
    """Return a page of a list that was read as a whole."""
    shown = items[request.offset : request.offset + request.per_page]
    return Page(shown, len(items), request)


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceRequest(Generic[Cursor]):
    """Up to `limit` rows of an ascending list, after a cursor or before it.

    Without a cursor the slice begins at the first row, or ends at the last one.
    """

    limit: int
    is_before: bool = False
    cursor: Cursor | None = None


@dataclass(frozen=True, slots=True)
class Slice(Generic[Item]):
    """Consecutive rows of a list, ascending, and whether there are more on either side."""

    items: Sequence[Item]
    limit: int
    has_older: bool = False
    has_newer: bool = False


async def read_slice(
    request: SliceRequest[Cursor],
    fetch: Callable[[SliceRequest[Cursor]], Awaitable[Sequence[Item]]],
    cursor_of: Callable[[Item], Cursor],
) -> Slice[Item]:
    """Read a slice with `fetch`, which answers a request with its rows, always ascending.

    One row more than requested shows whether the list continues; a second fetch of one row shows
    whether there are rows on the other side of the cursor.
    """
    is_before = request.is_before
    rows = await fetch(
        SliceRequest(limit=request.limit + 1, is_before=is_before, cursor=request.cursor)
    )
    has_more = len(rows) > request.limit
    if has_more:
        rows = rows[1:] if is_before else rows[:-1]
    has_other = False
    if rows and request.cursor is not None:
        edge = cursor_of(rows[-1 if is_before else 0])
        has_other = bool(await fetch(SliceRequest(limit=1, is_before=not is_before, cursor=edge)))
    if is_before:
        return Slice(rows, request.limit, has_older=has_more, has_newer=has_other)
    return Slice(rows, request.limit, has_older=has_other, has_newer=has_more)
