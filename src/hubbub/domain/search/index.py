"""Keep the search index: a consumer of the log that indexes sent, imported and edited messages.

Searches read the events beyond its position themselves, so they never miss a message. An entry is
deleted in the transaction that permanently deletes its message.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import partial

from hubbub.outbox.consumer import Consumer, find_position
from hubbub.outbox.log import LogBatch, read_log
from hubbub.records.messages import store as messages_store
from hubbub.records.messages.events import MessageEdited, MessageSent, MessagesImported
from hubbub.records.messages.model import Message
from hubbub.records.search import store
from hubbub.records.search.model import Entry, make_entry
from hubbub.runtime import Runtime
from hubbub.storage.interface import Event, Snapshot, Transaction

NAME = "search"
KINDS = (MessageSent, MessageEdited, MessagesImported)
LARGEST_CHUNK = 200_000
"""A chunk ends with the first event that brings it above this many characters of terms."""


@dataclass(slots=True)
class Chunk:
    """Messages that events changed, and their new entries by message id."""

    message_ids: set[int] = field(default_factory=set)
    entries: dict[int, Entry] = field(default_factory=dict)


def search_consumer(runtime: Runtime) -> Consumer[Chunk]:
    """Return the consumer that keeps the search index."""
    return Consumer(NAME, KINDS, runtime.database, partial(_prepare, runtime), _apply)


async def index_all(runtime: Runtime) -> None:
    """Index the logs of all apps to their ends."""
    await search_consumer(runtime).consume_all()


async def list_unindexed(snapshot: Snapshot, *, limit: int) -> set[int] | None:
    """Return the ids of messages whose entry is missing or outdated; None beyond `limit` events."""
    after = await find_position(snapshot, NAME)
    batch = await read_log(snapshot, after, KINDS, limit=limit + 1)
    if batch.upto - batch.after > limit:
        return None
    return {id_ for entry in batch.entries for id_ in changed_messages(entry.event)}


def changed_messages(event: Event) -> Collection[int]:
    """Return the ids of the messages whose text an event may have changed."""
    match event:
        case MessageSent():
            return (event.message,)
        case MessageEdited():
            return (event.on,)
        case MessagesImported():
            return range(event.first_id, event.last_id + 1)
    return ()


async def _prepare(runtime: Runtime, batch: LogBatch) -> tuple[Chunk, int]:
    """Make the entries of messages as they are now; a later edit has an event of its own."""
    ids = {id_ for entry in batch.entries for id_ in changed_messages(entry.event)}
    messages = await runtime.database.read(
        batch.app_id, lambda snapshot: messages_store.find_messages(snapshot, list(ids))
    )
    return await runtime.threads.run(partial(_make_chunk, batch, messages))


def _make_chunk(batch: LogBatch, messages: Mapping[int, Message]) -> tuple[Chunk, int]:
    """Make entries until `LARGEST_CHUNK`: it bounds how long the transaction holds up others."""
    chunk, size = Chunk(), 0
    for logged in batch.entries:
        for id_ in changed_messages(logged.event):
            entry = make_entry(messages[id_]) if id_ in messages else None
            chunk.message_ids.add(id_)
            if entry is not None:
                chunk.entries[id_] = entry
                size += len(entry.terms)
        if size > LARGEST_CHUNK:
            return chunk, logged.number
    return chunk, batch.upto


async def _apply(tx: Transaction, chunk: Chunk) -> None:
    slot = await store.take_slot(tx)
    present = await store.lock_present(tx, chunk.message_ids)
    await store.put_entries(tx, slot, present, chunk.entries)
