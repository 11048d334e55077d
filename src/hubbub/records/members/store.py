"""The tables `members`, `memberships` and `bans`."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from hubbub.kernel.pages import PageRequest, TimeCursor
from hubbub.records import listing
from hubbub.records.listing import Position, Scan, count_rows, list_ids, read_page
from hubbub.records.members.model import SCOPES, Ban, Member
from hubbub.records.users.model import AVAILABLE, OFFLINE
from hubbub.storage.cached import CachedKind
from hubbub.storage.dialect import Of
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import Where, load_queries
from hubbub.storage.together import Asked

SQL = load_queries(__package__, member_columns=Member, ban_columns=Ban)
NOTHING_HIDDEN: Mapping[int, int] = {}

MemberPair = tuple[int, str]
"""The conversation of a group and the uid of a user."""


def _pair_args(pairs: Iterable[MemberPair]) -> list[dict[str, int | str]]:
    return [{"conversation": number, "uid": uid} for number, uid in dict.fromkeys(pairs)]


async def find_members(snapshot: Snapshot, pairs: Iterable[MemberPair]) -> dict[MemberPair, Member]:
    """Return the members among the pairs, by pair."""
    return await _MEMBERS.find(snapshot, pairs, _fetch_members)


_MEMBERS = CachedKind[MemberPair, Member](SQL.find_member)


async def _fetch_members(
    snapshot: Snapshot, pairs: Iterable[MemberPair]
) -> dict[MemberPair, Member]:
    rows = await snapshot.fetch_many(SQL.find_member, _pair_args(pairs))
    return {member.pair: member for member in (Member(*row) for row in rows)}


async def find_member(snapshot: Snapshot, conversation: int, uid: str) -> Member | None:
    """Return a member of a group; None if the user is not a member."""
    return (await find_members(snapshot, [(conversation, uid)])).get((conversation, uid))


def ask_member(conversation: Of, uid: str) -> Asked:
    """Return what `find_member` asks, in a group that an earlier query finds."""
    return Asked(SQL.find_member, {"conversation": conversation, "uid": uid})


async def find_bans(snapshot: Snapshot, pairs: Iterable[MemberPair]) -> dict[MemberPair, Ban]:
    """Return the bans among the pairs, by pair."""
    return await _BANS.find(snapshot, pairs, _fetch_bans)


_BANS = CachedKind[MemberPair, Ban](SQL.find_ban)


async def _fetch_bans(snapshot: Snapshot, pairs: Iterable[MemberPair]) -> dict[MemberPair, Ban]:
    rows = await snapshot.fetch_many(SQL.find_ban, _pair_args(pairs))
    return {ban.pair: ban for ban in (Ban(*row) for row in rows)}


async def find_ban(snapshot: Snapshot, conversation: int, uid: str) -> Ban | None:
    """Return the ban of a user from a group; None if the user is not banned."""
    return (await find_bans(snapshot, [(conversation, uid)])).get((conversation, uid))


async def count_groups_of(snapshot: Snapshot, uids: Collection[str]) -> dict[str, int]:
    """Return the number of groups that each user is a member of; 0 is left out."""
    if not uids:
        return {}
    rows = await snapshot.fetch(SQL.count_groups_of, uids=list(uids))
    return dict(map(tuple, rows))


async def list_by_uid(
    snapshot: Snapshot, after: str, *, conversation: int, limit: int
) -> list[Member]:
    """Return members of a group in the order of uids, those after a uid."""
    rows = await snapshot.fetch(
        SQL.list_by_uid, conversation=conversation, after=after, limit=limit
    )
    return [Member(*row) for row in rows]


async def list_bans_by_uid(
    snapshot: Snapshot, after: str, *, conversation: int, limit: int
) -> list[Ban]:
    """Return the bans of a group in the order of uids, those after a uid."""
    rows = await snapshot.fetch(
        SQL.list_bans_by_uid, conversation=conversation, after=after, limit=limit
    )
    return [Ban(*row) for row in rows]


async def list_of_user(snapshot: Snapshot, uid: str) -> list[tuple[str, Member]]:
    """Return the memberships of a user with the guids of the groups, in their order."""
    rows = await snapshot.fetch(SQL.list_of_user, uid=uid)
    return [(guid, Member(*row)) for guid, *row in rows]


async def list_bans_of_user(snapshot: Snapshot, uid: str) -> list[tuple[str, Ban]]:
    """Return the bans of a user with the guids of the groups, in their order."""
    rows = await snapshot.fetch(SQL.list_bans_of_user, uid=uid)
    return [(guid, Ban(*row)) for guid, *row in rows]


async def list_groups_of(snapshot: Snapshot, uid: str) -> list[int]:
    """Return the conversations of all groups of a user: 2,000 unless the app raises the limit."""
    return [number for (number,) in await snapshot.fetch(SQL.list_groups_of, uid=uid)]


async def find_memberships_of(
    snapshot: Snapshot, uid: str, conversations: Sequence[int]
) -> dict[int, Member]:
    """Return the memberships of a user in some groups, by conversation."""
    rows = await snapshot.fetch(SQL.find_memberships_of, uid=uid, conversations=list(conversations))
    return {member.conversation: member for member in (Member(*row) for row in rows)}


@dataclass(frozen=True, slots=True)
class Membership:
    """The events of a group that a user is told: from the first to the last, or with no end yet."""

    conversation: int
    from_event: int
    to_event: int | None = None
    hidden_upto: int = 0
    """Messages up to this id are not shown to the user."""

    def includes(self, number: int) -> bool:
        """Return whether the user is told the event with this number."""
        return self.from_event <= number and (self.to_event is None or number <= self.to_event)


async def list_memberships(
    snapshot: Snapshot, after: Mapping[str, int]
) -> dict[str, list[Membership]]:
    """Return the memberships of users that last, and those that ended after an event of each."""
    wanted = [{"uid": uid, "after": event} for uid, event in after.items()]
    found: dict[str, list[Membership]] = {uid: [] for uid in after}
    for uid, *columns in await snapshot.fetch_many(SQL.list_memberships, wanted):
        found[uid].append(Membership(*columns))
    return found


@dataclass(frozen=True, slots=True)
class MemberFilter:
    """The conditions of a list of a group's members; None and empty are no condition."""

    conversation: int = 0
    scopes: Sequence[str] = ()
    status: str | None = None
    cursor: TimeCursor | None = None


