"""The tables `message_pins` and `saved_messages`."""

from collections.abc import Collection, Sequence

from hubbub.records.pins.model import Pin, Save
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)


async def find_pin_times(snapshot: Snapshot, message_ids: Collection[int]) -> dict[int, int]:
    """When messages were pinned, of those that are."""
    if not message_ids:
        return {}
    rows = await snapshot.fetch(SQL.list_pins, messages=list(message_ids))
    return {row[0]: row[1] for row in rows}


async def count_pins(snapshot: Snapshot, conversation: int) -> int:
    """How many messages of a conversation are pinned."""
    row = await snapshot.fetch_one(SQL.count_pins, conversation=conversation)
    return int(row[0]) if row else 0


async def insert_pin(tx: Transaction, pin: Pin) -> None:
    """Pin a message that is not pinned."""
    await tx.run(
        SQL.insert_pin,
        conversation=pin.conversation,
        message=pin.message,
        uid=pin.uid,
        number=pin.number,
        pinned_at=pin.pinned_at,
    )


async def delete_pins(tx: Transaction, message_ids: Sequence[int]) -> int:
    """Let messages be pinned no more; how many were."""
    return await tx.run(SQL.delete_pins, messages=list(message_ids))


async def find_save_times(
    snapshot: Snapshot, uid: str, message_ids: Collection[int]
) -> dict[int, int]:
    """When a user saved messages, of those that he did."""
    if not message_ids:
        return {}
    rows = await snapshot.fetch(SQL.list_saves, uid=uid, messages=list(message_ids))
    return {row[0]: row[1] for row in rows}


async def find_saved(snapshot: Snapshot, message_ids: Collection[int]) -> set[int]:
    """Those of the messages that anybody has saved."""
    if not message_ids:
        return set()
    rows = await snapshot.fetch(SQL.list_saved, messages=list(message_ids))
    return {row[0] for row in rows}


async def count_saves(snapshot: Snapshot, uid: str) -> int:
    """How many of the messages that a user saved he still sees."""
    row = await snapshot.fetch_one(SQL.count_saves, uid=uid)
    return int(row[0]) if row else 0


async def insert_save(tx: Transaction, save: Save) -> None:
    """Save a message that the user has not saved."""
    await tx.run(
        SQL.insert_save,
        uid=save.uid,
        message=save.message,
        number=save.number,
        saved_at=save.saved_at,
    )


async def delete_saves(tx: Transaction, uid: str, message_ids: Sequence[int]) -> int:
    """Let messages be saved by a user no more; how many were."""
    return await tx.run(SQL.delete_save, uid=uid, messages=list(message_ids))


async def delete_of_messages(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Remove what is pinned or saved of messages that go for good."""
    await tx.run(SQL.delete_pins, messages=list(message_ids))
    await tx.run(SQL.delete_saves, messages=list(message_ids))


async def delete_pins_of_user(tx: Transaction, uid: str, *, upto: int, limit: int) -> list[int]:
    """Remove up to `limit` pins of a user, up to an event; returns their messages."""
    rows = await tx.fetch(SQL.list_pins_of_user, uid=uid, upto=upto, limit=limit)
    message_ids = [row[0] for row in rows]
    await delete_pins(tx, message_ids)
    return message_ids


async def delete_saves_of_user(tx: Transaction, uid: str, *, upto: int, limit: int) -> list[int]:
    """Remove up to `limit` saves of a user, up to an event; returns their messages."""
    rows = await tx.fetch(SQL.list_saves_of_user, uid=uid, upto=upto, limit=limit)
    message_ids = [row[0] for row in rows]
    await delete_saves(tx, uid, message_ids)
    return message_ids
