"""The tables of notifications to send: queues with their bundles, and the progress of planning."""

from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import NamedTuple

from hubbub.kernel.clock import NEVER
from hubbub.outbox.work.queue import Bounds, Due
from hubbub.records.notifications.sending.model import Bundle, NotificationQueue, PendingDigest
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(
    __package__,
    queue_columns=NotificationQueue,
    bundle_columns=Bundle,
    unread_columns=PendingDigest,
)


class Failing(NamedTuple):
    """A provider that was not reached, or was asked too often, the last time."""

    app_id: str
    provider: str
    failures: int
    """How often in a row."""
    paused_until: int
    """When it is asked again, in milliseconds."""
    since: int
    """When it began to fail, in milliseconds."""

    @property
    def kind(self) -> str:
        """Return the kind of the provider, without its id."""
        return self.provider.partition(":")[0]


class PlanProgress(NamedTuple):
    """How far the planning of an event with many people has come."""

    event: int
    after_uid: str


START = PlanProgress(0, "")


async def find_progress(snapshot: Snapshot) -> PlanProgress:
    """Return how far the planning of an event has come; `START` if none is begun."""
    row = await snapshot.fetch_one(SQL.find_progress)
    return PlanProgress(*row) if row else START


async def store_progress(tx: Transaction, progress: PlanProgress) -> None:
    """Store how far the planning of an event has come."""
    await tx.run(SQL.store_progress, event=progress.event, after_uid=progress.after_uid)


async def insert_bundles(tx: Transaction, bundles: Sequence[Bundle], now: int) -> None:
    """Insert bundles, and make their queues due; queues are locked in one order."""
    due: dict[str, int] = {}
    for bundle in bundles:
        due[bundle.provider] = min(bundle.due_at, due.get(bundle.provider, NEVER))
    for provider in sorted(due):
        await open_queue(tx, provider, due[provider], now=now)
    await tx.run_many(SQL.insert_bundle, bundles)


async def open_queue(tx: Transaction, provider: str, due_at: int, *, now: int) -> None:
    """Make a queue due at a time, if it is not due earlier."""
    await tx.run_many(SQL.open_queue, [{"provider": provider, "due_at": due_at, "now": now}])


async def lock_queue(tx: Transaction, provider: str) -> NotificationQueue | None:
    """Lock the queue of a provider until the commit, and return it."""
    row = await tx.fetch_one(SQL.lock_queue, provider=provider)
    return NotificationQueue(*row) if row else None


async def store_queue(tx: Transaction, queue: NotificationQueue) -> None:
    """Store a changed queue, which is locked."""
    await tx.run(SQL.store_queue, **asdict(queue))


async def list_due_queues(snapshot: Snapshot, bounds: Bounds) -> list[Due[str]]:
    """Return queues of any app that are due and that nobody works on."""
    return [Due(*row) for row in await snapshot.fetch(SQL.list_due_queues, **bounds)]


async def list_failing_queues(snapshot: Snapshot, *, limit: int) -> list[Failing]:
    """Return the queues of any app whose provider fails now, the longest failing first."""
    return [Failing(*row) for row in await snapshot.fetch(SQL.list_failing_queues, limit=limit)]


async def list_bundles(
    snapshot: Snapshot, provider: str, now: int, *, busy: Collection[str], limit: int
) -> list[Bundle]:
    """Return bundles that are due and not in `busy`."""
    rows = await snapshot.fetch(
        SQL.list_bundles, provider=provider, now=now, busy=list(busy), limit=limit
    )
    return [Bundle(*row) for row in rows]


async def put_off_bundles(tx: Transaction, bundles: Sequence[Bundle]) -> None:
    """Store what is left of bundles, and when they are due again."""
    await tx.run_many(SQL.store_bundle, bundles)


async def hurry_bundles(tx: Transaction, provider: str, now: int) -> None:
    """Make all bundles of a provider due, in milliseconds, that are due later."""
    await tx.run(SQL.hurry_bundles, provider=provider, now=now)


async def delete_bundles(tx: Transaction, provider: str, ids: Collection[str]) -> None:
    """Delete bundles that are done."""
    await tx.run(SQL.delete_bundles, provider=provider, ids=list(ids))


async def count_busy_queues(snapshot: Snapshot) -> int:
    """Return the number of providers of all apps that have notifications to send."""
    row = await snapshot.fetch_one(SQL.count_busy_queues, never=NEVER)
    return int(row[0]) if row is not None else 0


async def find_next_due(snapshot: Snapshot, provider: str) -> int:
    """Return when the first bundle of a provider is due, in milliseconds; `NEVER` if none is."""
    row = await snapshot.fetch_one(SQL.find_next_due, provider=provider)
    return NEVER if row is None or row[0] is None else row[0]
