"""Mentions in the text of a message that is stored again."""

from hubbub.outbox import next_event_number
from hubbub.records.conversations.model import GROUP
from hubbub.records.members.store import find_members
from hubbub.records.mentions import store as mentions_store
from hubbub.records.mentions.model import ALL
from hubbub.records.messages.model import HAS_MENTIONS, Draft, Message
from hubbub.storage.interface import Snapshot, Transaction


async def store_mentions(tx: Transaction, message: Message, draft: Draft) -> int:
    """Replace the mentions of a message; return the trait that tells whether it has some."""
    mentioned = await find_mentioned(tx, message, draft)
    if message.traits & HAS_MENTIONS:
        await mentions_store.delete_of_messages(tx, [message.id])
    await mentions_store.insert_mentions(tx, {message.id: mentioned}, next_event_number(tx))
    return HAS_MENTIONS if mentioned else 0


async def find_mentioned(snapshot: Snapshot, message: Message, draft: Draft) -> list[str]:
    """Return the mentioned users who take part in the conversation, and `@all`."""
    if message.receiver_type != GROUP:
        return [uid for uid in draft.mentioned if uid in (message.sender, message.receiver)]
    pairs = [(message.conversation, uid) for uid in draft.mentioned if uid != ALL]
    members = await find_members(snapshot, pairs)
    return [uid for uid in draft.mentioned if uid == ALL or (message.conversation, uid) in members]
