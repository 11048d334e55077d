"""Keep users out of a group, be they members or not, and let them back."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import (
    Standing,
    access_group,
    access_group_to_moderate,
    access_group_to_take_part,
    refuse_clearance,
    refuse_participant,
)
from hubbub.domain.access.people import access_actor
from hubbub.domain.members.announce import facts_of, tell
from hubbub.domain.members.remove import go_on_without, take_out
from hubbub.kernel.errors import Refusal
from hubbub.outbox import lock_counters
from hubbub.records.members import store
from hubbub.records.members.events import GroupMemberBanned, GroupMemberUnbanned
from hubbub.records.members.model import (
    PARTICIPANT,
    AlreadyBanned,
    Ban,
    Member,
    NoSelfAction,
    NotBanned,
)
from hubbub.records.messages.actions import MemberAction
from hubbub.records.users.model import Person, UidNotFound
from hubbub.records.users.store import find_user
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

BANNED, UNBANNED = "banned", "unbanned"


@dataclass(frozen=True, slots=True)
class Banned:
    """Somebody is kept out now."""

    ban: Ban


async def ban_user(runtime: Runtime, app_id: str, actor: Actor, guid: str, uid: str) -> None:
    """Keep a user out of a group; a member is removed with it.

    Raises:
        UidNotFound, FeatureRestricted: the acting user, or `uid`, does not exist, or may not.
        GuidNotFound, BannedMember, GroupNotJoined: the acting user is no member.
        NoClearance, NoSelfAction: his scope is too low, or `uid` is the owner, or himself.
        AlreadyBanned: he is kept out already.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        standing = await access_group_to_take_part(tx, await access_actor(tx, actor), guid)
        outcome = await _ban(tx, standing, uid, runtime.clock.now())
        if isinstance(outcome, Refusal):
            raise outcome

    await runtime.database.write(app_id, within)


async def ban_users(
    tx: Transaction, guid: str, person: Person, uids: Sequence[str], now: int
) -> dict[str, Banned | Refusal]:
    """Keep users out of a group; one outcome each. `person` may act in it."""
    outcomes = {}
    for uid in uids:
        standing = await access_group(tx, person, guid)  # anew: its size and owner may change
        outcomes[uid] = await _ban(tx, standing, uid, now)
    return outcomes


async def _ban(tx: Transaction, standing: Standing, uid: str, now: int) -> Banned | Refusal:
    group = standing.group
    member = await store.find_member(tx, group.conversation, uid)
    refusal = await _refusal(tx, standing, uid, member)
    if refusal is not None:
        return refusal
    if member is not None:
        group = await take_out(tx, group, member)
    ban = Ban(
        group.conversation,
        uid,
        member.scope if member else PARTICIPANT,
        member.joined_at if member else None,
        now,
    )
    await store.insert_bans(tx, [ban])
    message = await tell(tx, group, standing.uid, MemberAction(BANNED, uid), now)
    facts = facts_of(group, uid, message)
    tx.announce(GroupMemberBanned(by=standing.uid, banned_at=ban.banned_at, **facts))
    if member is not None:
        await go_on_without(tx, group, uid, standing.uid, now)
    return Banned(ban)


async def _refusal(
    tx: Transaction, standing: Standing, uid: str, member: Member | None
) -> Refusal | None:
    group = standing.group
    if uid == standing.uid:
        return NoSelfAction(uid)
    refusal = refuse_participant(standing, uid)
    if refusal is not None:
        return refusal
    if member is not None:
        return refuse_clearance(standing, member)
    user = await find_user(tx, uid)
    if user is None or not user.is_active:
        return UidNotFound(uid)
    if await store.find_ban(tx, group.conversation, uid):
        return AlreadyBanned(uid, group.guid)
    return None


async def unban_user(runtime: Runtime, app_id: str, actor: Actor, guid: str, uid: str) -> None:
    """Let a user join again.

    Raises:
        UidNotFound, FeatureRestricted: the acting user does not exist, or his role may not.
        GuidNotFound, BannedMember, GroupNotJoined, NoModeratorScope: he may not here.
        NotBanned: nobody keeps `uid` out.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        standing = await access_group_to_moderate(tx, await access_actor(tx, actor), guid)
        group = standing.group
        ban = await store.find_ban(tx, group.conversation, uid)
        if ban is None:
            raise NotBanned(uid, guid)
        await store.delete_ban(tx, ban)
        now = runtime.clock.now()
        message = await tell(tx, group, standing.uid, MemberAction(UNBANNED, uid), now)
        tx.announce(GroupMemberUnbanned(by=standing.uid, **facts_of(group, uid, message)))

    await runtime.database.write(app_id, within)
