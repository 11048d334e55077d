"""The tables `users`, `user_words` and `user_tags`."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, LiteralString

from hubbub.domain.roles.model import rules_of
from hubbub.domain.users.model import (
    AVAILABLE,
    OFFLINE,
    Person,
    User,
    UserDraft,
    check_metadata,
    encode_tags,
)
from hubbub.kernel.pages import PageRequest, TimeCursor
from hubbub.kernel.text import ID_LENGTH, fold, prefix_range, words
from hubbub.storage.interface import Row, Snapshot, Transaction
from hubbub.storage.queries import Query, Where, load_queries

SQL = load_queries(__package__)

NAME, UID = "name", "uid"
MOST_SIFTED = 5_000
"""Up to so many are put in order for a page; of more, some stand early in the order anyway."""
BY_ROLE: LiteralString = "u.role, u.touched_at, u.uid"
FROM_THE_NEWEST = TimeCursor(2**63 - 1, "", is_before=True)


def _user(row: Row) -> User:
    user = User(*row)
    return user if isinstance(user.is_bot, bool) else User(*row[:9], bool(row[9]), *row[10:])


async def find_users(snapshot: Snapshot, uids: Collection[str]) -> dict[str, User]:
    """The users of those uids by uid, be they deactivated or deleted."""
    if not uids:
        return {}
    rows = await snapshot.fetch(SQL.find_users, uids=list(uids))
    return {row[0]: _user(row) for row in rows}


async def find_user(snapshot: Snapshot, uid: str) -> User | None:
    """The user of that uid, be he deactivated or deleted."""
    row = await snapshot.fetch_one(SQL.find_user, uid=uid)
    return _user(row) if row else None


async def list_bots(snapshot: Snapshot) -> list[User]:
    """All bots of the app, by uid."""
    return [_user(row) for row in await snapshot.fetch(SQL.list_bots)]


async def find_people(snapshot: Snapshot, uids: Collection[str]) -> dict[str, Person]:
    """The users of those uids with the rules of their roles; be they deactivated or deleted."""
    if not uids:
        return {}
    rows = await snapshot.fetch(SQL.find_people, uids=list(uids))
    return {row[0]: _person(row) for row in rows}


async def find_person(snapshot: Snapshot, uid: str) -> Person | None:
    """The user of that uid with the rules of his role; be he deactivated or deleted."""
    row = await snapshot.fetch_one(SQL.find_person, uid=uid)
    return _person(row) if row else None


_USER_COLUMNS = 15


def _person(row: Row) -> Person:
    user = _user(row[:_USER_COLUMNS])
    return Person(user, rules_of(user.role, *row[_USER_COLUMNS:]))


async def insert_users(tx: Transaction, drafts: Sequence[UserDraft], now: int) -> None:
    """Store new users, with what they are found by."""
    await tx.run_many(
        SQL.insert_user,
        [
            {
                "uid": draft.uid,
                "name": draft.name,
                "avatar": draft.avatar,
                "link": draft.link,
                "role": draft.role,
                "status": OFFLINE,
                "status_message": draft.status_message,
                "metadata": check_metadata(draft.metadata),
                "tags": encode_tags(draft.tags),
                "is_bot": draft.is_bot,
                "created_at": draft.created_at if draft.created_at is not None else now,
                "last_active_at": draft.last_active_at,
                "deactivated_at": draft.deactivated_at,
            }
            for draft in drafts
        ],
    )
    await tx.run_many(
        SQL.insert_word,
        [row for draft in drafts for row in _words(draft.uid, draft.name)],
    )
    await tx.run_many(
        SQL.insert_tag, [{"tag": tag, "uid": draft.uid} for draft in drafts for tag in draft.tags]
    )


def _words(uid: str, name: str) -> list[dict[str, str]]:
    found = [{"kind": NAME, "word": word, "uid": uid} for word in words(name)]
    return [*found, {"kind": UID, "word": uid, "uid": uid}]


async def update_user(tx: Transaction, before: User, after: User) -> None:
    """Store a changed profile, with what it is found by."""
    await tx.run(
        SQL.update_user,
        uid=after.uid,
        name=after.name,
        avatar=after.avatar,
        link=after.link,
        role=after.role,
        status_message=after.status_message,
        metadata=after.metadata,
        tags=after.tags,
        updated_at=after.updated_at,
    )
    if before.name != after.name:
        await tx.run_many(SQL.delete_word, _words(before.uid, before.name))
        await tx.run_many(SQL.insert_word, _words(after.uid, after.name))
    if before.tags != after.tags:
        await tx.run_many(SQL.delete_tag, _tags(before))
        await tx.run_many(SQL.insert_tag, _tags(after))


def _tags(user: User) -> list[dict[str, str]]:
    return [{"tag": tag, "uid": user.uid} for tag in user.tag_list]


async def set_deactivated(tx: Transaction, uids: Sequence[str], at: int | None) -> None:
    """Note when users were deactivated; None: they are active."""
    await tx.run(SQL.set_deactivated, uids=list(uids), at=at)


async def set_deleted(tx: Transaction, user: User, at: int) -> None:
    """Hide a user from look-ups and lists; the uid stays taken."""
    await tx.run(SQL.set_deleted, uid=user.uid, at=at)
    await _forget(tx, user)


async def delete_user(tx: Transaction, user: User) -> None:
    """Remove a user's row and what he is found by; the uid is free."""
    await tx.run(SQL.delete_user, uid=user.uid)
    await _forget(tx, user)


