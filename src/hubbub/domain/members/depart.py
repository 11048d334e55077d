"""Take somebody who is deleted out of all his groups at once.

No message tells each group of it: the one event of his deletion does. However many groups he is in,
it takes the same few statements.
"""

from hubbub.domain.members.own import pass_on_all
from hubbub.domain.receipts.all_members import announce_receipts_of_all
from hubbub.outbox import next_event_number
from hubbub.records.conversations.store import leave_conversations
from hubbub.records.groups.store import add_members_count_of, list_owned_groups
from hubbub.records.members import store
from hubbub.storage.interface import Transaction


async def leave_all_groups(tx: Transaction, uid: str, now: int) -> None:
    """End all memberships and bans of a user; groups of his own are handed on."""
    numbers = await store.delete_members_of(tx, uid, to_event=next_event_number(tx))
    await leave_conversations(tx, uid, numbers)
    await add_members_count_of(tx, numbers, -1)
    await announce_receipts_of_all(tx, numbers, now)
    await pass_on_all(tx, await list_owned_groups(tx, uid), uid, now)
