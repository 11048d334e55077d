"""Leave a group."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import access_group_to_take_part
from hubbub.domain.access.people import access_actor
from hubbub.domain.members.announce import member_event_fields, post_member_action
from hubbub.domain.members.remove import finish_removal, remove_member
from hubbub.outbox import lock_counters
from hubbub.records.members.events import GroupMemberLeft
from hubbub.records.messages.actions import MemberAction
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

LEFT = "left"


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
