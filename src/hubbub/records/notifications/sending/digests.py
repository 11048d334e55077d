"""Digests, e-mails and SMS about unread messages: when they are due, and how many were sent."""

from collections.abc import Collection, Sequence
from dataclasses import asdict

from hubbub.kernel.clock import NEVER
from hubbub.records.messages.events import MessageSent
from hubbub.records.notifications.sending.model import UNREAD, PendingDigest, Sum
from hubbub.records.notifications.sending.store import SQL, open_queue
from hubbub.storage.interface import Row, Snapshot, Transaction


async def await_unread(tx: Transaction, pending: Sequence[PendingDigest], now: int) -> None:
    """Have digests written when they are due; those that are awaited already stay."""
    await open_queue(tx, UNREAD, min(each.due_at for each in pending), now=now)
    await tx.run_many(SQL.await_unread, _list_earliest(pending))


def _list_earliest(pending: Sequence[PendingDigest]) -> list[PendingDigest]:
    """Return of each person, conversation and channel the digest that is due first."""
    earliest: dict[tuple[str, str, int], PendingDigest] = {}
    for each in pending:
        key = each.channel, each.uid, each.conversation
        if key not in earliest or each.due_at < earliest[key].due_at:
            earliest[key] = each
    return list(earliest.values())


async def find_next_unread(snapshot: Snapshot) -> int:
    """Return when the first digest is due, in milliseconds; `NEVER` if none is."""
    row = await snapshot.fetch_one(SQL.find_next_unread, before=NEVER)
    return NEVER if row is None or row[0] is None else row[0]


async def hurry_unread(tx: Transaction, channel: str, latest: int) -> None:
    """Make the digests of a channel due at `latest`, in milliseconds, that are due later."""
    await tx.run(SQL.hurry_unread, channel=channel, latest=latest, before=NEVER)


async def list_due_unread(snapshot: Snapshot, now: int, *, limit: int) -> list[PendingDigest]:
    """Return the digests of an app that are to be written now."""
    rows = await snapshot.fetch(SQL.list_due_unread, now=now, limit=limit)
    return [PendingDigest(*row) for row in rows]


async def lock_unread(tx: Transaction, pending: PendingDigest) -> PendingDigest | None:
    """Lock what is stored of a pending digest until the commit, and return it."""
    row = await tx.fetch_one(
        SQL.lock_unread,
        channel=pending.channel,
        uid=pending.uid,
        conversation=pending.conversation,
    )
    return PendingDigest(*row) if row else None


async def store_unread(tx: Transaction, pending: PendingDigest) -> None:
    """Store what has become of a pending digest."""
    await tx.run(SQL.store_unread, **_without(asdict(pending), "since"))


async def has_over(snapshot: Snapshot, before: int) -> bool:
    """Return whether anything has waited for no message since a time, in seconds."""
    return await snapshot.fetch_one(SQL.find_over_unread, before=before) is not None


async def delete_over(tx: Transaction, before: int, *, limit: int) -> None:
    """Delete what has waited for no message since a time; the next message makes a new one."""
    await tx.run(SQL.delete_over_unread, before=before, limit=limit)


async def list_unread_messages(
    snapshot: Snapshot, pending: PendingDigest, after: int, *, limit: int
) -> list[MessageSent]:
    """Return messages that a user has been sent in a conversation, as they were announced."""
    rows = await snapshot.fetch(
        SQL.list_unread_messages,
        conversation=pending.conversation,
        uid=pending.uid,
        since=pending.since,
        after=after,
        limit=limit,
    )
    return [_event_of(row) for row in rows]


async def find_sent(snapshot: Snapshot, message_id: int) -> MessageSent | None:
    """Return a message as it was announced; None if there is none, or it was deleted."""
    row = await snapshot.fetch_one(SQL.find_sent, id=message_id)
    return _event_of(row) if row else None


async def list_sent(snapshot: Snapshot, message_ids: Collection[int]) -> list[MessageSent]:
    """Return messages as they were announced, without those that were deleted since."""
    rows = await snapshot.fetch(SQL.list_sent, ids=list(message_ids))
    return [_event_of(row) for row in rows]


async def find_read(snapshot: Snapshot, conversation: int, uid: str) -> int:
    """Return the id up to which a user has read a conversation."""
    row = await snapshot.fetch_one(SQL.find_read, conversation=conversation, uid=uid)
    return row[0] if row else 0


async def list_sums(snapshot: Snapshot, channel: str, uid: str, day: str) -> dict[int, int]:
    """Return how many a person was sent on one of their days, by conversation."""
    rows = await snapshot.fetch(SQL.list_sums, channel=channel, uid=uid, day=day)
    return {row[0]: row[1] for row in rows}


async def count_sent(tx: Transaction, sums: Sequence[Sum]) -> None:
    """Count digests that are sent."""
    await tx.run_many(SQL.count_sent, sums)


async def has_old_sums(snapshot: Snapshot, day: str) -> bool:
    """Return whether there are counts of days before one."""
    return await snapshot.fetch_one(SQL.find_old_sum, day=day) is not None


async def delete_old_sums(tx: Transaction, day: str) -> None:
    """Delete the counts of days before one."""
    await tx.run(SQL.delete_old_sums, day=day)


async def list_unsubscribed(snapshot: Snapshot, channel: str, uids: Collection[str]) -> set[str]:
    """Return who of them wants nothing on a channel."""
    rows = await snapshot.fetch(SQL.list_unsubscribed, channel=channel, uids=list(uids))
    return {uid for (uid,) in rows}


async def unsubscribe(tx: Transaction, uid: str, channel: str) -> None:
    """Write to a person on a channel no more."""
    await tx.run(SQL.unsubscribe, uid=uid, channel=channel)


async def subscribe(tx: Transaction, uid: str, channel: str) -> None:
    """Write to a person on a channel again."""
    await tx.run(SQL.subscribe, uid=uid, channel=channel)


async def forget_unread(tx: Transaction, uid: str) -> None:
    """Delete what was to be written to a deleted user, and what was kept to decide on it."""
    await tx.run(SQL.forget_unread, uid=uid)
    await tx.run(SQL.forget_unsubscribed, uid=uid)
    await tx.run(SQL.forget_sums, uid=uid)


def _without(values: dict[str, object], name: str) -> dict[str, object]:
    return {key: value for key, value in values.items() if key != name}


def _event_of(row: Row) -> MessageSent:
    id_, conversation, sender, receiver_type, receiver, counts, shows, ordinal, sent_at = row
    return MessageSent(
        message=id_,
        conversation=conversation,
        sender=sender,
        receiver_type=receiver_type,
        receiver=receiver,
        counts=bool(counts),
        shows=bool(shows),
        counted=ordinal,
        at=sent_at,
    )
