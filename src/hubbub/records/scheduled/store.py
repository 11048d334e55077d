"""The table `scheduled_messages`."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from hubbub.kernel.clock import NEVER
from hubbub.kernel.pages import PageRequest
from hubbub.records.scheduled.model import STATUSES, ScheduledMessage, ScheduledQueue
from hubbub.storage.interface import Row, Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__, queue_columns=ScheduledQueue, scheduled_columns=ScheduledMessage)


def _opened(row: Row) -> ScheduledMessage:
    found = ScheduledMessage(*row)
    return replace(found, is_by_token=bool(found.is_by_token))


async def insert_scheduled(tx: Transaction, scheduled: ScheduledMessage) -> None:
    """Insert a message to be sent later; its queue is due by then, and locked."""
    await tx.run_many(SQL.insert_scheduled, [scheduled])


async def store_scheduled(tx: Transaction, scheduled: Sequence[ScheduledMessage]) -> None:
    """Store changed messages, which are locked."""
    await tx.run_many(SQL.store_scheduled, scheduled)


async def delete_scheduled(tx: Transaction, ids: Collection[str]) -> int:
    """Delete messages by id; return the number of rows."""
    return await tx.run(SQL.delete_scheduled, ids=sorted(ids)) if ids else 0


async def find_scheduled(snapshot: Snapshot, scheduled_id: str) -> ScheduledMessage | None:
    """Return the message with an id."""
    row = await snapshot.fetch_one(SQL.find_scheduled, id=scheduled_id)
    return _opened(row) if row else None


async def lock_scheduled(tx: Transaction, ids: Collection[str]) -> dict[str, ScheduledMessage]:
    """Lock messages until the commit; return them by id."""
    rows = await tx.fetch(SQL.lock_scheduled, ids=sorted(ids)) if ids else []
    return {found.id: found for found in map(_opened, rows)}


async def find_by_muid(snapshot: Snapshot, sender: str, muid: str) -> ScheduledMessage | None:
    """Return the message with a sender's muid."""
    row = await snapshot.fetch_one(SQL.find_by_muid, muid=muid, sender=sender)
    return _opened(row) if row else None


async def list_due(
    snapshot: Snapshot, now: int, *, busy: Collection[str], limit: int
) -> list[ScheduledMessage]:
    """Return messages that are due, in their order, but not those of the lanes in `busy`."""
    rows = await snapshot.fetch(SQL.list_due, now=now, busy=list(busy), limit=limit)
    return [_opened(row) for row in rows]


async def find_next_due(snapshot: Snapshot) -> int:
    """Return when the first message of the app is due, in milliseconds; `NEVER` if none is."""
    row = await snapshot.fetch_one(SQL.find_next_due)
    return NEVER if row is None or row[0] is None else int(row[0])


async def count_scheduled(
    snapshot: Snapshot, sender: str | None, statuses: Collection[str] = STATUSES
) -> int:
    """Return the number of messages, of one sender or of all."""
    if sender is None:
        row = await snapshot.fetch_one(SQL.count_all, statuses=list(statuses))
    else:
        row = await snapshot.fetch_one(SQL.count_of_sender, sender=sender, statuses=list(statuses))
    return int(row[0]) if row else 0


async def list_scheduled(
    snapshot: Snapshot, sender: str | None, statuses: Collection[str], page: PageRequest
) -> list[ScheduledMessage]:
    """Return a page of messages in the order of their times, of one sender or of all."""
    part = {"statuses": list(statuses), "limit": page.per_page, "offset": page.offset}
    if sender is None:
        rows = await snapshot.fetch(SQL.list_all, **part)
    else:
        rows = await snapshot.fetch(SQL.list_of_sender, sender=sender, **part)
    return [_opened(row) for row in rows]


async def delete_of_sender(tx: Transaction, sender: str) -> None:
    """Delete all messages of a sender."""
    rows = await tx.fetch(SQL.list_ids_of_sender, sender=sender)
    await delete_scheduled(tx, [row[0] for row in rows])


async def list_to_receiver(
    snapshot: Snapshot, receiver_type: str, receiver: str
) -> list[ScheduledMessage]:
    """Return the messages to a user or a group."""
    rows = await snapshot.fetch(
        SQL.list_to_receiver, receiver_type=receiver_type, receiver=receiver
    )
    return [_opened(row) for row in rows]


async def list_failed(snapshot: Snapshot, before: int, *, limit: int) -> list[str]:
    """Return the ids of messages that have failed before a time, the oldest first."""
    rows = await snapshot.fetch(SQL.list_failed_before, before=before, limit=limit)
    return [row[0] for row in rows]
