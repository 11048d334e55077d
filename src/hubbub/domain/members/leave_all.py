"""Remove a deleted user from all groups.

No group gets an action message: the one event of the deletion announces it. The number of
statements does not depend on the number of groups.
"""

from hubbub.domain.members.own import transfer_all_to_heirs
from hubbub.domain.receipts.all_members import announce_receipts_of_all
from hubbub.outbox import next_event_number
from hubbub.records.conversations.store import leave_conversations
from hubbub.records.groups.store import add_members_count_of, list_owned_groups
from hubbub.records.members import store
from hubbub.storage.interface import Transaction


async def leave_all_groups(tx: Transaction, uid: str, now: int) -> None:
    """End all memberships and bans of a user; groups that they own get another owner."""
    numbers = await store.delete_members_of(tx, uid, to_event=next_event_number(tx))
    await leave_conversations(tx, uid, numbers)
    await add_members_count_of(tx, numbers, -1)
    await announce_receipts_of_all(tx, numbers, now)
    await transfer_all_to_heirs(tx, await list_owned_groups(tx, uid), uid, now)
