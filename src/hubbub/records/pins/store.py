"""The tables `message_pins` and `saved_messages`."""

from collections.abc import Collection, Sequence

from hubbub.records.pins.model import Pin, Save
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)


async def find_pin_times(snapshot: Snapshot, message_ids: Collection[int]) -> dict[int, int]:
    """Return the times of pins by message id, for the messages that are pinned."""
    if not message_ids:
        return {}
    rows = await snapshot.fetch(SQL.list_pins, messages=list(message_ids))
    return {row[0]: row[1] for row in rows}


async def count_pins(snapshot: Snapshot, conversation: int) -> int:
    """Return the number of pinned messages of a conversation."""
    row = await snapshot.fetch_one(SQL.count_pins, conversation=conversation)
    return int(row[0]) if row else 0


async def insert_pin(tx: Transaction, pin: Pin) -> None:
    """Store the pin of a message that is not pinned."""
    await tx.run_many(SQL.insert_pin, [pin])


async def delete_pins(tx: Transaction, message_ids: Sequence[int]) -> int:
    """Delete the pins of messages; return the number of rows."""
    return await tx.run(SQL.delete_pins, messages=list(message_ids))


async def find_save_times(
    snapshot: Snapshot, uid: str, message_ids: Collection[int]
) -> dict[int, int]:
    """Return the times at which a user saved messages by message id, for those that are saved."""
    if not message_ids:
        return {}
    rows = await snapshot.fetch(SQL.list_saves, uid=uid, messages=list(message_ids))
    return {row[0]: row[1] for row in rows}


async def find_saved(snapshot: Snapshot, message_ids: Collection[int]) -> set[int]:
    """Return the ids of the messages that at least one user has saved."""
    if not message_ids:
        return set()
    rows = await snapshot.fetch(SQL.list_saved, messages=list(message_ids))
    return {row[0] for row in rows}


async def count_saves(snapshot: Snapshot, uid: str) -> int:
    """Return the number of messages that a user has saved and still sees."""
    row = await snapshot.fetch_one(SQL.count_saves, uid=uid)
    return int(row[0]) if row else 0


async def insert_save(tx: Transaction, save: Save) -> None:
    """Store that a user saved a message that they had not saved."""
    await tx.run_many(SQL.insert_save, [save])


async def delete_saves(tx: Transaction, uid: str, message_ids: Sequence[int]) -> int:
    """Delete messages from those that a user has saved; return the number of rows."""
    return await tx.run(SQL.delete_save, uid=uid, messages=list(message_ids))


async def delete_of_messages(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Delete the pins and saves of messages that are deleted permanently."""
    await tx.run(SQL.delete_pins, messages=list(message_ids))
    await tx.run(SQL.delete_saves, messages=list(message_ids))


async def delete_pins_of_user(tx: Transaction, uid: str, *, upto: int, limit: int) -> list[int]:
    """Delete up to `limit` pins of a user, up to an event; return their message ids."""
    rows = await tx.fetch(SQL.list_pins_of_user, uid=uid, upto=upto, limit=limit)
    message_ids = [row[0] for row in rows]
    await delete_pins(tx, message_ids)
    return message_ids


async def delete_saves_of_user(tx: Transaction, uid: str, *, upto: int, limit: int) -> list[int]:
    """Delete up to `limit` saves of a user, up to an event; return their message ids."""
    rows = await tx.fetch(SQL.list_saves_of_user, uid=uid, upto=upto, limit=limit)
    message_ids = [row[0] for row in rows]
    await delete_saves(tx, uid, message_ids)
    return message_ids
