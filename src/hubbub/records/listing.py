"""Lists of any length: pages, searches and tags, for each table that has a list.

Results up to `MOST_SORTED` rows are sorted in memory; beyond it, an index is scanned in list order.
Which indexes serve this, and what each special case is worth: `docs/decisions/indexes.md`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, LiteralString, TypeVar

from hubbub.kernel.pages import PageRequest, TimeCursor
from hubbub.kernel.text import ID_LENGTH, fold, prefix_range
from hubbub.storage.interface import Row, Snapshot
from hubbub.storage.queries import Query, Where

MOST_SORTED = 5_000
"""Sort results up to this size; beyond it, scan an index in list order."""
SAMPLE = 100
"""The number of newest rows that `is_most` reads."""

Position = tuple[Any, str]
"""The value that a list is ordered by, and the id of the row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFilter:
    """Conditions that lists share, and the cursor of the page; None and empty are no condition."""

    search: str = ""
    search_in: Sequence[str] = ()
    tags: Sequence[str] = ()
    among: Collection[str] | None = None
    """Only these ids, `MOST_SORTED` at most; an empty collection leaves no row."""
    cursor: TimeCursor | None = None


Filter = TypeVar("Filter", bound=ListFilter)


@dataclass(frozen=True, slots=True)
class Lookups:
    """The queries that find ids by the beginning of a word, and by tags."""

    by_word: Query
    by_tag: Query
    kinds: tuple[str, ...]
    """The kinds of words that a search looks at unless it names some."""

    def search_args(self, wanted: ListFilter) -> dict[str, Any]:
        """Return the bounds and kinds of the words; `letter` is the first column of their index."""
        lower, upper = prefix_range(fold(wanted.search)[:ID_LENGTH])
        kinds = list(wanted.search_in or self.kinds)
        return {"letter": lower[:1], "kinds": kinds, "lower": lower, "upper": upper}


@dataclass(frozen=True, slots=True)
class Scan:
    """A query that yields rows in list order, narrowed by `where`, and its total."""

    query: Query
    columns: LiteralString
    """The unique key that the list is ordered by."""
    where: Where
    total: int


@dataclass(frozen=True, slots=True)
class _Window:
    """The rows to read: direction of the scan, cursor or offset, and number of rows."""

    limit: int
    offset: int = 0
    is_descending: bool = True
    is_reversed: bool = False
    """True if the scan runs against the order of the list."""
    cursor: TimeCursor | None = None

    def has(self, position: Position) -> bool:
        """Return whether a position lies on the cursor's side."""
        if self.cursor is None:
            return True
        key = (self.cursor.at, self.cursor.id)
        return position < key if self.cursor.is_before else position > key


def _window(
    page: PageRequest, cursor: TimeCursor | None, total: int, *, is_descending: bool
) -> _Window:
    """Return the rows of a page; a numbered one is reached from the nearer end of the list."""
    if cursor is not None:
        before = cursor.is_before
        return _Window(page.per_page, is_descending=before, is_reversed=not before, cursor=cursor)
    if page.offset * 2 <= total:
        return _Window(page.per_page, page.offset, is_descending)
    limit = max(0, min(page.per_page, total - page.offset))
    offset = max(0, total - page.offset - limit)
    return _Window(limit, offset, not is_descending, is_reversed=True)


async def _scan(snapshot: Snapshot, scan: Scan, window: _Window) -> list[Row]:
    where, cursor = scan.where, window.cursor
    if cursor is not None:
        where.add_keyset(scan.columns, cursor.at, cursor.id, is_before=cursor.is_before)
    order = (
        scan.columns.replace(", ", " DESC, ") + " DESC" if window.is_descending else scan.columns
    )
    query = where.narrow(scan.query, order=order)
    return await snapshot.fetch(query, limit=window.limit, offset=window.offset, **where.args)


async def read_page(
    snapshot: Snapshot, scan: Scan, page: PageRequest, cursor: TimeCursor | None
) -> list[Row]:
    """Read a page of a descending list, by number or from a cursor, in list order."""
    window = _window(page, cursor, scan.total, is_descending=True)
    rows = await _scan(snapshot, scan, window)
    return rows[::-1] if window.is_reversed else rows


async def list_ids(
    snapshot: Snapshot,
    page: PageRequest,
    cursor: TimeCursor | None,
    *,
    few: Sequence[Position] = (),
    scan: Scan | None = None,
    is_descending: bool = True,
) -> tuple[list[str], int]:
    """Return the ids of a page and the total of a list that is `few` and the rows of `scan` merged.

    The scan's rows are an id and the value that the list is ordered by.
    """
    total = len(few) + (scan.total if scan else 0)
    window = _window(page, cursor, total, is_descending=is_descending)
    few = [position for position in few if window.has(position)]
    start = min(window.offset, len(few))  # at most so many of `few` precede the page
    read = replace(window, offset=window.offset - start, limit=window.limit + start)
    rows = await _scan(snapshot, scan, read) if scan else []
    merged = sorted([*few, *((row[1], row[0]) for row in rows)], reverse=window.is_descending)
    ids = [id_ for _, id_ in merged[start : start + window.limit]]
    return ids[::-1] if window.is_reversed else ids, total


async def fetch_positions(
    snapshot: Snapshot, query: Query, where: Where, value: int = 1
) -> list[Position]:
    """Fetch the positions of all rows of a query: their ids, and the column `value`."""
    rows = await snapshot.fetch(where.narrow(query), **where.args)
    return [(row[value], row[0]) for row in rows]


async def resolve_small_searches(snapshot: Snapshot, wanted: Filter, lookups: Lookups) -> Filter:
    """Replace a search, or tags, that find few rows by the ids of these."""
    if wanted.search:
        few = await _find_few(snapshot, lookups.by_word, wanted, **lookups.search_args(wanted))
        if few is not None:
            wanted = replace(wanted, search="", among=few)
    if wanted.tags:
        few = await _find_few(snapshot, lookups.by_tag, wanted, tags=list(wanted.tags))
        if few is not None:
            wanted = replace(wanted, tags=(), among=few)
    return wanted


async def _find_few(
    snapshot: Snapshot, query: Query, wanted: ListFilter, **args: Any
) -> set[str] | None:
    """Return the ids that a query finds among those wanted; None if they are many."""
    rows = await snapshot.fetch(query, limit=MOST_SORTED + 1, **args)
    if len(rows) > MOST_SORTED:
        return None
    found = {row[0] for row in rows}
    return found if wanted.among is None else found.intersection(wanted.among)


async def count_rows(
    snapshot: Snapshot,
    query: Query,
    where: Where | None = None,
    order: LiteralString | None = None,
) -> int:
    """Return the number that a query answers with, narrowed by `where`."""
    where = where or Where()
    row = await snapshot.fetch_one(where.narrow(query, order=order), **where.args)
    return int(row[0]) if row else 0


async def is_most(snapshot: Snapshot, sample: Query, value: str) -> bool:
    """Return whether more than half of a sample of rows have a value."""
    values = [row[0] for row in await snapshot.fetch(sample, limit=SAMPLE)]
    return values.count(value) * 2 > len(values)
