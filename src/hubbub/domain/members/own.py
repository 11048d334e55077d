"""Who owns a group: always somebody of scope admin, or the app itself."""

from dataclasses import replace

from hubbub.domain.groups.events import GroupOwnerTransferred
from hubbub.domain.groups.model import Group
from hubbub.domain.groups.store import set_owner
from hubbub.domain.members import store
from hubbub.domain.members.model import ADMIN
from hubbub.kernel.text import SYSTEM_UID
from hubbub.storage.interface import Transaction


async def hand_on(tx: Transaction, group: Group, owner: str, by: str, now: int) -> Group:
    """Give a group to another owner, a member of it or the app; he becomes an admin."""
    if owner != SYSTEM_UID:
        member = await store.find_member(tx, group.conversation, owner)
        if member is not None and member.scope != ADMIN:
            await store.set_scope(tx, member, ADMIN)
    await set_owner(tx, group.guid, owner)
    tx.announce(GroupOwnerTransferred(group.guid, group.conversation, owner, group.owner, by, now))
    return replace(group, owner=owner)


async def pass_on(tx: Transaction, group: Group, by: str, now: int) -> Group:
    """Give a group whose owner goes the longest-standing of its highest scope, or the app."""
    heir = await store.find_heir(tx, group.conversation, group.owner)
    return await hand_on(tx, group, heir, by, now)
