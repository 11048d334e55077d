"""The table `growing_messages`."""

from collections.abc import Collection, Sequence

import msgspec

from hubbub.records.growing.buffer import Growth
from hubbub.records.growing.model import GrowingRow, GrowingState, TextSoFar
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__, row_columns=GrowingRow, state_columns=GrowingState)
_decode_text = msgspec.json.Decoder(str).decode
_encode = msgspec.json.Encoder().encode


def encode_text(text: str) -> str:
    """Return a text as it is stored: as JSON, since PostgreSQL stores no NUL."""
    return _encode(text).decode()


def decode_text(stored: str) -> str:
    """Return a stored text."""
    return _decode_text(stored)


async def insert_growing(tx: Transaction, rows: Sequence[GrowingRow]) -> None:
    """Store messages that begin to grow."""
    await tx.run_many(SQL.insert_growing, rows)


async def find_growing(snapshot: Snapshot, message_id: int) -> GrowingRow | None:
    """Return what is stored of a message that grows; None if it does not."""
    row = await snapshot.fetch_one(SQL.find_growing, message=message_id)
    return GrowingRow(*row) if row else None


async def find_states(snapshot: Snapshot, message_ids: Collection[int]) -> dict[int, GrowingState]:
    """Return the states of those messages that grow, by id."""
    rows = await snapshot.fetch(SQL.list_states, ids=list(message_ids))
    states = [GrowingState(*row) for row in rows]
    return {state.message: state for state in states}


async def find_texts(snapshot: Snapshot, message_ids: Collection[int]) -> dict[int, TextSoFar]:
    """Return what there is of the texts of messages that grow, by id.

    That is what is stored, or what this node holds, which is newer.
    """
    rows = await snapshot.fetch(SQL.list_texts, ids=list(message_ids))
    found: dict[int, TextSoFar] = {}
    for message, sequence, text in rows:
        held = snapshot.unwritten.get(message) if snapshot.unwritten else None
        newer = held.read() if isinstance(held, Growth) else None
        if newer is None or newer.sequence < sequence:
            newer = TextSoFar(sequence, _decode_text(text))
        found[message] = newer
    return found


async def store_texts(tx: Transaction, rows: Sequence[object]) -> None:
    """Store texts so far, with their sequences and owners."""
    await tx.run_many(SQL.store_text, rows)


async def store_sequences(tx: Transaction, rows: Sequence[object]) -> None:
    """Store sequences and owners of texts that have not changed."""
    await tx.run_many(SQL.store_sequence, rows)


async def count_growing(snapshot: Snapshot, uids: Collection[str]) -> dict[str, int]:
    """Return how many messages of users grow, of those who have some."""
    rows = await snapshot.fetch(SQL.count_by_sender, uids=list(uids))
    return {str(uid): int(count) for uid, count in rows}


async def set_owner(tx: Transaction, message_id: int, owner: str, at: int) -> None:
    """Store the node that holds a message, and that it was touched, in milliseconds."""
    await tx.run(SQL.set_owner, message=message_id, owner=owner, touched_at=at)


async def set_stopped_by(tx: Transaction, message_id: int, by: str) -> None:
    """Store who has asked that a message stops."""
    await tx.run(SQL.set_stopped_by, message=message_id, by=by)


async def delete_of_messages(tx: Transaction, message_ids: Collection[int]) -> None:
    """Delete what is stored of messages that do not grow any more."""
    await tx.run(SQL.delete_of_messages, ids=list(message_ids))


async def list_apps(snapshot: Snapshot) -> list[str]:
    """Return the ids of the apps in which messages grow."""
    return [app_id for (app_id,) in await snapshot.fetch(SQL.list_apps)]


async def list_silent(snapshot: Snapshot, before: int, *, limit: int) -> list[GrowingRow]:
    """Return messages that nobody has touched since a time in milliseconds, oldest first."""
    rows = await snapshot.fetch(SQL.list_silent, before=before, limit=limit)
    return [GrowingRow(*row) for row in rows]
