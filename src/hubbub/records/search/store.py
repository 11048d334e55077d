"""The search index: the table `message_entries`, and the apps' slots in `search_positions`."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from hubbub.records.search.model import SCOPE_MARKS, Entry
from hubbub.storage.dialect import Terms
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)

MESSAGE_BITS = 40
"""The lower bits of an entry's rowid are the message's id, the upper bits the app's slot."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The range of rowids that the entries of one app have, and the terms that name its scopes."""

    number: int

    @property
    def first(self) -> int:
        """The lowest rowid of the range: the rowid of an entry is this plus the message's id."""
        return self.number << MESSAGE_BITS

    @property
    def last(self) -> int:
        """The highest rowid of the range."""
        return self.first + (1 << MESSAGE_BITS) - 1

    def app_term(self) -> str:
        """Return the term that all entries of the app have."""
        return f"{SCOPE_MARKS[0]}{self.number}"

    def conversation_term(self, conversation: int) -> str:
        """Return the term that all entries of a conversation have."""
        return f"{SCOPE_MARKS[0]}{self.number}{SCOPE_MARKS[1]}{conversation}"


async def find_slot(snapshot: Snapshot) -> Slot | None:
    """Return the app's slot; None if nothing of the app was indexed yet."""
    row = await snapshot.fetch_one(SQL.find_slot)
    return Slot(*row) if row else None


async def take_slot(tx: Transaction) -> Slot:
    """Return the app's slot, the next free one if it has none."""
    while (slot := await find_slot(tx)) is None:
        await tx.run(SQL.insert_slot)
    return slot


async def lock_present(tx: Transaction, message_ids: Iterable[int]) -> set[int]:
    """Return the ids of messages that exist, locked so that they still do at the commit."""
    return {row[0] for row in await tx.fetch(SQL.lock_present, ids=sorted(message_ids))}


async def put_entries(
    tx: Transaction, slot: Slot, present: Collection[int], entries: Mapping[int, Entry]
) -> None:
    """Replace the entries of messages; a message without a new one has none any more."""
    await _delete(tx, slot, present)
    app = slot.app_term()
    await tx.run_many(
        SQL.insert_entry,
        [
            {
                "rowid": slot.first + message_id,
                "terms": f"{entry.terms} {app} {slot.conversation_term(entry.conversation)}",
            }
            for message_id, entry in entries.items()
            if message_id in present
        ],
    )


async def delete_entries(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Delete the entries of messages."""
    slot = await find_slot(tx)
    if slot is not None:
        await _delete(tx, slot, message_ids)


async def _delete(tx: Transaction, slot: Slot, message_ids: Iterable[int]) -> None:
    await tx.run(SQL.delete_entries, rowids=[slot.first + each for each in message_ids])


async def delete_entries_of_app(tx: Transaction, *, limit: int) -> int:
    """Delete up to `limit` entries of the app; return their number."""
    slot = await find_slot(tx)
    if slot is None:
        return 0
    return await tx.run(SQL.delete_entries_of_app, first=slot.first, last=slot.last, limit=limit)


async def find_entries(snapshot: Snapshot, slot: Slot, terms: Terms, *, limit: int) -> list[int]:
    """Return the ids of messages whose entries have `terms`, which name a scope within the slot."""
    rows = await snapshot.fetch(SQL.find_entries, terms=terms, limit=limit)
    return [row[0] - slot.first for row in rows]
