"""Keep the search index: a consumer of the log that indexes sent, imported and edited messages.

Searches read the events beyond its position themselves, so they never miss a message. An entry is
deleted in the transaction that permanently deletes its message.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import cast

import msgspec

from hubbub.outbox.consumer import Consumer, find_position
from hubbub.outbox.log import LogBatch, read_readable
from hubbub.records.growing.events import MessageGrown
from hubbub.records.messages.events import MessageEdited, MessageSent, MessagesImported
from hubbub.records.messages.model import Message
from hubbub.records.search import store
from hubbub.records.search.entry import Indexed, IndexEntry, make_entry
from hubbub.records.search.store import Slot
from hubbub.runtime import Runtime
from hubbub.storage.interface import Event, Snapshot, Transaction

NAME = "search"
KINDS = (MessageSent, MessageEdited, MessageGrown, MessagesImported)
BATCH_SIZE, BATCH_SIZE_OF_TERMS = 500, 200
"""The events of a batch: FTS5 writes and merges less than of several small ones. PostgreSQL, which
gets terms, locks rows meanwhile; for it each message is some 65 µs of work."""
MOST_MESSAGES = 500
"""Of the events of a batch, so many messages are read; an event may be of many."""
LARGEST_CHUNK = 20_000
"""A chunk ends with the first event that brings it above this many terms: some 5 ms."""

Change = tuple[int, Collection[int], bool]
"""The number of an event, the ids of the messages that it changed, and whether it is an edit."""


@dataclass(slots=True)
class Chunk:
    """Messages that events changed, and their new entries by message id."""

    message_ids: set[int] = field(default_factory=set)
    entries: dict[int, IndexEntry] = field(default_factory=dict)
    replaced: set[int] = field(default_factory=set)
    """The messages that may have an entry already."""
    size: int = 0

    def add(self, message_id: int, source: Indexed | None, *, is_cut: bool) -> None:
        """Add a message and its entry, if it has one."""
        self.message_ids.add(message_id)
        entry = make_entry(source, is_cut=is_cut) if source is not None else None
        if entry is not None:
            self.entries[message_id] = entry
            self.size += entry.size


def search_consumer(
    runtime: Runtime, *, most_messages: int = MOST_MESSAGES, largest_chunk: int = LARGEST_CHUNK
) -> Consumer[Chunk]:
    """Return the consumer that keeps the search index."""
    return Consumer(
        NAME,
        KINDS,
        runtime.database,
        partial(_prepare, runtime, most=most_messages, largest=largest_chunk),
        _apply,
        runtime.consumers[NAME],
        is_derived=True,
        batch_size=BATCH_SIZE if runtime.database.cuts_entries else BATCH_SIZE_OF_TERMS,
        kept=runtime.recent_events,
    )


async def list_unindexed(snapshot: Snapshot, *, limit: int) -> set[int] | None:
    """Return the ids of messages whose entry is missing or outdated; None beyond `limit` events."""
    after = await find_position(snapshot, NAME)
    batch = await read_readable(snapshot, after, KINDS, limit=limit + 1)
    if batch.upto - batch.after > limit:
        return None
    return set(chain.from_iterable(changed_messages(entry.event) for entry in batch.entries))


def changed_messages(event: Event) -> Collection[int]:
    """Return the ids of the messages whose text an event may have changed."""
    match event:
        case MessageSent() | MessageGrown():
            return (event.message,)
        case MessageEdited():
            return (event.on,)
        case MessagesImported():
            return range(event.first_id, event.last_id + 1)
    return ()


def _is_change(event: Event) -> bool:
    """Return whether an event is about a message that was stored before."""
    if isinstance(event, MessagesImported):
        return event.has_changed
    return isinstance(event, MessageEdited | MessageGrown)


async def _prepare(
    runtime: Runtime, batch: LogBatch, *, most: int, largest: int
) -> tuple[Chunk, int]:
    """Make the entries of messages as they are now, or were sent by this node.

    A later edit has an event of its own, and entries of messages that were erased are not stored.
    """
    changes = _list_changes(batch, most)
    upto = batch.upto if len(changes) == len(batch.entries) else changes[-1][0]
    sent = cast("Mapping[int, Message]", batch.about)
    sources: dict[int, Indexed] = {each.id: each for each in sent.values()}
    if changes:
        ids = set(chain.from_iterable(changed for _, changed, _ in changes))
        sources |= await runtime.database.read(
            batch.app_id, lambda snapshot: store.list_sources(snapshot, ids)
        )
    changes += [(number, (each.id,), False) for number, each in sent.items() if number <= upto]
    changes.sort(key=itemgetter(0))
    is_cut = not runtime.database.cuts_entries
    make = partial(_make_chunk, changes, sources, is_cut=is_cut, largest=largest)
    chunk, made_upto = await runtime.threads.run(batch.app_id, make)
    is_whole = not changes or made_upto == changes[-1][0]
    return chunk, upto if is_whole else made_upto


def _list_changes(batch: LogBatch, most: int) -> list[Change]:
    """Return the changes up to the first that brings their messages above `most`."""
    changes: list[Change] = []
    count = 0
    for number, _, event in map(msgspec.structs.astuple, batch.entries):
        changed = changed_messages(event)
        changes.append((number, changed, _is_change(event)))
        count += len(changed)
        if count > most:
            break
    return changes


def _make_chunk(
    changes: Sequence[Change], sources: Mapping[int, Indexed], *, is_cut: bool, largest: int
) -> tuple[Chunk, int]:
    """Make entries up to the `largest` size: it bounds how long the transaction holds up others."""
    chunk, upto = Chunk(), 0
    for number, changed, is_edit in changes:
        upto = number
        for id_ in changed:
            chunk.add(id_, sources.get(id_), is_cut=is_cut)
        if is_edit:
            chunk.replaced.update(changed)
        if chunk.size > largest:
            break
    return chunk, upto


async def _apply(tx: Transaction, chunk: Chunk) -> None:
    await store_chunk(tx, await store.take_slot(tx), chunk)


async def store_chunk(tx: Transaction, slot: Slot, chunk: Chunk) -> None:
    """Store the entries of those messages that still exist."""
    present = await store.lock_present(tx, chunk.message_ids)
    await store.put_entries(tx, slot, present, chunk.entries, chunk.replaced)
