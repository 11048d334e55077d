"""Kick a member out of a group."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import (
    access_group_to_take_part,
    refuse_removal,
    refuse_removal_by_participant,
)
from hubbub.domain.access.people import access_actor
from hubbub.domain.members.announce import member_event_fields, post_member_action
from hubbub.domain.members.remove import access_member, finish_removal, remove_member
from hubbub.outbox import lock_counters
from hubbub.records.members.events import GroupMemberKicked
from hubbub.records.messages.actions import MemberAction
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

KICKED = "kicked"


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
        refusal = refuse_removal_by_participant(standing, uid)
        if refusal is not None:
            raise refusal
        member = await access_member(tx, standing.group, uid)
        refusal = refuse_removal(standing, member)
        if refusal is not None:
            raise refusal
        now = runtime.clock.now()
        group = await remove_member(tx, standing.group, member)
        message = await post_member_action(tx, group, standing.uid, MemberAction(KICKED, uid), now)
        tx.announce(GroupMemberKicked(by=standing.uid, **member_event_fields(group, uid, message)))
        await finish_removal(tx, group, uid, standing.uid, now)

    await runtime.database.write(app_id, within)
