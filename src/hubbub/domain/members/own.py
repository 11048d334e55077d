"""Who owns a group: always somebody of scope admin, or the app itself."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hubbub.domain.members.announce import facts_of, tell
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


async def hand_on(tx: Transaction, group: Group, owner: str, by: str, now: int) -> Group:
    """Give a group to another owner, a member of it or the app; he becomes an admin."""
    if owner != SYSTEM_UID:
        member = await store.find_member(tx, group.conversation, owner)
        if member is not None and member.scope != ADMIN:
            await rescope(tx, group, member, ADMIN, by, now)
    (after,) = await _give(tx, [group], {group.conversation: owner}, by, now)
    return after


async def rescope(
    tx: Transaction, group: Group, member: Member, scope: str, by: str, now: int
) -> None:
    """Give a member another scope, and tell of it."""
    await store.set_scope(tx, [(member.conversation, member.uid)], scope)
    what = MemberAction(SCOPE_CHANGED, member.uid, scope, member.scope)
    message = await tell(tx, group, by, what, now)
    facts = facts_of(group, member.uid, message)
    tx.announce(GroupMemberScopeChanged(by=by, scope=scope, old_scope=member.scope, **facts))


async def pass_on(tx: Transaction, group: Group, by: str, now: int) -> Group:
    """Give a group whose owner goes the longest-standing of its highest scope, or the app."""
    heirs = await store.find_heirs(tx, [group.conversation], group.owner)
    return await hand_on(tx, group, heirs.get(group.conversation, SYSTEM_UID), by, now)


async def pass_on_all(tx: Transaction, groups: Sequence[Group], leaving: str, now: int) -> None:
    """Give all groups of one who is deleted to their heirs, as the app, be they thousands.

    No message tells of the new admins: the events of the new owners imply them.
    """
    heirs = await store.find_heirs(tx, [each.conversation for each in groups], leaving)
    await store.set_scope(tx, heirs.items(), ADMIN)
    await _give(tx, groups, heirs, SYSTEM_UID, now)


async def _give(
    tx: Transaction, groups: Sequence[Group], owners: Mapping[int, str], by: str, now: int
) -> list[Group]:
    """Store the owners of groups by conversation, the app where there is none, and tell of them."""
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
    for group, given in zip(groups, after, strict=True):
        guid, number, owner = given.guid, given.conversation, given.owner
        tx.announce(GroupOwnerTransferred(guid, number, owner, group.owner, by, now))
    return after
