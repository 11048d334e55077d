"""Erase the content of messages, and all records that belong to them."""

import dataclasses
from collections.abc import Awaitable, Callable, Mapping, Sequence

from hubbub.records.attachments import store as attachments_store
from hubbub.records.conversations.store import advance_conversations, find_conversations
from hubbub.records.growing import store as growing_store
from hubbub.records.history import store as history_store
from hubbub.records.interactions import store as interactions_store
from hubbub.records.mentions import store as mentions_store
from hubbub.records.messages import store
from hubbub.records.messages.model import (
    HAS_LINKS,
    HAS_MENTIONS,
    HAS_REACTIONS,
    IS_PINNED,
    IS_SAVED,
    Message,
)
from hubbub.records.moderated import store as moderated_store
from hubbub.records.notifications import logs as logs_store
from hubbub.records.pins import store as pins_store
from hubbub.records.polls import store as polls_store
from hubbub.records.reactions import store as reactions_store
from hubbub.records.reminders import store as reminders_store
from hubbub.records.search import store as search_store
from hubbub.records.webhooks import erased as bodies_store
from hubbub.storage.interface import Transaction


async def erase_messages(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Erase messages; their tombstones stay, because unread counts and receipts need them.

    The caller has locked the app's counters.
    """
    stored = await store.find_stored(tx, message_ids)
    messages = [message for message in stored.values() if not message.is_erased]
    if not messages:
        return
    await erase_belongings(tx, [message.id for message in messages])
    await store.erase_content(tx, messages)
    await delete_search_entries(tx, [message.id for message in messages])
    await replace_last_messages(tx, messages)


async def delete_search_entries(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Delete the search entries of messages that this transaction has changed or deleted before.

    The order matters: a concurrent indexer of these messages has waited for the change, or is done.
    """
    await search_store.delete_entries(tx, message_ids)


async def erase_belongings(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Delete the records that belong to messages in other tables."""
    if not message_ids:
        return
    for delete_of_messages in (*WITH_TRAITS, *OF_ANY):
        await delete_of_messages(tx, message_ids)


async def erase_belongings_by_traits(tx: Transaction, traits: Mapping[int, int]) -> int:
    """Do the same with fewer statements, for messages by id whose traits are known.

    Returns the number of files that no message holds any more.
    """
    some = [id_ for id_, bits in traits.items() if bits & ~HAS_LINKS]
    count = 0
    if some:
        count = await attachments_store.delete_of_messages(tx, some)
        for delete_of_messages in WITH_TRAITS:
            if delete_of_messages is not attachments_store.delete_of_messages:
                await delete_of_messages(tx, some)
    for delete_of_messages in OF_ANY:
        await delete_of_messages(tx, list(traits))
    return count


DeleteOfMessages = Callable[[Transaction, Sequence[int]], Awaitable[object]]
WITH_TRAITS: Sequence[DeleteOfMessages] = (
    reactions_store.delete_of_messages,
    mentions_store.delete_of_messages,
    pins_store.delete_of_messages,
    attachments_store.delete_of_messages,
    growing_store.delete_of_messages,
    polls_store.delete_of_messages,
)
"""What only messages with one of the traits have that say so."""
OF_ANY: Sequence[DeleteOfMessages] = (
    interactions_store.delete_of_messages,
    history_store.delete_of_messages,
    moderated_store.delete_of_messages,
    logs_store.delete_of_messages,
    reminders_store.delete_of_messages,
    bodies_store.delete_of_messages,
)


async def erase_marks_of_user(tx: Transaction, uid: str, *, upto: int, limit: int) -> int:
    """Delete up to `limit` records that link a user to messages of others; return their number.

    `upto` is the last event of this user: newer records belong to the next holder of the uid. The
    caller has locked the app's counters.
    """
    reactions = await reactions_store.delete_of_user(tx, uid, upto=upto, limit=limit)
    touched = {each.message for each in reactions}
    await logs_store.delete_of_reactor(tx, uid, touched)
    left = touched - await reactions_store.find_counted(tx, touched)
    await store.remove_trait(tx, left, HAS_REACTIONS)
    count = len(reactions)
    count += await _take_votes_back(tx, uid, upto=upto, limit=limit - count)
    pinned = await pins_store.delete_pins_of_user(tx, uid, upto=upto, limit=limit - count)
    await store.remove_trait(tx, pinned, IS_PINNED)
    count += len(pinned)
    saved = set(await pins_store.delete_saves_of_user(tx, uid, upto=upto, limit=limit - count))
    await store.remove_trait(tx, saved - await pins_store.find_saved(tx, saved), IS_SAVED)
    count += len(saved)
    mentioning = await mentions_store.delete_of_user(tx, uid, upto=upto, limit=limit - count)
    left = mentioning - await mentions_store.find_mentioning(tx, mentioning)
    await store.remove_trait(tx, left, HAS_MENTIONS)
    count += len(mentioning)
    for forget in (
        store.forget_editor,
        store.forget_deleter,
        history_store.forget_writer,
        interactions_store.delete_of_user,
        moderated_store.delete_of_user,
    ):
        count += await forget(tx, uid, upto=upto, limit=limit - count)
    return count


async def _take_votes_back(tx: Transaction, uid: str, *, upto: int, limit: int) -> int:
    """Take back up to `limit` votes of a user, and have the new counts told; return their number.

    The polls may be closed: their counts are those of the votes that are left.
    """
    votes = await polls_store.delete_of_user(tx, uid, upto=upto, limit=limit)
    if not votes:
        return 0
    polls = await polls_store.find_polls(tx, {each.message for each in votes})
    fewer = [
        dataclasses.replace(each, voters=each.voters - 1, is_stale=True) for each in polls.values()
    ]
    await polls_store.store_polls(tx, fewer, 0)
    return len(votes)


async def replace_last_messages(tx: Transaction, erased: Sequence[Message]) -> None:
    """Make the newest remaining message the lastMessage where an erased one was."""
    ids = {message.id for message in erased}
    conversations = await find_conversations(tx, (message.key for message in erased))
    moved = [each for each in conversations.values() if each.shown_id in ids]
    for conversation in moved:
        newest = await store.find_newest_shown(tx, conversation)
        conversation.show(newest.id if newest else 0, newest.sent_at if newest else 0)
    await advance_conversations(tx, moved)
