"""Let users into groups, or keep them out: what joining, adding and importing have in common."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.domain.conversations import store as conversations_store
from hubbub.domain.conversations.model import group_key
from hubbub.domain.groups import store
from hubbub.domain.groups.model import (
    MOST_GROUPS_OF_A_USER,
    MOST_MEMBERS,
    AlreadyBanned,
    AlreadyJoined,
    BannedMember,
    Group,
    GuidNotFound,
    Member,
    NoVacancy,
)
from hubbub.domain.groups.store import Pair
from hubbub.domain.users import store as users_store
from hubbub.domain.users.model import UidNotFound, User
from hubbub.kernel.errors import BadInput, LimitReached, Refusal
from hubbub.outbox import take_numbers
from hubbub.storage.interface import Transaction

LATEST_AHEAD_SECONDS = 300


class TooManyGroups(LimitReached):
    """The user is in as many groups as he may be."""

    def __init__(self, uid: str) -> None:
        super().__init__(
            f"The user with UID {uid} is in {MOST_GROUPS_OF_A_USER:,} groups already.",
            details={"uid": [f"The limit is {MOST_GROUPS_OF_A_USER:,} groups per user."]},
        )


class InvalidJoinedAt(BadInput):
    """Nobody joins before the group is there, nor in the future."""

    code = "ERR_IMPORT_INVALID_JOINEDAT"

    def __init__(self) -> None:
        super().__init__(
            "The joinedAt must lie between the group's createdAt and five minutes from now.",
            details={
                "joinedAt": ["It must lie between the group's createdAt and five minutes from now."]
            },
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """Somebody who is to be a member; or, with `is_banned`, who is to be kept out."""

    member: Member
    is_banned: bool = False

    @property
    def pair(self) -> Pair:
        return (self.member.guid, self.member.uid)


@dataclass(slots=True)
class _Found:
    """What the entries name, as it is in the store and changes with each entry."""

    groups: dict[str, Group]
    users: dict[str, User]
    members: set[Pair]
    bans: set[Pair]
    sizes: dict[str, int]
    groups_of: dict[str, int]


async def enter_members(
    tx: Transaction, entries: Sequence[Entry], now: int
) -> list[Member | Refusal]:
    """Make members, or bans; one outcome each, and one refusal never undoes another."""
    numbers = await take_numbers(tx)
    found = await _look_up(tx, entries)
    outcomes = [_take(entry, found, now) for entry in entries]
    entered = [
        entry for entry, outcome in zip(entries, outcomes, strict=True) if outcome is entry.member
    ]
    members = [entry.member for entry in entered if not entry.is_banned]
    await store.insert_members(tx, members, from_event=numbers.event + 1)
    await store.insert_bans(tx, [entry.member for entry in entered if entry.is_banned], now)
    conversations = await conversations_store.find_conversations(
        tx, {group_key(member.guid) for member in members}
    )
    await conversations_store.insert_participants(
        tx, [(conversations[group_key(member.guid)], member.uid) for member in members]
    )
    return outcomes


async def _look_up(tx: Transaction, entries: Sequence[Entry]) -> _Found:
    pairs = [entry.pair for entry in entries]
    groups = await store.find_groups(tx, {guid for guid, _ in pairs})
    uids = {uid for _, uid in pairs}
    return _Found(
        groups=groups,
        users=await users_store.find_users(tx, uids),
        members=set(await store.find_members(tx, pairs)),
        bans=await store.find_bans(tx, pairs),
        sizes={group.guid: group.members_count for group in groups.values()},
        groups_of=await store.count_groups_of(tx, uids),
    )


def _take(entry: Entry, found: _Found, now: int) -> Member | Refusal:
    refusal = _refusal(entry, found, now)
    if refusal is not None:
        return refusal
    if entry.is_banned:
        found.bans.add(entry.pair)
        return entry.member
    guid, uid = entry.pair
    found.members.add(entry.pair)
    found.sizes[guid] += 1
    found.groups_of[uid] = found.groups_of.get(uid, 0) + 1
    return entry.member


def _refusal(entry: Entry, found: _Found, now: int) -> Refusal | None:
    guid, uid = entry.pair
    group, user = found.groups.get(guid), found.users.get(uid)
    if group is None:
        return GuidNotFound(guid)
    if user is None or not user.is_active:
        return UidNotFound(uid)
    if not group.created_at <= entry.member.joined_at <= now + LATEST_AHEAD_SECONDS:
        return InvalidJoinedAt()
    if entry.pair in found.members:
        return AlreadyJoined(uid, guid)
    if entry.pair in found.bans:
        return AlreadyBanned(uid, guid) if entry.is_banned else BannedMember(uid, guid)
    if entry.is_banned:
        return None
    if found.sizes[guid] >= MOST_MEMBERS:
        return NoVacancy(guid)
    if found.groups_of.get(uid, 0) >= MOST_GROUPS_OF_A_USER:
        return TooManyGroups(uid)
    return None
