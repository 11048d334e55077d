"""The search index: the table `message_entries`, and the apps' slots in `search_positions`.

Entries that SQLite had in earlier versions are in `former_message_entries` until they are made
again.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from hubbub.records.search import trigrams, words
from hubbub.records.search.entry import IndexEntry
from hubbub.records.search.model import IndexedText, Scope
from hubbub.storage.dialect import SearchTerms
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)

MESSAGE_BITS = 40
"""The lower bits of an entry's rowid are the message's id, the upper bits the app's slot."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The range of rowids that the entries of one app have."""

    number: int
    former_upto: int = 0
    """Messages up to this id are found by their former entries; 0 if none are."""

    @property
    def first(self) -> int:
        """The lowest rowid of the range: the rowid of an entry is this plus the message's id."""
        return self.number << MESSAGE_BITS

    @property
    def last(self) -> int:
        """The highest rowid of the range."""
        return self.first + (1 << MESSAGE_BITS) - 1


async def find_slot(snapshot: Snapshot) -> Slot | None:
    """Return the app's slot; None if nothing of the app was indexed yet."""
    row = await snapshot.fetch_one(SQL.find_slot)
    return Slot(*row) if row else None


async def take_slot(tx: Transaction) -> Slot:
    """Return the app's slot, the next free one if it has none."""
    while (slot := await find_slot(tx)) is None:
        await tx.run(SQL.insert_slot)
    return slot


async def list_sources(snapshot: Snapshot, message_ids: Iterable[int]) -> dict[int, IndexedText]:
    """Return what the entries of messages are made of; of erased ones nothing."""
    rows = await snapshot.fetch_many(SQL.list_sources, list(_ranges(message_ids)))
    return {row[0]: IndexedText(*row) for row in rows}


async def lock_present(tx: Transaction, message_ids: Iterable[int]) -> set[int]:
    """Return the ids of messages that exist, locked so that they still do at the commit."""
    rows = await tx.fetch_many(SQL.lock_present, list(_ranges(message_ids)))
    return {row[0] for row in rows}


def _ranges(ids: Iterable[int]) -> Iterator[dict[str, int]]:
    """Yield the ranges of consecutive ids, ascending."""
    for _, group in groupby(enumerate(sorted(ids)), key=lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in group]
        yield {"first": numbers[0], "last": numbers[-1]}


async def put_entries(
    tx: Transaction,
    slot: Slot,
    present: Collection[int],
    entries: Mapping[int, IndexEntry],
    replaced: Collection[int] = (),
) -> None:
    """Store the entries of messages; those that may have one, `replaced`, lose it.

    In the order of their ids: FTS5 writes what it has collected when a rowid is lower than the one
    before.
    """
    if replaced:
        await tx.run(SQL.delete_entries, rowids=[slot.first + each for each in sorted(replaced)])
    await tx.run_many(
        SQL.insert_entry,
        [
            {"rowid": slot.first + message_id, "terms": entry.text_in(slot.number)}
            for message_id, entry in sorted(entries.items(), key=itemgetter(0))
            if message_id in present
        ],
    )


async def delete_entries(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Delete the entries of messages."""
    slot = await find_slot(tx)
    if slot is None:
        return
    rowids = [slot.first + each for each in message_ids]
    for query in (SQL.delete_entries, SQL.delete_former_entries):
        await tx.run(query, rowids=rowids)


async def delete_entries_of_app(tx: Transaction, *, limit: int) -> int:
    """Delete up to `limit` entries of the app; return their number."""
    slot = await find_slot(tx)
    if slot is None:
        return 0
    count = 0
    for query in (SQL.delete_entries_of_app, SQL.delete_former_entries_of_app):
        count += await tx.run(query, first=slot.first, last=slot.last, limit=limit - count)
    return count


def conditions_of(text: str, scopes: Sequence[Scope]) -> list[SearchTerms]:
    """Return what entries in any of `scopes` have that hold a text: the conditions to try in turn.

    Each finds fewer entries than the one before, or is faster; without any, the index can't help.
    """
    of_text = trigrams.condition_of(text, scopes)
    return [SearchTerms(of_text, of_words) for of_words in words.conditions_of(text, scopes)]


async def find_entries(
    snapshot: Snapshot, slot: Slot, terms: SearchTerms, *, most: int
) -> set[int] | None:
    """Return the ids of messages whose entries have `terms`, which name a scope within the slot.

    None if there are more than `most`, those of other apps that share the terms included.
    """
    rows = await snapshot.fetch(SQL.find_entries, terms=terms, limit=most + 1)
    if slot.former_upto:
        rows += await snapshot.fetch(SQL.find_former_entries, terms=terms.of_words, limit=most + 1)
    if len(rows) > most:
        return None
    return {row[0] - slot.first for row in rows if slot.first <= row[0] <= slot.last}


async def list_former_apps(snapshot: Snapshot) -> list[str]:
    """Return the apps that are searched by their former entries, too."""
    return [row[0] for row in await snapshot.fetch(SQL.list_former_apps)]


async def store_former_upto(tx: Transaction, message_id: int) -> None:
    """Store that messages beyond an id are found without their former entries."""
    await tx.run(SQL.store_former_upto, upto=message_id)


async def has_former_entries(snapshot: Snapshot) -> bool:
    """Return whether there are former entries of any app."""
    return await snapshot.fetch_one(SQL.find_any_former_entry) is not None


async def delete_all_entries(tx: Transaction) -> None:
    """Delete the entries of all apps, the former ones too."""
    await tx.run(SQL.empty_entries)
    await delete_all_former_entries(tx)


async def delete_all_former_entries(tx: Transaction) -> None:
    """Delete the former entries of all apps."""
    await tx.run(SQL.empty_former_entries)
