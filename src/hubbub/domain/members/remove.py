"""Remove members, who leave or are kicked; their messages stay."""

from dataclasses import replace

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import (
    access_group_to_take_part,
    refuse_clearance,
    refuse_participant,
)
from hubbub.domain.access.people import access_actor
from hubbub.domain.members.announce import member_event_fields, post_member_action
from hubbub.domain.members.own import transfer_to_heir
from hubbub.domain.receipts.all_members import announce_receipts_of_all
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.conversations.store import delete_participant
from hubbub.records.groups.model import Group
from hubbub.records.groups.store import add_members_count
from hubbub.records.members import store
from hubbub.records.members.events import GroupMemberKicked, GroupMemberLeft
from hubbub.records.members.model import Member, NotAMember
from hubbub.records.messages.actions import MemberAction
from hubbub.records.users.model import UidNotFound
from hubbub.records.users.store import find_user
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

LEFT, KICKED = "left", "kicked"


async def leave_group(runtime: Runtime, app_id: str, actor: Actor, guid: str) -> None:
    """Remove the acting user from a group; if they own it, it gets another owner.

    Raises:
        UidNotFound, FeatureRestricted: the acting user does not exist, or their role forbids it.
        GuidNotFound, BannedMember, GroupNotJoined: the acting user is not a member.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        standing = await access_group_to_take_part(tx, await access_actor(tx, actor), guid)
        if standing.member is not None:
            now = runtime.clock.now()
            group = await remove_member(tx, standing.group, standing.member)
            message = await post_member_action(
                tx, group, standing.uid, MemberAction(LEFT, standing.uid), now
            )
            tx.announce(GroupMemberLeft(**member_event_fields(group, standing.uid, message)))
            await finish_removal(tx, group, standing.uid, standing.uid, now)

    await runtime.database.write(app_id, within)


async def kick_member(runtime: Runtime, app_id: str, actor: Actor, guid: str, uid: str) -> None:
    """Remove a member from a group; they may join again.

    Raises:
        UidNotFound: the acting user, or `uid`, does not exist or is deactivated.
        FeatureRestricted: the role of the acting user forbids it.
        GuidNotFound, BannedMember, GroupNotJoined: the acting user is not a member.
        NotAMember: `uid` is not a member.
        NoClearance: the acting user's scope is too low, or `uid` is the owner.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        standing = await access_group_to_take_part(tx, await access_actor(tx, actor), guid)
        refusal = refuse_participant(standing, uid)
        if refusal is not None:
            raise refusal
        member = await access_member(tx, standing.group, uid)
        refusal = refuse_clearance(standing, member)
        if refusal is not None:
            raise refusal
        now = runtime.clock.now()
        group = await remove_member(tx, standing.group, member)
        message = await post_member_action(tx, group, standing.uid, MemberAction(KICKED, uid), now)
        tx.announce(GroupMemberKicked(by=standing.uid, **member_event_fields(group, uid, message)))
        await finish_removal(tx, group, uid, standing.uid, now)

    await runtime.database.write(app_id, within)


async def access_member(tx: Transaction, group: Group, uid: str) -> Member:
    """Return the member to act on; deactivated users remain members and may be removed.

    Raises:
        UidNotFound: the user does not exist or is deactivated, and is not a member.
        NotAMember: the user is not a member.
    """
    member = await store.find_member(tx, group.conversation, uid)
    if member is None:
        user = await find_user(tx, uid)
        if user is None or not user.is_active:
            raise UidNotFound(uid)
        raise NotAMember(uid, group.guid)
    return member


async def remove_member(tx: Transaction, group: Group, member: Member) -> Group:
    """End a membership with the next event; return the group without the member."""
    await store.delete_member(tx, member, to_event=next_event_number(tx))
    await delete_participant(tx, group.conversation, member.uid)
    await add_members_count(tx, {group.guid: -1})
    return replace(group, members_count=group.members_count - 1)


async def finish_removal(tx: Transaction, group: Group, gone: str, by: str, now: int) -> None:
    """Announce receipts of all remaining members; transfer the group if its owner left."""
    await announce_receipts_of_all(tx, [group.conversation], now)
    if group.owner == gone:
        await transfer_to_heir(tx, group, by, now)
