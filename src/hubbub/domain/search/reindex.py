"""Make the entries of an earlier version again, a piece at a time, between the rounds of the log.

Searches use the former entries of an app until all of its messages have new ones. Former entries
are deleted when no app needs them.
"""

import asyncio
from dataclasses import dataclass
from functools import partial

from hubbub.domain.search.index import (
    LARGEST_CHUNK,
    MOST_MESSAGES,
    NAME,
    Chunk,
    search_consumer,
    store_chunk,
)
from hubbub.kernel.each_app import for_each_app
from hubbub.outbox.consumer import find_position
from hubbub.records.search import store
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Reading, Snapshot, Transaction

PAUSE_SECONDS = 0.02
"""There is no hurry: the pause leaves most of the writer's time to requests."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The next messages of an app, down to the id `upto`."""

    former_upto: int
    upto: int
    position: int
    """The position of the consumer, which may store newer entries of the same messages."""
    chunk: Chunk


async def index_all(runtime: Runtime) -> None:
    """Index the logs of all apps to their ends, and make former entries again."""
    await search_consumer(runtime).consume_all()
    while await reindex_piece(runtime):
        await asyncio.sleep(PAUSE_SECONDS)
        await search_consumer(runtime).consume_all()
    await _delete_former_entries(runtime)


async def reindex_piece(
    runtime: Runtime, *, most_messages: int = MOST_MESSAGES, largest_chunk: int = LARGEST_CHUNK
) -> bool:
    """Make the next former entries of each app again, newest first; return whether one had any."""
    app_ids = await runtime.database.read(INSTALLATION, store.list_former_apps)
    is_cut = not runtime.database.cuts_entries
    read = partial(read_piece, is_cut=is_cut, most=most_messages, largest=largest_chunk)
    failed = await for_each_app(app_ids, partial(_reindex_app, runtime, read), name="reindex_piece")
    return len(failed) < len(app_ids)


async def _reindex_app(runtime: Runtime, read: Reading[Piece], app_id: str) -> None:
    piece = await runtime.database.read(app_id, read)
    await runtime.database.write(app_id, partial(store_piece, piece))


async def read_piece(
    snapshot: Snapshot, *, is_cut: bool, most: int = MOST_MESSAGES, largest: int = LARGEST_CHUNK
) -> Piece:
    """Read the next messages and make their entries."""
    slot = await store.find_slot(snapshot) or store.Slot(0)
    upto, chunk = slot.former_upto, Chunk()
    first = max(1, upto - most + 1)
    sources = await store.list_sources(snapshot, range(first, upto + 1))
    while upto >= first and chunk.size <= largest:
        chunk.add(upto, sources.get(upto), is_cut=is_cut)
        upto -= 1
    chunk.replaced = chunk.message_ids  # those that were edited since have an entry
    return Piece(slot.former_upto, upto, await find_position(snapshot, NAME), chunk)


async def store_piece(piece: Piece, tx: Transaction) -> None:
    """Store the entries, unless the consumer or another piece stored some since they were made."""
    slot, position = await store.find_slot(tx), await find_position(tx, NAME)
    if slot is not None and (slot.former_upto, position) == (piece.former_upto, piece.position):
        await store_chunk(tx, slot, piece.chunk)
        await store.store_former_upto(tx, piece.upto)


async def _delete_former_entries(runtime: Runtime) -> None:
    """Delete the former entries of all apps, if none of them needs them any more."""
    if await runtime.database.read(INSTALLATION, store.list_former_apps):
        return
    if await runtime.database.read(INSTALLATION, store.has_former_entries):
        await runtime.database.write(INSTALLATION, store.delete_all_former_entries)
