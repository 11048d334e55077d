"""Times that lie ahead of the clock, in whichever table they are stored."""

from collections import Counter
from collections.abc import Sequence

from hubbub.kernel.clock import MOST_AHEAD_SECONDS, MOST_IMPORTED_AHEAD_SECONDS, believe
from hubbub.outbox import lock_counters
from hubbub.records.attachments.model import KEPT_SECONDS
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)

REPAIRS = (
    SQL.repair_conversations,
    SQL.repair_groups,
    SQL.repair_events,
    SQL.repair_keys,
    SQL.repair_app,
)


async def list_messages(snapshot: Snapshot, after: int, upto: int, *, now: int) -> list[int]:
    """Return the messages of a range of ids whose times lie ahead."""
    latest = now + MOST_IMPORTED_AHEAD_SECONDS
    rows = await snapshot.fetch(SQL.list_messages, after=after, upto=upto, latest=latest)
    return [int(row[0]) for row in rows]


async def repair_messages(tx: Transaction, ids: Sequence[int], *, now: int) -> int:
    """Give messages times that can be believed; return how many there were."""
    await lock_counters(tx)
    latest = now + MOST_IMPORTED_AHEAD_SECONDS
    return await tx.run(SQL.repair_messages, ids=list(ids), latest=latest, now=now)


async def repair_others(tx: Transaction, *, now: int) -> Counter[str]:
    """Set other times that lie ahead to `now`; return the changed rows by table."""
    counters = await lock_counters(tx)
    changed: Counter[str] = Counter()
    if not believe(counters.sent_at, now):
        counters.sent_at, changed["counters"] = now, 1
    bounds = {"latest": now + MOST_AHEAD_SECONDS, "now": now}
    changed["users"] = await tx.run(SQL.repair_users, **bounds)
    if changed["users"]:
        await tx.run(SQL.repair_user_words, **bounds)
        await tx.run(SQL.repair_user_tags, **bounds)
    for repair in REPAIRS:
        changed[repair.table] += await tx.run(repair, **bounds)
    due_latest = now + KEPT_SECONDS + MOST_AHEAD_SECONDS
    changed["file_leftovers"] = await tx.run(SQL.repair_leftovers, due_latest=due_latest, now=now)
    return changed