async def _forget(tx: Transaction, user: User) -> None:
    await tx.run_many(SQL.delete_word, _words(user.uid, user.name))
    await tx.run_many(SQL.delete_tag, _tags(user))


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


async def list_users(
    snapshot: Snapshot, wanted: UserFilter, page: PageRequest
) -> tuple[list[User], int]:
    """A page of users, newest change first, and how many there are in all.

    However many these are, what is gone through is an index that holds all that is asked for, and
    no rows but those of the page: see `docs/decisions/indexes.md`.
    """
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
    """What a search asks of the words: they begin so; `letter` is what their index begins with."""
    lower, upper = prefix_range(fold(wanted.search)[:ID_LENGTH])
    kinds = list(wanted.search_in or (NAME, UID))
    return {"letter": lower[:1], "kinds": kinds, "lower": lower, "upper": upper}


def _word_conditions(wanted: UserFilter) -> Where:
    """What a search asks of words that begin with its letter, if it asks for more."""
    where, searched = Where(), _searched(wanted)
    where.args["letter"] = searched["letter"]
    if wanted.search_in:
        where.add("w.kind || '' = ANY(:kinds)", kinds=searched["kinds"])
    if searched["lower"] != searched["letter"]:
        bounds = {"lower": searched["lower"], "upper": searched["upper"]}
        where.add("w.word || '' >= :lower AND w.word || '' < :upper", **bounds)
    return where


async def _count(snapshot: Snapshot, wanted: UserFilter) -> int:
    """How many a list holds; where that may be nearly all, those are counted whom it lacks."""
    asked = wanted.conditions
    if not asked:
        return await _fetch_number(snapshot, SQL.count_active_users)
    if wanted.with_deactivated and not wanted.only_deactivated:
        active = replace(wanted, with_deactivated=False)
        deactivated = replace(active, only_deactivated=True)
        return await _count(snapshot, active) + await _count(snapshot, deactivated)
    if wanted.status == OFFLINE:
        either, available = replace(wanted, status=None), replace(wanted, status=AVAILABLE)
        return await _count(snapshot, either) - await _count(snapshot, available)
    if asked == {"search"}:
        words = _word_conditions(wanted)
        return await _fetch_number(snapshot, words.narrow(SQL.count_by_word), **words.args)
    if asked == {"tags"}:
        return await _fetch_number(snapshot, SQL.count_by_tag, tags=list(wanted.tags))
    if asked == {"roles"} and await _is_usual(snapshot, wanted.roles):
        others = await _fetch_number(snapshot, SQL.count_other_roles, role=wanted.roles[0])
        return await _fetch_number(snapshot, SQL.count_active_users) - others
    is_by_role = wanted.roles and wanted.status is None
    where = _where(wanted, at_once=True)
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
    where = _where(wanted, at_once=offset > MOST_SIFTED)
    if cursor is not None:
        place = {"at": cursor.at, "cursor_uid": cursor.id}
        if cursor.is_before:
            where.add("(u.touched_at, u.uid) < (:at, :cursor_uid)", **place)
        else:
            where.add("(u.touched_at, u.uid) > (:at, :cursor_uid)", **place)
    query = where.narrow(SQL.list_uids, order="u.touched_at, u.uid" if is_backward else None)
    rows = await snapshot.fetch(query, limit=limit, offset=offset, **where.args)
    uids = [row[0] for row in rows]
    return uids[::-1] if is_backward else uids


