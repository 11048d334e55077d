"""The table `mentions`."""

from collections.abc import Mapping, Sequence

from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)


async def insert_mentions(tx: Transaction, mentions: Mapping[int, Sequence[str]]) -> None:
    """Store whom messages mention, by message id."""
    rows = [{"message": message, "uid": uid} for message, uids in mentions.items() for uid in uids]
    await tx.run_many(SQL.insert_mention, rows)


async def find_mentions(snapshot: Snapshot, message_ids: Sequence[int]) -> dict[int, list[str]]:
    """Whom messages mention, by message id."""
    if not message_ids:
        return {}
    found: dict[int, list[str]] = {}
    for message, uid in await snapshot.fetch(SQL.list_of_messages, messages=list(message_ids)):
        found.setdefault(message, []).append(uid)
    return found


async def delete_of_messages(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Remove the mentions in messages."""
    await tx.run(SQL.delete_of_messages, messages=list(message_ids))
