"""The table `message_versions`."""

from collections.abc import Collection

import msgspec

from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.history.model import MessageVersion
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__, version_columns=MessageVersion)


async def insert_version(tx: Transaction, version: MessageVersion) -> None:
    """Insert what a message was before an edit."""
    await tx.run(SQL.insert_version, **msgspec.structs.asdict(version))


async def list_versions(
    snapshot: Snapshot, message_id: int, *, limit: int, offset: int
) -> list[MessageVersion]:
    """Return former versions of a message, newest first."""
    rows = await snapshot.fetch(SQL.list_versions, message=message_id, limit=limit, offset=offset)
    return [MessageVersion(*row) for row in rows]


async def count_versions(snapshot: Snapshot, message_id: int) -> int:
    """Return the number of former versions of a message."""
    rows = await snapshot.fetch(SQL.count_versions, message=message_id)
    return int(rows[0][0])


async def delete_of_messages(tx: Transaction, message_ids: Collection[int]) -> None:
    """Delete the former versions of messages."""
    await tx.run(SQL.delete_of_messages, ids=list(message_ids))


async def forget_writer(tx: Transaction, uid: str, *, upto: int, limit: int) -> int:
    """Set the writer to the app in versions of others' messages, up to an event.

    A user's own messages are erased with all their versions before. Returns the number of versions
    changed, `limit` at most.
    """
    rows = await tx.fetch(SQL.list_written_by, uid=uid, upto=upto, limit=limit)
    changed = [{"message": row[0], "number": row[1], "by": SYSTEM_UID} for row in rows]
    await tx.run_many(SQL.set_written_by, changed)
    return len(changed)
