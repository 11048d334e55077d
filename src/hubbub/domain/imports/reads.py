"""Import how far people have read their conversations; nobody is told."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.domain.imports.times import refuse_time
from hubbub.kernel.errors import Refusal
from hubbub.outbox import lock_counters
from hubbub.records.conversations.model import (
    GROUP,
    Conversation,
    Participant,
    conversation_id,
    group_key,
    user_key,
)
from hubbub.records.conversations.store import find_conversations, find_participants, store_marks
from hubbub.records.messages.counts import count_own_beyond
from hubbub.records.messages.model import (
    ConversationNotAccessible,
    Message,
    MessageNotImported,
    MuidReference,
)
from hubbub.records.messages.store import MessagePosition, find_by_muid
from hubbub.records.receipts.model import Receipt, ReceiptPosition, read
from hubbub.records.receipts.store import insert_receipts
from hubbub.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class ImportedRead:
    """A user has read a conversation up to a message, which is named by its sender and muid."""

    receiver_type: str
    receiver: str
    uid: str
    muid: str
    sender: str
    at: int | None = None


async def import_reads(
    tx: Transaction, given: Sequence[ImportedRead], now: int
) -> list[bool | Refusal]:
    """Store read positions; an outcome each, in order: whether the user had not read as far."""
    await lock_counters(tx)
    keys = [
        group_key(each.receiver)
        if each.receiver_type == GROUP
        else user_key(each.uid, each.receiver)
        for each in given
    ]
    conversations = await find_conversations(tx, keys)
    messages = await find_by_muid(tx, [(each.sender, each.muid) for each in given])
    pairs = [
        (conversations[key].number, each.uid)
        for key, each in zip(keys, given, strict=True)
        if key in conversations
    ]
    participants = await find_participants(tx, pairs)
    receipts: list[Receipt] = []
    outcomes: list[bool | Refusal] = []
    moved: dict[tuple[int, str], Participant] = {}
    for key, each in zip(keys, given, strict=True):
        conversation = conversations.get(key)
        number = conversation.number if conversation else 0
        message = messages.get((each.sender, each.muid))
        participant = participants.get((number, each.uid))
        if conversation is None or participant is None:
            outcomes.append(ConversationNotAccessible(conversation_id(key)))
        elif message is None or message.conversation != number:
            reference = MuidReference(each.muid, (each.sender,))
            outcomes.append(MessageNotImported("readUpTo", reference))
        elif late := refuse_time("at", each.at, sent_at=message.sent_at, now=now):
            outcomes.append(late)
        else:
            at = message.sent_at if each.at is None else each.at
            before = participant.read_id
            receipts += await _read(tx, conversation, participant, message, at)
            outcomes.append(participant.read_id > before)
            moved[number, each.uid] = participant
    await store_marks(tx, moved.values())
    await insert_receipts(tx, receipts)
    return outcomes


async def _read(
    tx: Transaction,
    conversation: Conversation,
    participant: Participant,
    message: Message,
    at: int,
) -> list[Receipt]:
    if message.id <= participant.read_id:
        return []
    position = MessagePosition(message.id, message.conversation, message.sent_at, message.ordinal)
    own = await count_own_beyond(tx, conversation, participant.uid, message.id, position)
    upto = ReceiptPosition(message.id, message.ordinal)
    return read(participant, conversation, upto, own=own, had=None, now=at)
