"""The table `mentions`."""

from collections.abc import Collection, Mapping, Sequence

from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)


async def insert_mentions(
    tx: Transaction, mentions: Mapping[int, Sequence[str]], number: int
) -> None:
    """Store mentioned uids by message id; `number` is the latest event number."""
    rows = [
        {"message": message, "uid": uid, "number": number}
        for message, uids in mentions.items()
        for uid in uids
    ]
    await tx.run_many(SQL.insert_mention, rows)


async def find_mentions(snapshot: Snapshot, message_ids: Sequence[int]) -> dict[int, list[str]]:
    """Return the mentioned uids by message id."""
    if not message_ids:
        return {}
    found: dict[int, list[str]] = {}
    for message, uid in await snapshot.fetch(SQL.list_of_messages, messages=list(message_ids)):
        found.setdefault(message, []).append(uid)
    return found


async def find_mentioning(snapshot: Snapshot, message_ids: Collection[int]) -> set[int]:
    """Return the ids of the messages that mention at least one user."""
    if not message_ids:
        return set()
    rows = await snapshot.fetch(SQL.list_mentioning, messages=list(message_ids))
    return {row[0] for row in rows}


async def delete_of_user(tx: Transaction, uid: str, *, upto: int, limit: int) -> set[int]:
    """Delete up to `limit` mentions of a user, up to an event; return their message ids."""
    rows = await tx.fetch(SQL.list_of_user, uid=uid, upto=upto, limit=limit)
    message_ids = {row[0] for row in rows}
    await tx.run(SQL.delete_of_user, uid=uid, messages=list(message_ids))
    return message_ids


async def delete_of_messages(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Delete the mentions in messages."""
    await tx.run(SQL.delete_of_messages, messages=list(message_ids))
