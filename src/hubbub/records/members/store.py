"""The tables `members`, `memberships` and `bans`."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

from hubbub.kernel.pages import PageRequest, TimeCursor
from hubbub.records.members.model import SCOPES, Ban, Member
from hubbub.records.users.model import AVAILABLE, OFFLINE
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import Where, load_queries

SQL = load_queries(__package__, member_columns=Member, ban_columns=Ban)

MOST_SIFTED = 5_000
"""Up to so many members are looked at, or put in order, to list those who are available."""

Pair = tuple[int, str]
"""A group, by the number of its conversation, and a user: (conversation, uid)."""


def _asked(pairs: Iterable[Pair]) -> list[dict[str, int | str]]:
    return [{"conversation": number, "uid": uid} for number, uid in dict.fromkeys(pairs)]


async def find_members(snapshot: Snapshot, pairs: Iterable[Pair]) -> dict[Pair, Member]:
    """Those of the pairs that are memberships."""
    rows = await snapshot.fetch_many(SQL.find_member, _asked(pairs))
    return {(row[0], row[1]): Member(*row) for row in rows}


async def find_member(snapshot: Snapshot, conversation: int, uid: str) -> Member | None:
    """The member of a group, if he is one."""
    return (await find_members(snapshot, [(conversation, uid)])).get((conversation, uid))


async def find_bans(snapshot: Snapshot, pairs: Iterable[Pair]) -> dict[Pair, Ban]:
    """Those of the pairs that are bans."""
    rows = await snapshot.fetch_many(SQL.find_ban, _asked(pairs))
    return {(row[0], row[1]): Ban(*row) for row in rows}


async def find_ban(snapshot: Snapshot, conversation: int, uid: str) -> Ban | None:
    """The ban of a user from a group, if there is one."""
    return (await find_bans(snapshot, [(conversation, uid)])).get((conversation, uid))


async def count_groups_of(snapshot: Snapshot, uids: Collection[str]) -> dict[str, int]:
    """In how many groups each of the users is."""
    rows = await snapshot.fetch(SQL.count_groups_of, uids=list(uids))
    return {row[0]: row[1] for row in rows}


async def list_groups_of(snapshot: Snapshot, uid: str) -> list[int]:
    """The conversations of all groups that a user is in: 2,000 at most, unless the app lets him."""
    return [row[0] for row in await snapshot.fetch(SQL.list_groups_of, uid=uid)]


async def find_memberships_of(
    snapshot: Snapshot, uid: str, conversations: Sequence[int]
) -> dict[int, Member]:
    """A user's memberships in those groups, by conversation."""
    rows = await snapshot.fetch(SQL.find_memberships_of, uid=uid, conversations=list(conversations))
    return {row[0]: Member(*row) for row in rows}


@dataclass(frozen=True, slots=True)
class MemberFilter:
    """Which members of a group a list holds; None and empty ask for nothing."""

    conversation: int = 0
    scopes: Sequence[str] = ()
    status: str | None = None
    cursor: TimeCursor | None = None


async def list_members(
    snapshot: Snapshot, wanted: MemberFilter, page: PageRequest, size: int
) -> tuple[list[Member], int]:
    """A page of members, newest first, and how many there are in all, out of a group of `size`."""
    few = await _find_few_available(snapshot, wanted, size)
    if few is None:
        members = await _walk(snapshot, wanted, page)
        return members, await _count(snapshot, wanted, size)
    pairs = [(wanted.conversation, uid) for _, uid in _cut(few, wanted.cursor, page)]
    found = await find_members(snapshot, pairs)
    return [found[pair] for pair in pairs], len(few)


async def _find_few_available(
    snapshot: Snapshot, wanted: MemberFilter, size: int
) -> list[tuple[int, str]] | None:
    """The places of those of a large group who are available, if they are asked for, and few."""
    if wanted.status != AVAILABLE or size <= MOST_SIFTED:
        return None
    where = _where(replace(wanted, status=None))
    query = where.narrow(SQL.list_available)
    rows = await snapshot.fetch(query, limit=MOST_SIFTED + 1, **where.args)
    if len(rows) > MOST_SIFTED:
        return None
    return [(row[1], row[0]) for row in rows if row[1] is not None]


def _cut(
    places: list[tuple[int, str]], cursor: TimeCursor | None, page: PageRequest
) -> list[tuple[int, str]]:
    """A page out of a list, newest first, of which all is at hand."""
    newest_first = sorted(places, reverse=True)
    if cursor is None:
        return newest_first[page.offset : page.offset + page.per_page]
    at = (cursor.at, cursor.id)
    if cursor.is_before:
        return [place for place in newest_first if place < at][: page.per_page]
    return [place for place in newest_first if place > at][-page.per_page :]


async def _walk(snapshot: Snapshot, wanted: MemberFilter, page: PageRequest) -> list[Member]:
    """The page, out of all members in the order of the list."""
    where = _where(wanted)
    cursor, offset = wanted.cursor, page.offset
    is_after = cursor is not None and not cursor.is_before
    if cursor is not None:
        offset = 0
        place = {"at": cursor.at, "cursor_uid": cursor.id}
        if cursor.is_before:
            where.add("(m.joined_at, m.uid) < (:at, :cursor_uid)", **place)
        else:
            where.add("(m.joined_at, m.uid) > (:at, :cursor_uid)", **place)
    query = where.narrow(SQL.list_members, order="m.joined_at, m.uid" if is_after else None)
    rows = await snapshot.fetch(query, limit=page.per_page, offset=offset, **where.args)
    members = [Member(*row) for row in rows]
    return members[::-1] if is_after else members


