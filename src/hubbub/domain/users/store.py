"""The tables `users`, `user_words` and `user_tags`."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from hubbub.domain.roles.model import rules_of
from hubbub.domain.users.model import (
    OFFLINE,
    Person,
    User,
    UserDraft,
    check_metadata,
    encode_tags,
)
from hubbub.kernel.pages import PageRequest, TimeCursor
from hubbub.kernel.text import fold, prefix_range, words
from hubbub.storage.interface import Row, Snapshot, Transaction
from hubbub.storage.queries import Where, load_queries

SQL = load_queries(__package__)

NAME, UID = "name", "uid"
MOST_SIFTED = 10_000
"""Up to so many are put in order for a page; of more, some stand early in the order anyway."""
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
    """Nobody but these, 1,000 at most; empty, they are nobody."""

    @property
    def is_everybody_active(self) -> bool:
        """Whether the total is the one that is kept."""
        return self.among is None and not (
            self.search
            or self.status
            or self.roles
            or self.tags
            or self.only_deactivated
            or self.with_deactivated
        )


async def list_users(
    snapshot: Snapshot, wanted: UserFilter, page: PageRequest
) -> tuple[list[User], int]:
    """A page of users, newest change first, and how many there are in all."""
    where = _where(wanted)
    total = await _count(snapshot, wanted, where)
    is_sifted = total <= MOST_SIFTED and not wanted.is_everybody_active
    fetch_page = _sift if is_sifted else _walk
    return await fetch_page(snapshot, where, page, wanted.cursor), total


async def _count(snapshot: Snapshot, wanted: UserFilter, where: Where) -> int:
    if wanted.is_everybody_active:
        row = await snapshot.fetch_one(SQL.count_active_users)
    else:
        row = await snapshot.fetch_one(where.narrow(SQL.count_users), **where.args)
    return int(row[0]) if row else 0


async def _walk(
    snapshot: Snapshot, where: Where, page: PageRequest, cursor: TimeCursor | None
) -> list[User]:
    """The page, out of everybody in the order of the list."""
    offset, is_after = page.offset, cursor is not None and not cursor.is_before
    if cursor is not None:
        offset = 0
        place = {"at": cursor.at, "cursor_uid": cursor.id}
        if cursor.is_before:
            where.add("(u.touched_at, u.uid) < (:at, :cursor_uid)", **place)
        else:
            where.add("(u.touched_at, u.uid) > (:at, :cursor_uid)", **place)
    query = where.narrow(SQL.list_users, order="u.touched_at, u.uid" if is_after else None)
    rows = await snapshot.fetch(query, limit=page.per_page, offset=offset, **where.args)
    users = [_user(row) for row in rows]
    return users[::-1] if is_after else users


async def _sift(
    snapshot: Snapshot, where: Where, page: PageRequest, cursor: TimeCursor | None
) -> list[User]:
    """The page, out of the few whom the conditions leave."""
    offset = page.offset if cursor is None else 0
    place = cursor or FROM_THE_NEWEST
    query = where.narrow(SQL.list_sifted if place.is_before else SQL.list_sifted_after)
    bounds = {"at": place.at, "cursor_uid": place.id, "limit": page.per_page, "offset": offset}
    rows = await snapshot.fetch(query, **bounds, **where.args)
    uids = [row[0] for row in rows]
    found = await find_users(snapshot, uids)
    users = [found[uid] for uid in uids]
    return users if place.is_before else users[::-1]


def _where(wanted: UserFilter) -> Where:
    where = Where()
    if wanted.among is not None:
        where.add("u.uid = ANY(:among)", among=list(wanted.among))
    if wanted.only_deactivated:
        where.add("u.deactivated_at IS NOT NULL")
    elif not wanted.with_deactivated:
        where.add("u.deactivated_at IS NULL")
    if wanted.status:
        where.add("u.status = :status", status=wanted.status)
    if wanted.roles:
        _add_roles(where, list(dict.fromkeys(wanted.roles)))
    if wanted.tags:
        where.add(
            "u.uid IN (SELECT t.uid FROM user_tags t"
            " WHERE t.app_id = :app_id AND t.tag = ANY(:tags))",
            tags=list(wanted.tags),
        )
    if wanted.search:
        lower, upper = prefix_range(fold(wanted.search)[:100])
        where.add(
            "u.uid IN (SELECT w.uid FROM user_words w WHERE w.app_id = :app_id"
            " AND w.kind = ANY(:kinds) AND w.word >= :lower AND w.word < :upper)",
            kinds=list(wanted.search_in or (NAME, UID)),
            lower=lower,
            upper=upper,
        )
    return where


def _add_roles(where: Where, roles: list[str]) -> None:
    if len(roles) == 1:  # an index leads to the users of one role in the order of the list
        where.add("u.role = :role", role=roles[0])
    else:
        where.add("u.role = ANY(:roles)", roles=roles)