async def list_members(
    snapshot: Snapshot, wanted: MemberFilter, page: PageRequest, size: int
) -> tuple[list[Member], int]:
    """Return a page of members, newest first, and the total; `size` is that of the group."""
    few = await _find_few_available(snapshot, wanted, size) if wanted.status else None
    if few is not None and wanted.status == AVAILABLE:
        uids, total = await list_ids(snapshot, page, wanted.cursor, few=few)
        pairs = [(wanted.conversation, uid) for uid in uids]
        found = await find_members(snapshot, pairs)
        return [found[pair] for pair in pairs], total
    total = await _count(snapshot, wanted, size, few)
    scan = Scan(SQL.list_members, "m.joined_at, m.uid", _where(wanted), total)
    rows = await read_page(snapshot, scan, page, wanted.cursor)
    return [Member(*row) for row in rows], total


async def _find_few_available(
    snapshot: Snapshot, wanted: MemberFilter, size: int
) -> list[Position] | None:
    """Return the positions of the available members of a large group; None if they are many."""
    if size <= listing.MOST_SORTED:
        return None
    where = _where(replace(wanted, status=None))
    query = where.narrow(SQL.list_available)
    rows = await snapshot.fetch(query, limit=listing.MOST_SORTED + 1, **where.args)
    if len(rows) > listing.MOST_SORTED:
        return None
    return [(joined_at, uid) for uid, joined_at in rows if joined_at is not None]


async def _count(
    snapshot: Snapshot, wanted: MemberFilter, size: int, available: Sequence[Position] | None = None
) -> int:
    """Count the members of a list; count offline members by subtracting the available ones."""
    if wanted.status == OFFLINE:
        either = await _count(snapshot, replace(wanted, status=None), size)
        if available is not None:
            return either - len(available)
        return either - await _count(snapshot, replace(wanted, status=AVAILABLE), size)
    if not (wanted.status or wanted.scopes):
        return size
    return await count_rows(snapshot, SQL.count_members, _where(wanted))


async def count_available(snapshot: Snapshot, conversation: int, size: int) -> int:
    """Return the number of members of a group who are connected; `size` is that of the group."""
    wanted = MemberFilter(conversation=conversation, status=AVAILABLE)
    few = await _find_few_available(snapshot, wanted, size)
    return await _count(snapshot, wanted, size) if few is None else len(few)