async def _count(snapshot: Snapshot, wanted: MemberFilter, size: int) -> int:
    """How many members a list holds; who is not available is counted by those who are."""
    if wanted.status == OFFLINE:
        either, available = replace(wanted, status=None), replace(wanted, status=AVAILABLE)
        return await _count(snapshot, either, size) - await _count(snapshot, available, size)
    if not (wanted.status or wanted.scopes):
        return size
    if size > MOST_SIFTED and not wanted.scopes:
        row = await snapshot.fetch_one(SQL.count_available, conversation=wanted.conversation)
    else:
        where = _where(wanted)
        row = await snapshot.fetch_one(where.narrow(SQL.count_members), **where.args)
    return int(row[0]) if row else 0


def _where(wanted: MemberFilter) -> Where:
    where = Where()
    where.args["conversation"] = wanted.conversation
    if wanted.scopes:
        where.add("m.scope || '' = ANY(:scopes)", scopes=list(wanted.scopes))
    if wanted.status == AVAILABLE:
        where.add(
            "1 = (SELECT 1 FROM users u"
            " WHERE u.app_id = :app_id AND u.uid = m.uid AND u.status = 'available')"
        )
    elif wanted.status:
        where.add(
            "1 = (SELECT 1 FROM users u"
            " WHERE u.app_id = :app_id AND u.uid = m.uid AND u.status = 'offline')"
        )
    return where


async def list_bans(
    snapshot: Snapshot, conversation: int, page: PageRequest, cursor: TimeCursor | None
) -> tuple[list[Ban], int]:
    """A page of a group's bans, newest first, and how many there are in all."""
    where, offset = Where(), page.offset
    is_after = cursor is not None and not cursor.is_before
    if cursor is not None:
        offset = 0
        place = {"at": cursor.at, "cursor_uid": cursor.id}
        if cursor.is_before:
            where.add("(b.banned_at, b.uid) < (:at, :cursor_uid)", **place)
        else:
            where.add("(b.banned_at, b.uid) > (:at, :cursor_uid)", **place)
    query = where.narrow(SQL.list_bans, order="b.banned_at, b.uid" if is_after else None)
    args = {"conversation": conversation, "limit": page.per_page, "offset": offset}
    rows = await snapshot.fetch(query, **args, **where.args)
    bans = [Ban(*row) for row in rows]
    count = await snapshot.fetch_one(SQL.count_bans, conversation=conversation)
    return bans[::-1] if is_after else bans, int(count[0]) if count else 0


async def insert_members(
    tx: Transaction, members: Sequence[Member], from_events: Sequence[int]
) -> None:
    """Let users be members; what the log says from an event on is theirs to read."""
    rows = [
        {
            "conversation": each.conversation,
            "uid": each.uid,
            "scope": each.scope,
            "joined_at": each.joined_at,
        }
        for each in members
    ]
    await tx.run_many(SQL.insert_member, rows)
    intervals = [
        {"conversation": each.conversation, "uid": each.uid, "from_event": from_event}
        for each, from_event in zip(members, from_events, strict=True)
    ]
    await tx.run_many(SQL.insert_membership, intervals)


async def delete_member(tx: Transaction, member: Member, to_event: int) -> None:
    """Let a user be a member no more; what the log says after `to_event` is not his to read."""
    pair = {"conversation": member.conversation, "uid": member.uid}
    await tx.run(SQL.delete_member, **pair)
    await tx.run(SQL.end_membership, to_event=to_event, **pair)


async def delete_members_of(tx: Transaction, uid: str, to_event: int) -> list[int]:
    """Take a user out of all his groups and bans; returns the groups' conversations."""
    numbers = [row[0] for row in await tx.fetch(SQL.list_groups_of, uid=uid)]
    await tx.run(SQL.delete_members_of, uid=uid)
    await tx.run(SQL.end_memberships_of, uid=uid, to_event=to_event)
    await tx.run(SQL.delete_bans_of, uid=uid)
    return numbers


async def set_scope(tx: Transaction, members: Iterable[Pair], scope: str) -> None:
    """Give members another scope."""
    await tx.run_many(SQL.set_scope, [{**pair, "scope": scope} for pair in _asked(members)])


async def insert_bans(tx: Transaction, bans: Sequence[Ban]) -> None:
    """Keep users, who are not members, out of groups."""
    await tx.run_many(
        SQL.insert_ban,
        [
            {
                "conversation": each.conversation,
                "uid": each.uid,
                "scope": each.scope,
                "joined_at": each.joined_at,
                "banned_at": each.banned_at,
            }
            for each in bans
        ],
    )


async def delete_ban(tx: Transaction, ban: Ban) -> None:
    """Lift a ban."""
    await tx.run(SQL.delete_ban, conversation=ban.conversation, uid=ban.uid)


async def find_heirs(
    snapshot: Snapshot, conversations: Iterable[int], leaving: str
) -> dict[int, str]:
    """Who owns each group when `leaving` goes: the longest-standing of the highest scope.

    Only where nobody else is left it is one who is deactivated; in an empty group it is nobody.
    """
    heirs: dict[int, str] = {}
    left = set(conversations)
    for is_active, scope in product((True, False), SCOPES):
        if not left:
            break
        rows = await snapshot.fetch(
            SQL.list_heirs,
            conversations=sorted(left),
            scope=scope,
            leaving=leaving,
            is_active=is_active,
        )
        heirs |= {row[0]: row[1] for row in rows if row[1] is not None}
        left -= heirs.keys()
    return heirs
