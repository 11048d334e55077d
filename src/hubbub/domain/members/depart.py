"""Take somebody who is deleted out of all his groups at once.

No message tells each group of it: the one event of his deletion does.
"""

from hubbub.domain.conversations.store import find_by_numbers, leave_conversations
from hubbub.domain.groups.store import add_members_count_of, list_owned_groups
from hubbub.domain.members import store
from hubbub.domain.members.own import pass_on
from hubbub.domain.receipts.everybody import tell_of_everybody
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox import next_event
from hubbub.storage.interface import Transaction


async def leave_all_groups(tx: Transaction, uid: str, now: int) -> None:
    """End all memberships and bans of a user; groups of his own are handed on."""
    numbers = await store.delete_members_of(tx, uid, to_event=next_event(tx))
    await leave_conversations(tx, uid, numbers)
    await add_members_count_of(tx, numbers, -1)
    for conversation in await find_by_numbers(tx, numbers):
        await tell_of_everybody(tx, conversation.number, conversation.left_id, now)
    for group in await list_owned_groups(tx, uid):
        await pass_on(tx, group, SYSTEM_UID, now, is_told=False)
