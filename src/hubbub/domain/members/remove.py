"""Let members go: they leave or are kicked. What they said stays."""

from dataclasses import replace

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import (
    access_group_to_take_part,
    refuse_clearance,
    refuse_participant,
)
from hubbub.domain.access.people import access_actor
from hubbub.domain.members.announce import facts_of, tell
from hubbub.domain.members.own import pass_on
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
    """Take the acting user out of a group; one of his own is handed on.

    Raises:
        UidNotFound, FeatureRestricted: he does not exist, or his role may not.
        GuidNotFound, BannedMember, GroupNotJoined: he is no member.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        standing = await access_group_to_take_part(tx, await access_actor(tx, actor), guid)
        if standing.member is not None:
            now = runtime.clock.now()
            group = await take_out(tx, standing.group, standing.member)
            message = await tell(tx, group, standing.uid, MemberAction(LEFT, standing.uid), now)
            tx.announce(GroupMemberLeft(**facts_of(group, standing.uid, message)))
            await go_on_without(tx, group, standing.uid, standing.uid, now)

    await runtime.database.write(app_id, within)


async def kick_member(runtime: Runtime, app_id: str, actor: Actor, guid: str, uid: str) -> None:
    """Remove a member from a group; he may come back.

    Raises:
        UidNotFound, FeatureRestricted: the acting user, or `uid`, does not exist, or may not.
        GuidNotFound, BannedMember, GroupNotJoined: the acting user is no member.
        NotAMember: `uid` is none.
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
        group = await take_out(tx, standing.group, member)
        message = await tell(tx, group, standing.uid, MemberAction(KICKED, uid), now)
        tx.announce(GroupMemberKicked(by=standing.uid, **facts_of(group, uid, message)))
        await go_on_without(tx, group, uid, standing.uid, now)

    await runtime.database.write(app_id, within)


async def access_member(tx: Transaction, group: Group, uid: str) -> Member:
    """The member who is acted upon; one who is deactivated keeps his place and may lose it.

    Raises:
        UidNotFound: there is no such user.
        NotAMember: he is none.
    """
    member = await store.find_member(tx, group.conversation, uid)
    if member is None:
        user = await find_user(tx, uid)
        if user is None or not user.is_active:
            raise UidNotFound(uid)
        raise NotAMember(uid, group.guid)
    return member


async def take_out(tx: Transaction, group: Group, member: Member) -> Group:
    """End a membership with the event that is announced next; returns the group without him."""
    await store.delete_member(tx, member, to_event=next_event_number(tx))
    await delete_participant(tx, group.conversation, member.uid)
    await add_members_count(tx, {group.guid: -1})
    return replace(group, members_count=group.members_count - 1)


async def go_on_without(tx: Transaction, group: Group, gone: str, by: str, now: int) -> None:
    """Tell what all have had without the one who went; one of his own has another owner."""
    await announce_receipts_of_all(tx, [group.conversation], now)
    if group.owner == gone:
        await pass_on(tx, group, by, now)
