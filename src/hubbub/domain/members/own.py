"""Who owns a group: always somebody of scope admin, or the app itself."""

from dataclasses import replace

from hubbub.domain.groups.events import GroupOwnerTransferred
from hubbub.domain.groups.model import Group
from hubbub.domain.groups.store import set_owner
from hubbub.domain.members import store
from hubbub.domain.members.events import GroupMemberScopeChanged
from hubbub.domain.members.model import ADMIN, Member
from hubbub.domain.members.tell import facts_of, tell
from hubbub.domain.messages.act import MemberAction
from hubbub.kernel.text import SYSTEM_UID
from hubbub.storage.interface import Transaction

SCOPE_CHANGED = "scopeChanged"


async def hand_on(
    tx: Transaction, group: Group, owner: str, by: str, now: int, *, is_told: bool = True
) -> Group:
    """Give a group to another owner, a member of it or the app; he becomes an admin.

    Unless it `is_told`, no message says that he does: the event of the new owner implies it.
    """
    if owner != SYSTEM_UID:
        member = await store.find_member(tx, group.conversation, owner)
        if member is not None and member.scope != ADMIN:
            if is_told:
                await rescope(tx, group, member, ADMIN, by, now)
            else:
                await store.set_scope(tx, member, ADMIN)
    after = replace(group, owner=owner, updated_at=now, updated_by=by)
    await set_owner(tx, after)
    tx.announce(GroupOwnerTransferred(group.guid, group.conversation, owner, group.owner, by, now))
    return after


async def rescope(
    tx: Transaction, group: Group, member: Member, scope: str, by: str, now: int
) -> None:
    """Give a member another scope, and tell of it."""
    await store.set_scope(tx, member, scope)
    what = MemberAction(SCOPE_CHANGED, member.uid, scope, member.scope)
    message = await tell(tx, group, by, what, now)
    facts = facts_of(group, member.uid, message)
    tx.announce(GroupMemberScopeChanged(by=by, scope=scope, old_scope=member.scope, **facts))


async def pass_on(
    tx: Transaction, group: Group, by: str, now: int, *, is_told: bool = True
) -> Group:
    """Give a group whose owner goes the longest-standing of its highest scope, or the app."""
    heir = SYSTEM_UID
    if group.members_count:
        heir = await store.find_heir(tx, group.conversation, group.owner)
    return await hand_on(tx, group, heir, by, now, is_told=is_told)
