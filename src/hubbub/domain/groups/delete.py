"""Delete a group permanently: at once; its messages are erased in the background."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import access_group_to_administer
from hubbub.domain.access.people import access_actor
from hubbub.domain.erasure.erase import request_group_erasure
from hubbub.outbox import lock_counters
from hubbub.records.groups import store
from hubbub.records.groups.events import GroupDeleted
from hubbub.records.groups.model import Group
from hubbub.records.retention.model import GROUP
from hubbub.records.retention.store import delete_hold
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


async def delete_group(runtime: Runtime, app_id: str, actor: Actor, guid: str) -> None:
    """Delete a group with its messages; the guid is free at once.

    Members, bans and messages refer to the number of its conversation, which no look-up finds then.

    Raises:
        UidNotFound, FeatureRestricted: the acting user does not exist, or their role forbids
            it.
        GuidNotFound, BannedMember, GroupNotJoined, NoAdminScope: the acting user may not do this
            in the group.
    """

    async def within(tx: Transaction) -> None:
        numbers = await lock_counters(tx)
        standing = await access_group_to_administer(tx, await access_actor(tx, actor), guid)
        group, now = standing.group, runtime.clock.now()
        await store.delete_group(tx, group)
        numbers.groups -= 1
        await request_group_erasure(tx, group, now)
        await delete_hold(tx, GROUP, guid)
        tx.announce(_deleted_event(group, standing.uid, now))

    await runtime.database.write(app_id, within)


def _deleted_event(group: Group, by: str, now: int) -> GroupDeleted:
    return GroupDeleted(
        group.guid,
        group.conversation,
        group.name,
        group.type,
        by,
        now,
        owner=group.owner,
        description=group.description,
        icon=group.icon,
        members_count=group.members_count,
        created_at=group.created_at,
    )
