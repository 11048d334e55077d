"""The removal of a member: common to those who leave, are kicked or banned. Messages stay."""

from dataclasses import replace

from hubbub.domain.members.own import transfer_to_heir
from hubbub.domain.receipts.announce import announce_receipts_of_all
from hubbub.outbox import next_event_number
from hubbub.records.conversations.store import delete_participant
from hubbub.records.groups.model import Group
from hubbub.records.groups.store import add_members_count
from hubbub.records.members import store
from hubbub.records.members.model import Member, NotAMember
from hubbub.records.users.model import UidNotFound
from hubbub.records.users.store import find_user
from hubbub.storage.interface import Transaction


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
