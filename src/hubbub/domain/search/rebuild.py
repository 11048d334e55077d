"""Make the search index of a store anew, whose other tables are there: that of a copy."""

from collections.abc import Callable
from functools import partial

from hubbub.domain.search.index import NAME
from hubbub.domain.search.reindex import read_piece, store_piece
from hubbub.outbox.consumer import end_position, start_position
from hubbub.records.search import store
from hubbub.records.totals.store import find_kept
from hubbub.storage.interface import Database, Snapshot, Transaction

MOST_MESSAGES = 2_000
"""Of a piece: nobody waits for the writer meanwhile."""
LARGEST_CHUNK = 200_000


async def begin_rebuild(tx: Transaction) -> None:
    """Have all messages of the app indexed anew, those of the newest events included."""
    kept = await find_kept(tx)
    if kept is None:
        return
    await store.take_slot(tx)
    await store.store_former_upto(tx, kept.message)
    await end_position(tx, NAME)
    await start_position(tx, NAME, kept.event)


async def count_missing(snapshot: Snapshot) -> int:
    """Return how many messages of the app have no entry yet, with those that need none."""
    slot = await store.find_slot(snapshot)
    return slot.former_upto if slot is not None else 0


async def rebuild(database: Database, app_id: str, note: Callable[[int], None]) -> None:
    """Make the missing entries of an app; `note` is told how many messages were looked at."""
    missing = await database.read(app_id, count_missing)
    is_cut = not database.cuts_entries
    read = partial(read_piece, is_cut=is_cut, most=MOST_MESSAGES, largest=LARGEST_CHUNK)
    while missing:
        piece = await database.read(app_id, read)
        await database.write(app_id, partial(store_piece, piece), is_derived=True)
        note(missing - piece.upto)
        missing = piece.upto
