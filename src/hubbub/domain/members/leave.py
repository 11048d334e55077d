"""Leave a group; leave all groups, as a user who is deleted."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import access_group_to_take_part
from hubbub.domain.access.people import access_actor
from hubbub.domain.members.announce import member_event_fields, post_member_action
from hubbub.domain.members.own import transfer_all_to_heirs
from hubbub.domain.members.remove import finish_removal, remove_member
from hubbub.domain.receipts.announce import announce_receipts_of_all
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.conversations.store import leave_conversations
from hubbub.records.groups.store import add_members_count_of, list_owned_groups
from hubbub.records.members import store
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


async def leave_all_groups(tx: Transaction, uid: str, now: int) -> None:
    """End all memberships and bans of a user; groups that they own get another owner.

    No group gets an action message: the one event of the deletion announces it. The number of
    statements does not depend on the number of groups.
    """
    numbers = await store.delete_members_of(tx, uid, to_event=next_event_number(tx))
    await leave_conversations(tx, uid, numbers)
    await add_members_count_of(tx, numbers, -1)
    await announce_receipts_of_all(tx, numbers, now)
    await transfer_all_to_heirs(tx, await list_owned_groups(tx, uid), uid, now)
