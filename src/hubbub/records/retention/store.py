"""The tables `legal_holds`, `retention_rules`, `retention_queues` and `retention_runs`.

Whoever locks a queue and the counters of its app locks the counters first.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict

from hubbub.kernel.clock import NEVER
from hubbub.outbox.work.queue import Bounds, Due
from hubbub.records.messages.model import IS_GROWING
from hubbub.records.receipts.model import EVERYBODY, all_but, excepted_uid
from hubbub.records.retention.model import (
    APP,
    GROUP,
    USER,
    Aged,
    Ageing,
    LegalHold,
    ReadUpTo,
    RetentionQueue,
    RetentionRule,
    RetentionRun,
)
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(
    __package__,
    rule_columns=RetentionRule,
    queue_columns=RetentionQueue,
    run_columns=RetentionRun,
)
LATEST = 2**62
"""A time, and an id, after all messages."""


async def find_holds(
    snapshot: Snapshot, kinds: Collection[str], subjects: Collection[str]
) -> list[LegalHold]:
    """Return the holds of some kinds on some subjects."""
    rows = await snapshot.fetch(SQL.find_holds, kinds=list(kinds), subjects=list(subjects))
    return [LegalHold(*row) for row in rows]


async def is_held(snapshot: Snapshot, *, guid: str = "", uids: Collection[str] = ()) -> bool:
    """Return whether the app is on hold, or a group, or one of some people."""
    wanted = {(APP, ""), (GROUP, guid), *((USER, uid) for uid in uids)}
    subjects = {subject for _, subject in wanted}
    found = await find_holds(snapshot, (APP, GROUP, USER), subjects)
    return any((each.kind, each.subject) in wanted for each in found)


async def list_holds(snapshot: Snapshot, after: tuple[str, str], *, limit: int) -> list[LegalHold]:
    """Return up to `limit` holds, in the order of kind and subject, after one."""
    rows = await snapshot.fetch(SQL.list_holds, kind=after[0], subject=after[1], limit=limit)
    return [LegalHold(*row) for row in rows]


async def insert_hold(tx: Transaction, hold: LegalHold) -> bool:
    """Store a hold; return False if there is one already, which stays."""
    return await tx.run(SQL.insert_hold, **asdict(hold)) == 1


async def delete_hold(tx: Transaction, kind: str, subject: str) -> bool:
    """Delete a hold; return whether there was one."""
    return await tx.run(SQL.delete_hold, kind=kind, subject=subject) == 1


async def find_rule(snapshot: Snapshot, conversation: int) -> RetentionRule | None:
    """Return the rule of a conversation, if it has one."""
    row = await snapshot.fetch_one(SQL.find_rule, conversation=conversation)
    return RetentionRule(*row) if row else None


async def store_rule(tx: Transaction, rule: RetentionRule) -> None:
    """Store the rule of a conversation, in place of the one that it had."""
    await tx.run(SQL.store_rule, **asdict(rule))


async def list_due_rules(snapshot: Snapshot, now: int, *, limit: int) -> list[RetentionRule]:
    """Return rules that are due, the longest due first."""
    rows = await snapshot.fetch(SQL.list_due_rules, now=now, limit=limit)
    return [RetentionRule(*row) for row in rows]


async def find_next_rule(snapshot: Snapshot) -> int:
    """Return when a rule is due next, in milliseconds; `NEVER` if none is."""
    row = await snapshot.fetch_one(SQL.find_next_rule)
    return NEVER if row is None or row[0] is None else int(row[0])


async def has_days(snapshot: Snapshot) -> bool:
    """Return whether a conversation has days of its own that end."""
    return await snapshot.fetch_one(SQL.has_days) is not None


async def hurry_rules(tx: Transaction, now: int) -> None:
    """Make the rules due that wait for a time: it was computed with a clock that was wrong."""
    await tx.run(SQL.hurry_rules, now=now, never=NEVER)


async def put_off_rules(tx: Transaction, later: int) -> None:
    """Make no rule due before a time."""
    await tx.run(SQL.put_off_rules, later=later)


async def wake_rules(tx: Transaction, now: int) -> None:
    """Make all rules due by which messages may disappear: what holds for all has changed."""
    await tx.run(SQL.wake_rules, now=now)


async def adopt_rules(
    tx: Transaction, conversations: Sequence[int], *, since_id: int, due_at: int
) -> None:
    """Give conversations a rule that leaves all to the app, unless they have times of their own."""
    rows = [
        {"conversation": number, "since_id": since_id, "due_at": due_at} for number in conversations
    ]
    await tx.run_many(SQL.adopt_rule, rows)


async def list_numbers(snapshot: Snapshot, after: int, *, limit: int) -> list[int]:
    """Return the numbers of conversations after one, ascending."""
    return [row[0] for row in await snapshot.fetch(SQL.list_numbers, after=after, limit=limit)]


async def list_aged(snapshot: Snapshot, at: int, *, limit: int, only_with_days: bool) -> list[Aged]:
    """Return conversations from a number on with the age of their messages, ascending."""
    query = SQL.list_aged_by_rule if only_with_days else SQL.list_aged
    return [Aged(*row) for row in await snapshot.fetch(query, at=at, limit=limit)]


async def find_oldest(snapshot: Snapshot, conversation: int) -> int | None:
    """Return when the oldest message of a conversation was sent, if it has one."""
    row = await snapshot.fetch_one(SQL.find_oldest, conversation=conversation)
    return int(row[0]) if row else None


async def list_ageing(
    snapshot: Snapshot, conversation: int, after: tuple[int, int], *, before: int, limit: int
) -> list[Ageing]:
    """Return messages of a conversation sent before a time, oldest first, after a place."""
    rows = await snapshot.fetch(
        SQL.list_ageing,
        conversation=conversation,
        sent_at=after[0],
        id=after[1],
        before=before,
        limit=limit,
    )
    return [Ageing(*row) for row in rows]


async def list_disappearing(
    snapshot: Snapshot,
    conversation: int,
    read: ReadUpTo,
    *,
    after: int,
    limit: int,
) -> list[Ageing]:
    """Return messages after an id that were read, oldest first.

    Those that grow, or whose sender is on hold, are left out.
    """
    rows = await snapshot.fetch(
        SQL.list_disappearing,
        conversation=conversation,
        sender=read.sender,
        upto_id=read.upto,
        after_id=after,
        growing=IS_GROWING,
        limit=limit,
    )
    return [Ageing(*row) for row in rows]


async def list_read_by_people(
    snapshot: Snapshot, conversation: int, uids: Sequence[str], *, after: int, by: int
) -> tuple[dict[str, int], int | None]:
    """Return up to which messages after one people had read by a time, and when they did next."""
    return await _list_read(snapshot, conversation, uids, after=after, by=by, is_group=False)


async def list_read_by_all(
    snapshot: Snapshot, conversation: int, *, after: int, by: int
) -> tuple[list[ReadUpTo], int | None]:
    """Return what all members of a group had read by a time, and when they did next.

    What a member sent who is further behind was read by all others.
    """
    found, later = await _list_read(
        snapshot, conversation, [EVERYBODY], after=after, by=by, is_group=True
    )
    of_all = found.pop(EVERYBODY, 0)
    read = [ReadUpTo("", of_all)] if of_all else []
    for stored, upto in sorted(found.items()):
        sender = excepted_uid(stored)
        if sender is not None and upto > of_all:
            read.append(ReadUpTo(sender, upto))
    return read, later


async def _list_read(
    snapshot: Snapshot,
    conversation: int,
    uids: Sequence[str],
    *,
    after: int,
    by: int,
    is_group: bool,
) -> tuple[dict[str, int], int | None]:
    args = {
        "conversation": conversation,
        "uids": list(uids),
        "first": all_but(""),
        "last": chr(ord(all_but("")) + 1),
        "is_group": is_group,
        "after_id": after,
        "by": by,
    }
    found = {row[0]: row[1] for row in await snapshot.fetch(SQL.list_read, **args)}
    row = await snapshot.fetch_one(SQL.find_next_read, **args)
    return found, None if row is None else row[0]


async def list_behind(snapshot: Snapshot, conversation: int, message: int) -> list[tuple[str, int]]:
    """Return the participants who have not read up to a message, and how far each has."""
    rows = await snapshot.fetch(SQL.list_behind, conversation=conversation, message=message)
    return [(row[0], row[1]) for row in rows]


async def count_less(tx: Transaction, conversation: int, gone: Sequence[tuple[str, int]]) -> None:
    """Lower the numbers of unread messages of participants; the counters are locked."""
    rows = [{"conversation": conversation, "uid": uid, "count": count} for uid, count in gone]
    await tx.run_many(SQL.count_less, rows)


async def open_queue(tx: Transaction, now: int) -> RetentionQueue:
    """Make the queue of the app due, and lock it until the commit; return it."""
    await tx.run(SQL.open_queue, now=now, never=NEVER)
    queue = await lock_queue(tx)
    assert queue is not None, "it was inserted"
    return queue


async def find_queue(snapshot: Snapshot) -> RetentionQueue | None:
    """Return the queue of the app, if it has one."""
    row = await snapshot.fetch_one(SQL.find_queue)
    return RetentionQueue(*row) if row else None


async def lock_queue(tx: Transaction, _: str = "") -> RetentionQueue | None:
    """Lock the queue of the app until the commit, and return it."""
    row = await tx.fetch_one(SQL.lock_queue)
    return RetentionQueue(*row) if row else None


async def store_queue(tx: Transaction, queue: RetentionQueue) -> None:
    """Store a changed queue, which is locked."""
    await tx.run(SQL.store_queue, **asdict(queue))


async def list_due_queues(snapshot: Snapshot, bounds: Bounds) -> list[Due[str]]:
    """Return queues of any app that are due and that nobody works on."""
    return [Due(row[0], "") for row in await snapshot.fetch(SQL.list_due_queues, **bounds)]


async def insert_run(tx: Transaction, run: RetentionRun, *, kept: int) -> None:
    """Store what a run has removed; of earlier ones so many are kept."""
    await tx.run(SQL.insert_run, **asdict(run))
    await tx.run(SQL.delete_old_runs, kept=kept)


async def list_runs(snapshot: Snapshot, *, limit: int) -> list[RetentionRun]:
    """Return the runs that have removed something, newest first."""
    return [RetentionRun(*row) for row in await snapshot.fetch(SQL.list_runs, limit=limit)]
