"""The table `reminders`."""

from collections.abc import Collection, Sequence

from hubbub.kernel.clock import NEVER
from hubbub.kernel.pages import PageRequest
from hubbub.records.reminders.model import Reminder
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__, reminder_columns=Reminder)


async def store_reminders(tx: Transaction, reminders: Sequence[Reminder]) -> None:
    """Store reminders; the queue of the app is due by then."""
    await tx.run_many(SQL.store_reminder, reminders)


async def find_reminder(snapshot: Snapshot, uid: str, message_id: int) -> Reminder | None:
    """Return a user's reminder of a message."""
    row = await snapshot.fetch_one(SQL.find_reminder, uid=uid, message=message_id)
    return Reminder(*row) if row else None


async def lock_reminders(
    tx: Transaction, keys: Collection[tuple[str, int]]
) -> dict[tuple[str, int], Reminder]:
    """Lock reminders until the commit; return them by user and message."""
    uids, messages = {uid for uid, _ in keys}, {message for _, message in keys}
    rows = await tx.fetch(SQL.lock_reminders, uids=sorted(uids), messages=sorted(messages))
    return {found.key: found for found in (Reminder(*row) for row in rows)}


async def list_due(snapshot: Snapshot, now: int, *, limit: int) -> list[Reminder]:
    """Return reminders that are due, in milliseconds, in their order."""
    rows = await snapshot.fetch(SQL.list_due, now=now, limit=limit)
    return [Reminder(*row) for row in rows]


async def find_next_due(snapshot: Snapshot) -> int:
    """Return when the first reminder of the app is due, in milliseconds; `NEVER` if none is."""
    row = await snapshot.fetch_one(SQL.find_next_due)
    return NEVER if row is None or row[0] is None else int(row[0])


async def count_reminders(snapshot: Snapshot, uid: str) -> int:
    """Return how many reminders a user has."""
    row = await snapshot.fetch_one(SQL.count_of_user, uid=uid)
    return int(row[0]) if row else 0


async def list_reminders(snapshot: Snapshot, uid: str, page: PageRequest) -> list[Reminder]:
    """Return a page of a user's reminders, in the order of their times."""
    rows = await snapshot.fetch(SQL.list_of_user, uid=uid, limit=page.per_page, offset=page.offset)
    return [Reminder(*row) for row in rows]


async def delete_reminders(tx: Transaction, reminders: Sequence[Reminder]) -> None:
    """Delete reminders."""
    keys = [{"uid": each.uid, "message": each.message} for each in reminders]
    await tx.run_many(SQL.delete_reminder, keys)


async def delete_of_user(tx: Transaction, uid: str) -> None:
    """Delete all reminders of a user."""
    await tx.run(SQL.delete_of_user, uid=uid)


async def delete_of_messages(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Delete the reminders of messages that are deleted permanently."""
    await tx.run(SQL.delete_of_messages, messages=list(message_ids))
