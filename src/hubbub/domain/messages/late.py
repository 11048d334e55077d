"""Deliver a message later than it was sent, at the place that was kept for it.

Later messages have greater ids, and users may have read them. What that means for unread counts and
receipts: `docs/decisions/held-messages.md`.
"""

from msgspec.structs import replace

from hubbub.domain.messages.batch import Batch, make_message
from hubbub.domain.messages.look_up import find_earlier
from hubbub.domain.messages.mention import store_mentions
from hubbub.domain.messages.poll import make_poll
from hubbub.domain.messages.send import sent_event
from hubbub.outbox import lock_counters
from hubbub.records.conversations import store as conversations_store
from hubbub.records.conversations.model import GROUP, Conversation, Participant
from hubbub.records.groups.store import find_groups
from hubbub.records.messages import store
from hubbub.records.messages.counts import count_own_beyond
from hubbub.records.messages.events import MessageSent
from hubbub.records.messages.model import IS_LATE, Draft, Message, MessageIdNotFound
from hubbub.records.polls.store import insert_polls
from hubbub.records.receipts.model import set_read
from hubbub.storage.interface import Transaction


async def deliver_late(
    tx: Transaction, draft: Draft, message_id: int, *, sent_at: int, now: int
) -> Message | None:
    """Store and announce a message that was sent before; None if a retry has sent it meanwhile.

    Raises:
        MessageIdNotFound: its group or its history was deleted.
    """
    counters = await lock_counters(tx)
    earlier, freed = await find_earlier(tx, [draft])
    if earlier:
        return None
    if freed:
        await store.free_muids(tx, freed)
    conversations = await conversations_store.find_conversations(tx, [draft.key])
    is_to_group = draft.receiver_type == GROUP
    groups = await find_groups(tx, [draft.receiver]) if is_to_group else {}
    if is_to_group and draft.receiver not in groups:
        raise MessageIdNotFound(message_id)
    sizes = {guid: group.members_count for guid, group in groups.items()}
    batch = Batch(counters, conversations, sizes, now)
    conversation = batch.conversation_of(draft)
    if message_id <= conversation.erased_upto:
        raise MessageIdNotFound(message_id)
    message = make_message(draft, message_id, sent_at)
    message.conversation, message.updated_at = conversation.number, now
    message.counts, message.shows = batch.counts_and_shows(draft)
    message.traits |= IS_LATE | await store_mentions(tx, message, draft)
    await _count(tx, conversation, message)
    _advance(conversation, message)
    batch.messages.append(message)
    await batch.write(tx)
    if draft.poll is not None:
        await insert_polls(tx, [make_poll(message, draft.poll, now)], 1000 * now)
    tx.announce(_late_event(message))
    return message


async def _count(tx: Transaction, conversation: Conversation, message: Message) -> None:
    """Count a message in its conversation, its place, and the counts of those who had read on."""
    after = await store.find_ordinal_before(tx, message)
    message.ordinal = (conversation.counted if after is None else after) + message.counts
    if not message.counts:
        return
    beyond = await conversations_store.list_beyond(tx, conversation.number, message.id)
    unread = {each.uid: each.unread_in(conversation) for each in beyond}
    conversation.counted += 1
    await store.raise_ordinals(tx, message)
    sender = message.sender
    if conversation.kind != GROUP:
        conversation.count_own(sender)
    elif sender not in unread:
        await conversations_store.add_own(tx, {(conversation.number, sender): 1})
    for each in beyond:
        is_new = each.uid != sender and each.floor_id < message.id
        read_id = message.id - 1 if is_new else each.read_id
        own = await _own_beyond(tx, conversation, each, read_id)
        set_read(each, conversation, read_id, own=own, unread=unread[each.uid] + is_new)
    await conversations_store.store_marks(tx, beyond)
    await conversations_store.raise_floors(tx, conversation.number, message.id)


async def _own_beyond(
    tx: Transaction, conversation: Conversation, participant: Participant, read_id: int
) -> int:
    """Return the number of a participant's own messages after a position."""
    return await count_own_beyond(tx, conversation, participant.uid, read_id, None)


def _advance(conversation: Conversation, message: Message) -> None:
    """Note a message in its conversation, as the newest one only if it is."""
    if message.id > conversation.last_id:
        conversation.last_id = message.id
        if message.sent_at < conversation.newest_sent_at:
            conversation.imported_id = message.id
    conversation.newest_sent_at = max(conversation.newest_sent_at, message.sent_at)
    shown = conversation.shown_at, conversation.shown_id
    if message.shows and (message.sent_at, message.id) > shown:
        conversation.shown_id, conversation.shown_at = message.id, message.sent_at
        conversation.updated_at = max(conversation.updated_at, message.sent_at)


def _late_event(message: Message) -> MessageSent:
    # The log is in the order of its times.
    return replace(sent_event(message), at=message.updated_at, late=True)
