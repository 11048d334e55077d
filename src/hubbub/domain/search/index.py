"""Keep the search index: a consumer of the log that indexes sent, imported and edited messages.

Searches read the events beyond its position themselves, so they never miss a message. An entry is
deleted in the transaction that permanently deletes its message.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from hubbub.outbox.consumer import Consumer, find_position
from hubbub.outbox.log import LogBatch, read_log
from hubbub.records.messages.events import MessageEdited, MessageSent, MessagesImported
from hubbub.records.search import store
from hubbub.records.search.entry import Entry, make_entry
from hubbub.records.search.model import Source
from hubbub.records.search.store import Slot
from hubbub.runtime import Runtime
from hubbub.storage.interface import Event, Snapshot, Transaction

NAME = "search"
KINDS = (MessageSent, MessageEdited, MessagesImported)
MOST_MESSAGES = 500
"""Of the events of a batch, so many messages are read; an event may be of many."""
LARGEST_CHUNK = 20_000
"""A chunk ends with the first event that brings it above this many terms: some 5 ms."""


@dataclass(slots=True)
class Chunk:
    """Messages that events changed, and their new entries by message id."""

    message_ids: set[int] = field(default_factory=set)
    entries: dict[int, Entry] = field(default_factory=dict)
    size: int = 0

    def add(self, message_id: int, source: Source | None, *, is_cut: bool) -> None:
        """Add a message and its entry, if it has one."""
        self.message_ids.add(message_id)
        entry = make_entry(source, is_cut=is_cut) if source is not None else None
        if entry is not None:
            self.entries[message_id] = entry
            self.size += entry.size


def search_consumer(runtime: Runtime) -> Consumer[Chunk]:
    """Return the consumer that keeps the search index."""
    return Consumer(NAME, KINDS, runtime.database, partial(_prepare, runtime), _apply)


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
    batch = _shorten(batch)
    ids = {id_ for entry in batch.entries for id_ in changed_messages(entry.event)}
    sources = await runtime.database.read(
        batch.app_id, lambda snapshot: store.list_sources(snapshot, ids)
    )
    is_cut = not runtime.database.cuts_entries
    return await runtime.threads.run(partial(_make_chunk, batch, sources, is_cut=is_cut))


def _shorten(batch: LogBatch) -> LogBatch:
    """Return the events up to the first that brings their messages above `MOST_MESSAGES`."""
    count = 0
    for place, entry in enumerate(batch.entries, 1):
        count += len(changed_messages(entry.event))
        if count > MOST_MESSAGES:
            return replace(batch, upto=entry.number, entries=batch.entries[:place])
    return batch


def _make_chunk(
    batch: LogBatch, sources: Mapping[int, Source], *, is_cut: bool
) -> tuple[Chunk, int]:
    """Make entries until `LARGEST_CHUNK`: it bounds how long the transaction holds up others."""
    chunk = Chunk()
    for logged in batch.entries:
        for id_ in changed_messages(logged.event):
            chunk.add(id_, sources.get(id_), is_cut=is_cut)
        if chunk.size > LARGEST_CHUNK:
            return chunk, logged.number
    return chunk, batch.upto


async def _apply(tx: Transaction, chunk: Chunk) -> None:
    await store_chunk(tx, await store.take_slot(tx), chunk)


async def store_chunk(tx: Transaction, slot: Slot, chunk: Chunk) -> None:
    """Store the entries of those messages that still exist."""
    present = await store.lock_present(tx, chunk.message_ids)
    await store.put_entries(tx, slot, present, chunk.entries)