def _where(wanted: MemberFilter) -> Where:
    where = Where(conversation=wanted.conversation)
    if wanted.scopes:
        where.add("m.scope || '' = ANY(:scopes)", scopes=list(wanted.scopes))
    if wanted.status == AVAILABLE:
        where.add("1 = {available_user(m)}")
    elif wanted.status:  # few users are available
        where.add("{available_user(m)} IS NULL")
    return where


async def list_bans(
    snapshot: Snapshot, conversation: int, page: PageRequest, cursor: TimeCursor | None
) -> tuple[list[Ban], int]:
    """Return a page of a group's bans, newest first, and the total."""
    where = Where(conversation=conversation)
    total = await count_rows(snapshot, SQL.count_bans, where)
    scan = Scan(SQL.list_bans, "b.banned_at, b.uid", where, total)
    rows = await read_page(snapshot, scan, page, cursor)
    return [Ban(*row) for row in rows], total


async def insert_members(
    tx: Transaction,
    members: Sequence[Member],
    from_events: Sequence[int],
    hidden_upto: Mapping[int, int] = NOTHING_HIDDEN,
) -> None:
    """Insert members, who may read the log from these event numbers on.

    Of a conversation in `hidden_upto`, messages up to that id are not shown to them.
    """
    await tx.run_many(SQL.insert_member, members)
    intervals = [
        {
            "conversation": each.conversation,
            "uid": each.uid,
            "from_event": from_event,
            "hidden_upto": hidden_upto.get(each.conversation, 0),
        }
        for each, from_event in zip(members, from_events, strict=True)
    ]
    await tx.run_many(SQL.insert_membership, intervals)


async def delete_member(tx: Transaction, member: Member, to_event: int) -> None:
    """Delete a member, who may read the log up to the event `to_event`."""
    pair = {"conversation": member.conversation, "uid": member.uid}
    await tx.run(SQL.delete_member, **pair)
    await tx.run(SQL.end_membership, to_event=to_event, **pair)


async def delete_members_of(tx: Transaction, uid: str, to_event: int) -> list[int]:
    """Delete all memberships and bans of a user; return the conversations of the groups."""
    numbers = await list_groups_of(tx, uid)
    await tx.run(SQL.delete_members_of, uid=uid)
    await tx.run(SQL.end_memberships_of, uid=uid, to_event=to_event)
    await tx.run(SQL.delete_bans_of, uid=uid)
    return numbers


async def set_scope(tx: Transaction, members: Iterable[MemberPair], scope: str) -> None:
    """Set the scope of members."""
    await tx.run_many(SQL.set_scope, [{**pair, "scope": scope} for pair in _pair_args(members)])


async def set_joined_at(tx: Transaction, member: Member) -> None:
    """Set the time at which a member joined."""
    await tx.run(
        SQL.set_joined_at,
        conversation=member.conversation,
        uid=member.uid,
        joined_at=member.joined_at,
    )


async def insert_bans(tx: Transaction, bans: Sequence[Ban]) -> None:
    """Insert bans of users who are not members."""
    await tx.run_many(SQL.insert_ban, bans)


async def delete_ban(tx: Transaction, ban: Ban) -> None:
    """Delete a ban."""
    await tx.run(SQL.delete_ban, conversation=ban.conversation, uid=ban.uid)


async def find_heirs(
    snapshot: Snapshot, conversations: Iterable[int], leaving: str
) -> dict[int, str]:
    """Return the next owner of each group when the user `leaving` leaves it, by conversation.

    It is the longest-standing member of the highest scope. A deactivated member is chosen only
    if no active member is left. Groups without another member are left out.
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
        heirs |= {number: uid for number, uid in rows if uid is not None}
        left -= heirs.keys()
    return heirs


async def delete_ended_memberships(tx: Transaction, upto: int, *, limit: int) -> int:
    """Delete some memberships that ended with an event up to a number; return how many."""
    rows = await tx.fetch(SQL.list_ended_memberships, upto=upto, limit=limit)
    names = ("conversation", "uid", "from_event")
    await tx.run_many(SQL.delete_membership, [dict(zip(names, row, strict=True)) for row in rows])
    return len(rows)


async def has_ended_memberships(snapshot: Snapshot, upto: int) -> bool:
    """Return whether memberships ended with an event up to a number."""
    return bool(await snapshot.fetch(SQL.list_ended_memberships, upto=upto, limit=1))
