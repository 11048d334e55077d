"""Deletion of old deliveries, and of those of deleted webhooks."""

from hubbub.kernel.clock import NEVER
from hubbub.records.webhooks.queues import close_partitions, lock_queue
from hubbub.records.webhooks.store import SQL, list_webhook_ids
from hubbub.storage.interface import Snapshot, Transaction


async def list_old(snapshot: Snapshot, *, before: int) -> dict[int, int]:
    """Return the webhooks that may have deliveries to delete, with the time before which."""
    present = await list_webhook_ids(snapshot)
    found: dict[int, int] = {}
    after = 0
    while (row := await snapshot.fetch_one(SQL.find_next_webhook, after=after)) and row[0]:
        after = row[0]
        found[after] = before if after in present else NEVER
    return found


async def delete_deliveries(tx: Transaction, webhook: int, *, before: int, limit: int) -> int:
    """Delete up to `limit` deliveries that are older, and their partitions; return their number."""
    await lock_queue(tx, webhook)
    rows = await tx.fetch(SQL.list_old_deliveries, webhook=webhook, before=before, limit=limit)
    if rows:
        created_at, event, part, _ = rows[-1]
        await tx.run(
            SQL.delete_old_deliveries,
            webhook=webhook,
            created_at=created_at,
            event=event,
            part=part,
        )
        await close_partitions(tx, webhook, {row[3] for row in rows})
    return len(rows)


async def has_old_bodies(snapshot: Snapshot, *, before: int) -> bool:
    """Return whether there are bodies that are older."""
    return await snapshot.fetch_one(SQL.find_old_body, before=before) is not None


async def delete_bodies(tx: Transaction, *, before: int, limit: int) -> int:
    """Delete some `limit` bodies that are older; return their number."""
    return await tx.run(SQL.delete_old_bodies, before=before, limit=limit)
