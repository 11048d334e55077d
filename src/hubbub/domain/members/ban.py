"""Ban users from a group, members or not, and lift bans."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import (
    Standing,
    access_group,
    access_group_to_moderate,
    access_group_to_take_part,
    refuse_removal,
    refuse_removal_by_participant,
)
from hubbub.domain.access.people import access_actor
from hubbub.domain.members.announce import member_event_fields, post_member_action
from hubbub.domain.members.remove import finish_removal, remove_member
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
    """The user is banned now."""

    ban: Ban


async def ban_user(runtime: Runtime, app_id: str, actor: Actor, guid: str, uid: str) -> None:
    """Ban a user from a group; a member is removed from it.

    Raises:
        UidNotFound: the acting user, or `uid`, does not exist or is deactivated.
        FeatureRestricted: the role of the acting user forbids it.
        GuidNotFound, BannedMember, GroupNotJoined: the acting user is not a member.
        NoClearance: the scope of the acting user is too low, or `uid` is the owner.
        NoSelfAction: `uid` is the acting user.
        AlreadyBanned: `uid` is already banned.
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
    """Ban users from a group for `person`, whose access was checked; return an outcome for each."""
    outcomes = {}
    for uid in uids:
        standing = await access_group(tx, person, guid)  # its size and owner may have changed
        outcomes[uid] = await _ban(tx, standing, uid, now)
    return outcomes


async def _ban(tx: Transaction, standing: Standing, uid: str, now: int) -> Banned | Refusal:
    group = standing.group
    member = await store.find_member(tx, group.conversation, uid)
    refusal = await _refusal(tx, standing, uid, member)
    if refusal is not None:
        return refusal
    if member is not None:
        group = await remove_member(tx, group, member)
    ban = Ban(
        group.conversation,
        uid,
        member.scope if member else PARTICIPANT,
        member.joined_at if member else None,
        now,
    )
    await store.insert_bans(tx, [ban])
    message = await post_member_action(tx, group, standing.uid, MemberAction(BANNED, uid), now)
    fields = member_event_fields(group, uid, message)
    tx.announce(GroupMemberBanned(by=standing.uid, banned_at=ban.banned_at, **fields))
    if member is not None:
        await finish_removal(tx, group, uid, standing.uid, now)
    return Banned(ban)


async def _refusal(
    tx: Transaction, standing: Standing, uid: str, member: Member | None
) -> Refusal | None:
    group = standing.group
    if uid == standing.uid:
        return NoSelfAction(uid)
    refusal = refuse_removal_by_participant(standing, uid)
    if refusal is not None:
        return refusal
    if member is not None:
        return refuse_removal(standing, member)
    user = await find_user(tx, uid)
    if user is None or not user.is_active:
        return UidNotFound(uid)
    if await store.find_ban(tx, group.conversation, uid):
        return AlreadyBanned(uid, group.guid)
    return None


async def unban_user(runtime: Runtime, app_id: str, actor: Actor, guid: str, uid: str) -> None:
    """Lift the ban of a user, who may join again.

    Raises:
        UidNotFound, FeatureRestricted: the acting user does not exist, or their role forbids
            it.
        GuidNotFound, BannedMember, GroupNotJoined, NoModeratorScope: the acting user may not do
            this in the group.
        NotBanned: `uid` is not banned.
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
        message = await post_member_action(
            tx, group, standing.uid, MemberAction(UNBANNED, uid), now
        )
        tx.announce(
            GroupMemberUnbanned(by=standing.uid, **member_event_fields(group, uid, message))
        )

    await runtime.database.write(app_id, within)