async def _sift(snapshot: Snapshot, wanted: UserFilter, page: PageRequest) -> tuple[list[str], int]:
    """The page, out of the few who are named, and how many of them are left in all."""
    where = _where(wanted)
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


def _where(wanted: UserFilter, *, at_once: bool = False) -> Where:
    """The conditions; of tags and words each user is asked in turn, or all are found at once."""
    where = Where()
    if wanted.among is not None:
        where.add("u.uid = ANY(:among)", among=list(wanted.among))
    if wanted.only_deactivated:
        where.add("u.deactivated_at IS NOT NULL")
    elif not wanted.with_deactivated:
        where.add("u.deactivated_at IS NULL")
    if wanted.status == AVAILABLE:
        where.add("u.status = 'available'")
    elif wanted.status:
        where.add("u.status = 'offline'")
    if wanted.roles:
        _add_roles(where, wanted)
    add_found = _add_sets if at_once else _add_probes
    add_found(where, wanted)
    return where


def _add_roles(where: Where, wanted: UserFilter) -> None:
    roles = list(dict.fromkeys(wanted.roles))
    if wanted.among is not None or wanted.status == AVAILABLE:  # fewer than have the role
        where.add("u.role || '' = ANY(:roles)", roles=roles)
    elif len(roles) == 1:  # an index leads to the users of one role in the order of the list
        where.add("u.role = :role", role=roles[0])
    else:
        where.add("u.role = ANY(:roles)", roles=roles)


def _add_probes(where: Where, wanted: UserFilter) -> None:
    """Look for each user among the tags and words; the planner makes no join of this."""
    if wanted.tags:
        where.add(
            "1 = (SELECT 1 FROM user_tags t WHERE t.app_id = :app_id"
            " AND t.tag = ANY(:tags) AND t.uid = u.uid LIMIT 1)",
            tags=list(wanted.tags),
        )
    if wanted.search:
        where.add(
            "1 = (SELECT 1 FROM user_words w WHERE w.app_id = :app_id"
            " AND substr(w.word, 1, 1) = :letter AND w.uid = u.uid AND w.kind || '' = ANY(:kinds)"
            " AND w.word || '' >= :lower AND w.word || '' < :upper LIMIT 1)",
            **_searched(wanted),
        )


def _add_sets(where: Where, wanted: UserFilter) -> None:
    """Find all whom the tags and words lead to, then keep those of the list."""
    if wanted.tags:
        where.add(
            "u.uid || '' IN (SELECT t.uid FROM user_tags t"
            " WHERE t.app_id = :app_id AND t.tag = ANY(:tags))",
            tags=list(wanted.tags),
        )
    if wanted.search:
        where.add(
            "u.uid || '' IN (SELECT w.uid FROM user_words w WHERE w.app_id = :app_id"
            " AND substr(w.word, 1, 1) = :letter AND w.kind || '' = ANY(:kinds)"
            " AND w.word || '' >= :lower AND w.word || '' < :upper)",
            **_searched(wanted),
        )
