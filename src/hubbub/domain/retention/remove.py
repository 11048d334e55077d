"""Remove messages of one conversation, with all that belongs to them, and put its numbers right."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.domain.messages.erase import delete_search_entries, erase_belongings_by_traits
from hubbub.records.conversations.model import Conversation
from hubbub.records.conversations.store import advance_conversations
from hubbub.records.messages import store as messages_store
from hubbub.records.messages.store import Erasable
from hubbub.records.notifications.logs import delete_some_of_messages
from hubbub.records.retention import store
from hubbub.records.retention.events import MessagesExpired
from hubbub.records.retention.model import Ageing
from hubbub.storage.interface import Transaction

LOGS = 500
"""The entries of the log of notifications that one transaction deletes."""


@dataclass(frozen=True, slots=True)
class Removed:
    """What was removed."""

    messages: int
    files: int


async def remove_messages(
    tx: Transaction,
    conversation: Conversation,
    messages: Sequence[Ageing],
    *,
    now: int,
    keeps_muids: bool,
) -> Removed | None:
    """Remove messages, and announce it; None if only a part of what belongs to them could be.

    The rest is removed when they are again. The caller has locked the app's counters.
    """
    ids = [each.id for each in messages]
    if await delete_some_of_messages(tx, ids, limit=LOGS) == LOGS:
        return None  # a message to a large group has thousands
    if not ids:
        return Removed(0, 0)
    files = await erase_belongings_by_traits(tx, {each.id: each.traits for each in messages})
    erasable = [Erasable(each.id, each.conversation, each.tags) for each in messages]
    if keeps_muids and any(each.muid is not None for each in messages):
        await messages_store.delete_all_but_muids(tx, erasable)
    else:
        await messages_store.delete_messages(tx, erasable)
    await delete_search_entries(tx, ids)
    await _replace_shown(tx, conversation, ids)
    await _count_less(tx, conversation, messages)
    tx.announce(MessagesExpired(ids, conversation.number, now))
    return Removed(len(ids), files)


async def delete_muids(tx: Transaction, rows: Sequence[Ageing]) -> None:
    """Delete rows that only say which muids were used, so that these are free."""
    await messages_store.delete_messages(
        tx, [Erasable(each.id, each.conversation, each.tags) for each in rows]
    )


async def _replace_shown(tx: Transaction, conversation: Conversation, ids: Sequence[int]) -> None:
    """Make the newest message that is left the lastMessage, if that was removed."""
    if conversation.shown_id in ids:
        newest = await messages_store.find_newest_shown(tx, conversation)
        conversation.show(newest.id if newest else 0, newest.sent_at if newest else 0)
        await advance_conversations(tx, [conversation])


async def _count_less(
    tx: Transaction, conversation: Conversation, messages: Sequence[Ageing]
) -> None:
    """Subtract what was removed from the numbers of those who had not read it.

    In large groups messages do not count, so that nobody is looked up.
    """
    counting = [each for each in messages if each.counts]
    if not counting:
        return
    last = max(each.id for each in counting)
    gone = []
    for uid, read_id in await store.list_behind(tx, conversation.number, last):
        count = sum(each.id > read_id and each.sender != uid for each in counting)
        if count:
            gone.append((uid, count))
    await store.count_less(tx, conversation.number, gone)
