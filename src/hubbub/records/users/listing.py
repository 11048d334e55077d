"""Lists of users, newest change first: which index serves a filter."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, LiteralString

from hubbub.kernel.pages import PageRequest
from hubbub.records.listing import (
    ListFilter,
    Lookups,
    Scan,
    count_rows,
    fetch_positions,
    is_most,
    list_ids,
    resolve_small_searches,
)
from hubbub.records.users.model import AVAILABLE, OFFLINE, User
from hubbub.records.users.store import NAME, SQL, UID, find_users
from hubbub.storage.interface import Snapshot
from hubbub.storage.queries import Query, Where

NEWEST_FIRST: LiteralString = "u.touched_at, u.uid"
BY_ROLE: LiteralString = "u.role, u.touched_at, u.uid"
LOOKUPS = Lookups(SQL.find_by_word, SQL.find_by_tag, (NAME, UID))


@dataclass(frozen=True, slots=True, kw_only=True)
class UserFilter(ListFilter):
    """The conditions of a list of users; without any it holds all active users."""

    status: str | None = None
    roles: Sequence[str] = ()
    only_deactivated: bool = False
    with_deactivated: bool = False

    @property
    def is_unfiltered(self) -> bool:
        """True if the list is that of all active users, whose total is kept."""
        conditions = (self.search, self.tags, self.status, self.roles)
        return not (any(conditions) or self.only_deactivated or self.with_deactivated)


@dataclass(frozen=True, slots=True)
class ScannedTable:
    """A table that is scanned in list order; its queries call it `u`."""

    rows: Query
    count: Query


ROWS = ScannedTable(SQL.list_users, SQL.count_users)
WORDS = ScannedTable(SQL.list_by_word, SQL.count_by_word)
TAGS = ScannedTable(SQL.list_by_tag, SQL.count_by_tag)


def _source(wanted: UserFilter) -> ScannedTable:
    """Return the table that is likely to hold the fewest other users."""
    if wanted.status == AVAILABLE:
        return ROWS  # an index holds only these
    if wanted.tags:
        return TAGS
    return WORDS if wanted.search else ROWS


async def list_users(
    snapshot: Snapshot, wanted: UserFilter, page: PageRequest
) -> tuple[list[User], int]:
    """Return a page of users, newest change first, and the total."""
    listed = await resolve_small_searches(snapshot, wanted, LOOKUPS)
    if listed.among is None:
        source = _source(listed)
        total = await _count(snapshot, listed)
        scan = Scan(source.rows, NEWEST_FIRST, _where(listed, source), total)
        uids, total = await list_ids(snapshot, page, wanted.cursor, scan=scan)
    else:
        few = await fetch_positions(snapshot, SQL.find_listed, _where(listed, ROWS))
        uids, total = await list_ids(snapshot, page, wanted.cursor, few=few)
    found = await find_users(snapshot, uids)
    return [found[uid] for uid in uids], total


async def _count(snapshot: Snapshot, wanted: UserFilter) -> int:
    """Count the users of a list; where these may be nearly all, by counting the others."""
    if wanted.is_unfiltered:
        return await count_rows(snapshot, SQL.count_active_users)
    if wanted.status == OFFLINE:
        either, available = replace(wanted, status=None), replace(wanted, status=AVAILABLE)
        return await _count(snapshot, either) - await _count(snapshot, available)
    source = _source(wanted)
    if source is ROWS and wanted.with_deactivated and not wanted.only_deactivated:
        active = replace(wanted, with_deactivated=False)
        deactivated = replace(active, only_deactivated=True)
        return await _count(snapshot, active) + await _count(snapshot, deactivated)
    if len(wanted.roles) == 1 and replace(wanted, roles=()).is_unfiltered:
        (role,) = wanted.roles
        if await is_most(snapshot, SQL.list_newest_roles, role):
            return await _count_role_of_most(snapshot, role)
    order = BY_ROLE if wanted.roles and source is ROWS and wanted.status is None else None
    return await count_rows(snapshot, source.count, _where(wanted, source), order)


async def _count_role_of_most(snapshot: Snapshot, role: str) -> int:
    """Count the active users of a role by counting those of the other roles."""
    lower_where, upper_where = _where(UserFilter(), ROWS), _where(UserFilter(), ROWS)
    lower_where.add("u.role < :role", role=role)
    upper_where.add("u.role > :role", role=role)
    lower = await count_rows(snapshot, SQL.count_users, lower_where, BY_ROLE)
    upper = await count_rows(snapshot, SQL.count_users, upper_where, BY_ROLE)
    return await count_rows(snapshot, SQL.count_active_users) - lower - upper


def _where(wanted: UserFilter, source: ScannedTable) -> Where:
    """Return the conditions as they are asked of a source."""
    where = Where()
    if wanted.among is not None:
        where.add("u.uid = ANY(:among)", among=list(wanted.among))
    if wanted.only_deactivated:
        where.add("u.deactivated_at IS NOT NULL")
    elif not wanted.with_deactivated:
        where.add("u.deactivated_at IS NULL")
    if wanted.status is not None:
        _add_status(where, wanted, source)
    if wanted.roles:
        _add_roles(where, wanted)
    if wanted.tags:
        _add_tags(where, wanted, source)
    if wanted.search:
        _add_search(where, wanted, source)
    return where


def _add_status(where: Where, wanted: UserFilter, source: ScannedTable) -> None:
    if wanted.status == AVAILABLE:
        where.add("u.status = 'available'")
    elif source is ROWS:
        where.add("u.status = 'offline'")
    else:  # few users are available
        where.add("{available_user(u)} IS NULL")


def _add_roles(where: Where, wanted: UserFilter) -> None:
    roles = list(dict.fromkeys(wanted.roles))
    if wanted.among is not None or wanted.status == AVAILABLE:  # fewer than have the role
        where.add("u.role || '' = ANY(:roles)", roles=roles)
    elif len(roles) == 1:  # an index holds the users of a role in list order
        where.add("u.role = :role", role=roles[0])
    else:
        where.add("u.role = ANY(:roles)", roles=roles)


def _add_tags(where: Where, wanted: UserFilter, source: ScannedTable) -> None:
    tags = list(dict.fromkeys(wanted.tags))
    if source is TAGS and len(tags) == 1:  # an index holds the users of a tag in list order
        where.add("u.tag = :tag", tag=tags[0])
    elif source is TAGS:
        where.add("u.tag = ANY(:tags)", tags=tags)
    else:
        where.add("1 = {user_tag(u)}", tags=tags)


def _add_search(where: Where, wanted: UserFilter, source: ScannedTable) -> None:
    """Ask for a word that begins with the search; words are indexed by letter in list order."""
    args: dict[str, Any] = LOOKUPS.search_args(wanted)
    if source is not WORDS:
        where.add("1 = {user_word(u)}", **args)
        return
    where.add("substr(u.word, 1, 1) = :letter", letter=args["letter"])
    if wanted.search_in:
        where.add("u.kind || '' = ANY(:kinds)", kinds=args["kinds"])
    if NAME in args["kinds"]:  # only the first of the words that match; a uid is one word
        where.add("u.shared < :length", length=len(args["lower"]))
    if args["lower"] != args["letter"]:
        bounds = {"lower": args["lower"], "upper": args["upper"]}
        where.add("u.word || '' >= :lower AND u.word || '' < :upper", **bounds)
