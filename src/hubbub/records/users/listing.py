"""Lists of users, from the newest change: which index is gone through for what is asked for.

However many there are, what is gone through holds all that is asked for, and no rows are read but
those of the page: see `docs/decisions/indexes.md`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, LiteralString

from hubbub.kernel.pages import PageRequest, TimeCursor
from hubbub.kernel.text import ID_LENGTH, fold, prefix_range
from hubbub.records.users.model import AVAILABLE, OFFLINE, User
from hubbub.records.users.store import NAME, SQL, UID, find_users
from hubbub.storage.interface import Snapshot
from hubbub.storage.queries import Query, Where

MOST_SIFTED = 5_000
"""Up to so many are put in order for a page; of more, some stand early in the order anyway."""
BY_ROLE: LiteralString = "u.role, u.touched_at, u.uid"
FROM_THE_NEWEST = TimeCursor(2**63 - 1, "", is_before=True)
_CONDITIONS = ("search", "status", "roles", "tags", "only_deactivated", "with_deactivated")


@dataclass(frozen=True, slots=True)
class UserFilter:
    """Which users a list holds; None and empty ask for nothing."""

    search: str = ""
    search_in: Sequence[str] = ()
    status: str | None = None
    roles: Sequence[str] = ()
    tags: Sequence[str] = ()
    only_deactivated: bool = False
    with_deactivated: bool = False
    cursor: TimeCursor | None = field(default=None)
    among: Collection[str] | None = None
    """Nobody but these, `MOST_SIFTED` at most; empty, they are nobody."""

    @property
    def conditions(self) -> set[str]:
        """What is asked for; nothing: all who are active."""
        named = {"among"} if self.among is not None else set()
        return named | {name for name in _CONDITIONS if getattr(self, name)}


@dataclass(frozen=True, slots=True)
class Source:
    """A table that is gone through in the order of the list; in its queries it is called `u`."""

    list_uids: Query
    count: Query


ROWS = Source(SQL.list_uids, SQL.count_users)
WORDS = Source(SQL.list_by_word, SQL.count_by_word)
TAGS = Source(SQL.list_by_tag, SQL.count_by_tag)


def _source(wanted: UserFilter, *, at_once: bool = False) -> Source:
    """What is likely to hold the fewest others; `at_once`: all of the list is gone through."""
    if wanted.status == AVAILABLE:
        return ROWS  # an index has those alone
    if len(wanted.tags) == 1 or (wanted.tags and at_once):  # those of several have to be sorted
        return TAGS
    return WORDS if wanted.search else ROWS


async def list_users(
    snapshot: Snapshot, wanted: UserFilter, page: PageRequest
) -> tuple[list[User], int]:
    """A page of users, newest change first, and how many there are in all."""
    listed = await _name_few(snapshot, wanted)
    if listed.among is None:
        total = await _count(snapshot, listed)
        uids = await _walk(snapshot, listed, page, total)
    else:
        uids, total = await _sift(snapshot, listed, page)
    found = await find_users(snapshot, uids)
    return [found[uid] for uid in uids], total


async def _name_few(snapshot: Snapshot, wanted: UserFilter) -> UserFilter:
    """The same list; when a search or tags find few, it names them instead."""
    if wanted.search:
        few = await _find_few(snapshot, SQL.find_by_word, **_searched(wanted))
        if few is not None:
            wanted = replace(wanted, search="", among=_both(few, wanted.among))
    if wanted.tags:
        few = await _find_few(snapshot, SQL.find_by_tag, tags=list(wanted.tags))
        if few is not None:
            wanted = replace(wanted, tags=(), among=_both(few, wanted.among))
    return wanted


async def _find_few(snapshot: Snapshot, query: Query, **args: Any) -> set[str] | None:
    """Whom the query finds; None when they are too many to be named."""
    rows = await snapshot.fetch(query, limit=MOST_SIFTED + 1, **args)
    return {row[0] for row in rows} if len(rows) <= MOST_SIFTED else None


def _both(few: set[str], among: Collection[str] | None) -> set[str]:
    return few if among is None else few.intersection(among)


def _searched(wanted: UserFilter) -> dict[str, Any]:
    """What a search asks of the words: they begin so."""
    lower, upper = prefix_range(fold(wanted.search)[:ID_LENGTH])
    return {"kinds": list(wanted.search_in or (NAME, UID)), "lower": lower, "upper": upper}


async def _count(snapshot: Snapshot, wanted: UserFilter) -> int:
    """How many a list holds; where that may be nearly all, those are counted whom it lacks."""
    if not wanted.conditions:
        return await _fetch_number(snapshot, SQL.count_active_users)
    if wanted.status == OFFLINE:
        either, available = replace(wanted, status=None), replace(wanted, status=AVAILABLE)
        return await _count(snapshot, either) - await _count(snapshot, available)
    source = _source(wanted, at_once=True)
    if source is ROWS:
        return await _count_rows(snapshot, wanted)
    where = _where(wanted, source, at_once=True)
    return await _fetch_number(snapshot, where.narrow(source.count), **where.args)


async def _count_rows(snapshot: Snapshot, wanted: UserFilter) -> int:
    if wanted.with_deactivated and not wanted.only_deactivated:
        active = replace(wanted, with_deactivated=False)
        deactivated = replace(active, only_deactivated=True)
        return await _count(snapshot, active) + await _count(snapshot, deactivated)
    if wanted.conditions == {"roles"} and await _is_usual(snapshot, wanted.roles):
        others = await _fetch_number(snapshot, SQL.count_other_roles, role=wanted.roles[0])
        return await _fetch_number(snapshot, SQL.count_active_users) - others
    is_by_role = wanted.roles and wanted.status is None
    where = _where(wanted, ROWS, at_once=True)
    query = where.narrow(SQL.count_users, order=BY_ROLE if is_by_role else None)
    return await _fetch_number(snapshot, query, **where.args)


async def _is_usual(snapshot: Snapshot, roles: Sequence[str]) -> bool:
    """Whether it seems to be the one role that most have."""
    if len(roles) != 1:
        return False
    newest = [row[0] for row in await snapshot.fetch(SQL.list_newest_roles)]
    return newest.count(roles[0]) * 2 > len(newest)


async def _fetch_number(snapshot: Snapshot, query: Query, **args: Any) -> int:
    row = await snapshot.fetch_one(query, **args)
    return int(row[0]) if row else 0


async def _walk(snapshot: Snapshot, wanted: UserFilter, page: PageRequest, total: int) -> list[str]:
    """The page, out of everybody in the order of the list; from that end which is nearer."""
    cursor = wanted.cursor
    offset, limit, is_backward = page.offset, page.per_page, False
    if cursor is not None:
        offset, is_backward = 0, not cursor.is_before
    elif offset * 2 > total:
        limit, is_backward = max(0, min(limit, total - offset)), True
        offset = max(0, total - offset - limit)
    at_once = offset > MOST_SIFTED
    source = _source(wanted, at_once=at_once)
    where = _where(wanted, source, at_once=at_once)
    if cursor is not None:
        place = {"at": cursor.at, "cursor_uid": cursor.id}
        if cursor.is_before:
            where.add("(u.touched_at, u.uid) < (:at, :cursor_uid)", **place)
        else:
            where.add("(u.touched_at, u.uid) > (:at, :cursor_uid)", **place)
    query = where.narrow(source.list_uids, order="u.touched_at, u.uid" if is_backward else None)
    rows = await snapshot.fetch(query, limit=limit, offset=offset, **where.args)
    uids = [row[0] for row in rows]
    return uids[::-1] if is_backward else uids


async def _sift(snapshot: Snapshot, wanted: UserFilter, page: PageRequest) -> tuple[list[str], int]:
    """The page, out of the few who are named, and how many of them are left in all."""
    where = _where(wanted, ROWS)
    offset = page.offset if wanted.cursor is None else 0
    place = wanted.cursor or FROM_THE_NEWEST
    query = where.narrow(SQL.list_sifted if place.is_before else SQL.list_sifted_after)
    bounds = {"at": place.at, "cursor_uid": place.id, "limit": page.per_page, "offset": offset}
    rows = await snapshot.fetch(query, **bounds, **where.args)
    uids = [row[0] for row in rows]
    if rows:
        total = int(rows[0][1])
    else:
        total = await _fetch_number(snapshot, where.narrow(SQL.count_named), **where.args)
    return uids if place.is_before else uids[::-1], total


def _where(wanted: UserFilter, source: Source, *, at_once: bool = False) -> Where:
    """The conditions, as they are asked of that source."""
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
        _add_tags(where, wanted, source, at_once=at_once)
    if wanted.search:
        _add_search(where, wanted, source, at_once=at_once)
    return where


def _add_status(where: Where, wanted: UserFilter, source: Source) -> None:
    if wanted.status == AVAILABLE:
        where.add("u.status = 'available'")
    elif source is ROWS:
        where.add("u.status = 'offline'")
    else:
        where.add(
            "(SELECT 1 FROM users a WHERE a.app_id = :app_id AND a.uid = u.uid"
            " AND a.status = 'available') IS NULL"
        )


def _add_roles(where: Where, wanted: UserFilter) -> None:
    roles = list(dict.fromkeys(wanted.roles))
    if wanted.among is not None or wanted.status == AVAILABLE:  # fewer than have the role
        where.add("u.role || '' = ANY(:roles)", roles=roles)
    elif len(roles) == 1:  # an index leads to the users of one role in the order of the list
        where.add("u.role = :role", role=roles[0])
    else:
        where.add("u.role = ANY(:roles)", roles=roles)


def _add_tags(where: Where, wanted: UserFilter, source: Source, *, at_once: bool) -> None:
    """Who has a tag; each user is asked, or all are found at once."""
    tags = list(dict.fromkeys(wanted.tags))
    if source is TAGS and len(tags) == 1:
        where.add("u.tag = :tag", tag=tags[0])
    elif source is TAGS:
        where.add("u.tag = ANY(:tags)", tags=tags)
    elif at_once:
        where.add(
            "u.uid || '' IN (SELECT t.uid FROM user_tags t"
            " WHERE t.app_id = :app_id AND t.tag = ANY(:tags))",
            tags=tags,
        )
    else:  # the planner makes no join of this
        where.add(
            "1 = (SELECT 1 FROM user_tags t WHERE t.app_id = :app_id"
            " AND t.tag = ANY(:tags) AND t.uid = u.uid LIMIT 1)",
            tags=tags,
        )


def _add_search(where: Where, wanted: UserFilter, source: Source, *, at_once: bool) -> None:
    """Who has such a word; words lie by their first letter in the order of the list."""
    searched = _searched(wanted)
    letter = searched["lower"][:1]
    is_letter = searched["lower"] == letter and not wanted.search_in
    if source is not WORDS and at_once and is_letter:  # both lie in one order, and may be merged
        where.add(
            "EXISTS (SELECT 1 FROM user_words w WHERE w.app_id = :app_id"
            " AND substr(w.word, 1, 1) = :letter AND w.touched_at = u.touched_at"
            " AND w.uid = u.uid)",
            letter=letter,
        )
        return
    if source is not WORDS:
        where.add(
            "1 = (SELECT 1 FROM user_words w WHERE w.app_id = :app_id"
            " AND substr(w.word, 1, 1) = :letter AND w.touched_at = u.touched_at"
            " AND w.uid = u.uid AND w.kind || '' = ANY(:kinds)"
            " AND w.word || '' >= :lower AND w.word || '' < :upper LIMIT 1)",
            letter=letter,
            **searched,
        )
        return
    where.add("substr(u.word, 1, 1) = :letter", letter=letter)
    if wanted.search_in:
        where.add("u.kind || '' = ANY(:kinds)", kinds=searched["kinds"])
    if NAME in searched["kinds"]:  # by the first of his words that begin so; a uid is one alone
        where.add("u.shared < :length", length=len(searched["lower"]))
    if searched["lower"] != letter:
        bounds = {"lower": searched["lower"], "upper": searched["upper"]}
        where.add("u.word || '' >= :lower AND u.word || '' < :upper", **bounds)
