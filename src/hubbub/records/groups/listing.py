"""Lists of groups, for the app and for users, who see no private groups but their own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import LiteralString

from hubbub.kernel.pages import PageRequest
from hubbub.records.groups.model import PRIVATE, Group
from hubbub.records.groups.store import SQL, find_groups
from hubbub.records.listing import (
    ListFilter,
    Lookups,
    Position,
    Scan,
    count_rows,
    fetch_positions,
    is_most,
    list_ids,
    resolve_small_searches,
)
from hubbub.storage.interface import Snapshot
from hubbub.storage.queries import Query, Where

BY_TYPE: LiteralString = "g.type, g.touched_at, g.guid"
LOOKUPS = Lookups(SQL.find_by_word, SQL.find_by_tag, ("name", "guid"))


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFilter(ListFilter):
    """The conditions and the order of a list of groups; None and empty are no condition."""

    types: Sequence[str] = ()
    sort_by: str | None = None
    """`name`, `guid` or `createdAt`; None: newest change first."""
    is_descending: bool = False
    viewer: str | None = None
    """The user who sees no private groups but their own; None: the app, which sees all."""
    joined_only: bool = False

    @property
    def is_joined(self) -> bool:
        """True if the list holds the viewer's groups only; the app itself has joined none."""
        return self.joined_only and self.viewer is not None


@dataclass(frozen=True, slots=True)
class Order:
    """An order of groups: the query that scans its index, and its key.

    `value` is the column of `find_listed` and `list_joined` that has the key's first part.
    """

    query: Query
    columns: LiteralString
    value: int


ORDERS = {
    None: Order(SQL.list_groups, "g.touched_at, g.guid", 1),
    "name": Order(SQL.list_by_name, "g.name, g.guid", 2),
    "createdAt": Order(SQL.list_by_creation, "g.created_at, g.guid", 3),
    "guid": Order(SQL.list_by_guid, "g.guid", 0),
}


async def list_groups(
    snapshot: Snapshot, wanted: GroupFilter, page: PageRequest
) -> tuple[list[Group], int]:
    """Return a page of groups and the total.

    A user's groups, 2,000 at most, are sorted in memory. Their private ones are merged with a scan
    of the open groups, so no other private group is read.
    """
    listed = await resolve_small_searches(snapshot, wanted, LOOKUPS)
    order, where = ORDERS[wanted.sort_by], _where(listed)
    scan, few = None, list[Position]()
    if listed.is_joined:
        few = await fetch_positions(snapshot, SQL.list_joined, where, order.value)
    elif listed.among is not None:
        few = await fetch_positions(snapshot, SQL.find_listed, where, order.value)
    else:
        scan = await _scan(snapshot, listed)
        if listed.viewer is not None:
            where.add("g.type = 'private'")
            few = await fetch_positions(snapshot, SQL.list_joined, where, order.value)
    is_descending = wanted.is_descending or wanted.sort_by is None
    guids, total = await list_ids(
        snapshot, page, wanted.cursor, few=few, scan=scan, is_descending=is_descending
    )
    found = await find_groups(snapshot, guids)
    return [found[guid] for guid in guids], total


async def _scan(snapshot: Snapshot, wanted: GroupFilter) -> Scan:
    """Return the scan of all groups, of the open ones if a user views them."""
    order, where = ORDERS[wanted.sort_by], _where(wanted)
    if wanted.viewer is not None:
        where.add("g.type <> 'private'")
    return Scan(order.query, order.columns, where, await _count(snapshot, wanted, where))


async def _count(snapshot: Snapshot, wanted: GroupFilter, where: Where) -> int:
    """Count the groups of a scan; where most seem to be open, by counting the private ones."""
    if wanted.types or wanted.tags or wanted.search:
        order = BY_TYPE if wanted.types else None
        return await count_rows(snapshot, SQL.count_groups, where, order)
    if wanted.viewer is None:
        return await count_rows(snapshot, SQL.count_all_groups)
    if await is_most(snapshot, SQL.list_newest_types, PRIVATE):
        return await count_rows(snapshot, SQL.count_groups, where)
    private_where = Where()
    private_where.add("g.type = 'private'")
    private = await count_rows(snapshot, SQL.count_groups, private_where)
    return await count_rows(snapshot, SQL.count_all_groups) - private


def _where(wanted: GroupFilter) -> Where:
    where = Where(viewer=wanted.viewer)
    if wanted.among is not None:
        where.add("g.guid = ANY(:among)", among=list(wanted.among))
        if wanted.viewer is not None:
            where.add("(g.type <> 'private' OR 1 = {viewer_is_member(g)})")
    if wanted.types:
        where.add("g.type = ANY(:types)", types=list(wanted.types))
    if wanted.tags:
        where.add("g.guid || '' IN {guids_by_tag}", tags=list(wanted.tags))
    if wanted.search:
        where.add("g.guid || '' IN {guids_by_word}", **LOOKUPS.search_args(wanted))
    return where
