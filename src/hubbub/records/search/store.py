"""The tables `message_entries` and `search_positions`."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from hubbub.records.search.model import PLACE_MARKS, Entry
from hubbub.storage.dialect import Terms
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)

MESSAGE_BITS = 40
"""Of an entry's id the lower bits are the message's id, the upper ones the app's slot."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far an app's log was indexed, and where its entries are."""

    slot: int
    event: int

    @property
    def first(self) -> int:
        """What is added to a message's id to be its entry's."""
        return self.slot << MESSAGE_BITS

    @property
    def last(self) -> int:
        """The highest id that an entry of the app can have."""
        return self.first + (1 << MESSAGE_BITS) - 1

    def app_term(self) -> str:
        """What all entries of the app have."""
        return f"{PLACE_MARKS[0]}{self.slot}"

    def conversation_term(self, number: int) -> str:
        """What all entries of a conversation have."""
        return f"{PLACE_MARKS[0]}{self.slot}{PLACE_MARKS[1]}{number}"


async def find_position(snapshot: Snapshot) -> Position | None:
    """How far the app's log was indexed; None: not at all."""
    row = await snapshot.fetch_one(SQL.find_position)
    return Position(*row) if row else None


async def lock_position(tx: Transaction) -> Position | None:
    """The same, for the one who goes on with it; None: another one is at it."""
    row = await tx.fetch_one(SQL.lock_position)
    if row is None:
        await tx.run(SQL.insert_position)
        row = await tx.fetch_one(SQL.lock_position)
    return Position(*row) if row else None


async def advance_position(tx: Transaction, event: int) -> None:
    """Note that the log was indexed up to an event."""
    await tx.run(SQL.advance_position, event=event)


async def list_behind(snapshot: Snapshot, *, limit: int) -> list[str]:
    """Some of the apps whose log goes on beyond what was indexed."""
    return [row[0] for row in await snapshot.fetch(SQL.list_behind, limit=limit)]


async def list_events(snapshot: Snapshot, after: int, *, limit: int) -> list[tuple[int, str, str]]:
    """Number, name and body of the events beyond a position."""
    rows = await snapshot.fetch(SQL.list_events, after=after, limit=limit)
    return [(row[0], row[1], row[2]) for row in rows]


async def lock_present(tx: Transaction, message_ids: Iterable[int]) -> set[int]:
    """Those messages that are there, which nobody deletes until the commit."""
    return {row[0] for row in await tx.fetch(SQL.lock_present, ids=sorted(message_ids))}


async def put_entries(
    tx: Transaction, position: Position, present: Collection[int], entries: Mapping[int, Entry]
) -> None:
    """Have messages found by these entries, and by no earlier ones; without one, by nothing."""
    await _delete(tx, position, present)
    app = position.app_term()
    await tx.run_many(
        SQL.insert_entry,
        [
            {
                "rowid": position.first + message_id,
                "terms": f"{entry.terms} {app} {position.conversation_term(entry.conversation)}",
            }
            for message_id, entry in entries.items()
            if message_id in present
        ],
    )


async def delete_entries(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Let messages be found by nothing any more."""
    position = await find_position(tx)
    if position is not None:
        await _delete(tx, position, message_ids)


async def _delete(tx: Transaction, position: Position, message_ids: Iterable[int]) -> None:
    await tx.run(SQL.delete_entries, rowids=[position.first + each for each in message_ids])


async def delete_entries_of_app(tx: Transaction, *, limit: int) -> int:
    """Remove up to `limit` of the app's entries; returns how many there were."""
    position = await find_position(tx)
    if position is None:
        return 0
    return await tx.run(
        SQL.delete_entries_of_app, first=position.first, last=position.last, limit=limit
    )


async def find_entries(
    snapshot: Snapshot, position: Position, terms: Terms, *, limit: int
) -> list[int]:
    """The messages whose entries have those terms, which name the app or conversations of it."""
    rows = await snapshot.fetch(SQL.find_entries, terms=terms, limit=limit)
    return [row[0] - position.first for row in rows]
