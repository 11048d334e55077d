"""Take the content of messages away for good, and all that hangs on them."""

from collections.abc import Sequence

from hubbub.records.attachments import store as attachments_store
from hubbub.records.conversations.store import advance_conversations, find_conversations
from hubbub.records.interactions import store as interactions_store
from hubbub.records.mentions import store as mentions_store
from hubbub.records.messages import store
from hubbub.records.messages.model import Message
from hubbub.records.messages.traits import HAS_MENTIONS, HAS_REACTIONS, IS_PINNED, IS_SAVED
from hubbub.records.pins import store as pins_store
from hubbub.records.reactions import store as reactions_store
from hubbub.records.search import store as search_store
from hubbub.storage.interface import Transaction


async def erase_messages(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Leave of messages their tombstones, by which unread counts and receipts are told.

    Nobody finds them any more. The app's numbers are taken before.
    """
    stored = await store.find_stored(tx, message_ids)
    messages = [message for message in stored.values() if not message.is_erased]
    if not messages:
        return
    await erase_belongings(tx, [message.id for message in messages])
    await store.erase_content(tx, messages)
    await forget_entries(tx, [message.id for message in messages])
    await show_others(tx, messages)


async def forget_entries(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Let no search find messages that this transaction has changed or removed before.

    In this order: whoever indexes them at the same time has had to wait for that, or is done.
    """
    await search_store.delete_entries(tx, message_ids)


async def erase_belongings(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Remove what hangs on messages in other tables."""
    if not message_ids:
        return
    for delete_of_messages in (
        reactions_store.delete_of_messages,
        mentions_store.delete_of_messages,
        pins_store.delete_of_messages,
        interactions_store.delete_of_messages,
        attachments_store.delete_of_messages,
    ):
        await delete_of_messages(tx, message_ids)


async def erase_marks_of_user(tx: Transaction, uid: str, *, upto: int, limit: int) -> int:
    """Remove up to `limit` of what ties a user to others' messages; how many there were.

    `upto` is the last event that had told of it: what is newer is his successor's. The app's
    numbers are taken before.
    """
    reactions = await reactions_store.delete_of_user(tx, uid, upto=upto, limit=limit)
    touched = {each.message for each in reactions}
    left = touched - await reactions_store.find_counted(tx, touched)
    await store.remove_trait(tx, left, HAS_REACTIONS)
    count = len(reactions)
    pinned = await pins_store.delete_pins_of_user(tx, uid, upto=upto, limit=limit - count)
    await store.remove_trait(tx, pinned, IS_PINNED)
    count += len(pinned)
    saved = set(await pins_store.delete_saves_of_user(tx, uid, upto=upto, limit=limit - count))
    await store.remove_trait(tx, saved - await pins_store.find_saved(tx, saved), IS_SAVED)
    count += len(saved)
    named = await mentions_store.delete_of_user(tx, uid, upto=upto, limit=limit - count)
    await store.remove_trait(
        tx, named - await mentions_store.find_mentioning(tx, named), HAS_MENTIONS
    )
    count += len(named)
    for forget in (
        store.forget_editor,
        store.forget_deleter,
        interactions_store.delete_of_user,
    ):
        count += await forget(tx, uid, upto=upto, limit=limit - count)
    return count


async def show_others(tx: Transaction, gone: Sequence[Message]) -> None:
    """Where one of those messages was the lastMessage, let the one before it be that."""
    ids = {message.id for message in gone}
    conversations = await find_conversations(tx, (message.key for message in gone))
    moved = [each for each in conversations.values() if each.shown_id in ids]
    for conversation in moved:
        newest = await store.find_newest_shown(tx, conversation)
        conversation.show(newest.id if newest else 0, newest.sent_at if newest else 0)
    await advance_conversations(tx, moved)
