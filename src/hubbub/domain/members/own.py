"""Transfer the ownership of groups: the owner is always an admin of the group, or the app."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hubbub.domain.members.announce import member_event_fields, post_member_action
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.groups.events import GroupOwnerTransferred
from hubbub.records.groups.model import Group
from hubbub.records.groups.store import set_owners
from hubbub.records.members import store
from hubbub.records.members.events import GroupMemberScopeChanged
from hubbub.records.members.model import ADMIN, Member
from hubbub.records.messages.actions import MemberAction
from hubbub.storage.interface import Transaction

SCOPE_CHANGED = "scopeChanged"


async def transfer_ownership(tx: Transaction, group: Group, owner: str, by: str, now: int) -> Group:
    """Transfer a group to a member, who becomes an admin, or to the app."""
    if owner != SYSTEM_UID:
        member = await store.find_member(tx, group.conversation, owner)
        if member is not None and member.scope != ADMIN:
            await rescope(tx, group, member, ADMIN, by, now)
    (after,) = await _set_owners(tx, [group], {group.conversation: owner}, by, now)
    return after


async def rescope(
    tx: Transaction, group: Group, member: Member, scope: str, by: str, now: int
) -> None:
    """Change the scope of a member, and announce it."""
    await store.set_scope(tx, [(member.conversation, member.uid)], scope)
    action = MemberAction(SCOPE_CHANGED, member.uid, scope, member.scope)
    message = await post_member_action(tx, group, by, action, now)
    fields = member_event_fields(group, member.uid, message)
    tx.announce(GroupMemberScopeChanged(by=by, scope=scope, old_scope=member.scope, **fields))


async def transfer_to_heir(tx: Transaction, group: Group, by: str, now: int) -> Group:
    """Transfer a group whose owner leaves to its heir (see `find_heirs`), or to the app."""
    heirs = await store.find_heirs(tx, [group.conversation], group.owner)
    return await transfer_ownership(tx, group, heirs.get(group.conversation, SYSTEM_UID), by, now)


async def transfer_all_to_heirs(
    tx: Transaction, groups: Sequence[Group], leaving: str, now: int
) -> None:
    """Transfer all groups of a deleted user to their heirs, as the app; there may be thousands.

    No action message announces the new admins: the events of the new owners imply them.
    """
    heirs = await store.find_heirs(tx, [each.conversation for each in groups], leaving)
    await store.set_scope(tx, heirs.items(), ADMIN)
    await _set_owners(tx, groups, heirs, SYSTEM_UID, now)


async def _set_owners(
    tx: Transaction, groups: Sequence[Group], owners: Mapping[int, str], by: str, now: int
) -> list[Group]:
    """Store the owners of groups, by conversation and else the app, and announce them."""
    after = [
        replace(
            each,
            owner=owners.get(each.conversation, SYSTEM_UID),
            updated_at=now,
            updated_by=by,
        )
        for each in groups
    ]
    await set_owners(tx, after)
    for group, new in zip(groups, after, strict=True):
        guid, number, owner = new.guid, new.conversation, new.owner
        tx.announce(GroupOwnerTransferred(guid, number, owner, group.owner, by, now))
    return after
