"""The table `scheduled_queues`: when something that is scheduled in an app is due."""

from collections.abc import Sequence
from dataclasses import asdict

from hubbub.outbox.work.queue import Bounds, Due
from hubbub.records.scheduled.model import ScheduledQueue
from hubbub.records.scheduled.store import SQL
from hubbub.storage.interface import Snapshot, Transaction


async def open_queue(tx: Transaction, kind: str, due_at: int, *, now: int) -> int:
    """Make a queue due at a time, in milliseconds, if it is not due earlier, and lock it.

    Return the next place in the order of what is due at the same time.
    """
    await tx.run_many(SQL.open_queue, [{"kind": kind, "due_at": due_at, "now": now}])
    row = await tx.fetch_one(SQL.find_place, kind=kind)
    assert row is not None
    return int(row[0])


async def lock_queue(tx: Transaction, kind: str) -> ScheduledQueue | None:
    """Lock a queue until the commit, and return it."""
    row = await tx.fetch_one(SQL.lock_queue, kind=kind)
    return ScheduledQueue(*row) if row else None


async def store_queue(tx: Transaction, queue: ScheduledQueue) -> None:
    """Store a changed queue, which is locked."""
    await tx.run(SQL.store_queue, **asdict(queue))


async def list_due_queues(snapshot: Snapshot, bounds: Bounds) -> Sequence[Due[str]]:
    """Return queues of any app that are due and that nobody works on."""
    return [Due(*row) for row in await snapshot.fetch(SQL.list_due_queues, **bounds)]
