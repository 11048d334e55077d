"""The tables `webhook_queues`, `webhook_lanes`, `webhook_deliveries` and `webhook_bodies`.

Whoever writes partitions (`webhook_lanes`) or deliveries locks the queue first: a partition that is
closed because it is empty must not get a delivery at the same time.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from typing import NamedTuple

from hubbub.kernel.clock import NEVER
from hubbub.outbox.work.queue import Bounds, Due
from hubbub.records.webhooks.model import Body, Delivery, WebhookQueue
from hubbub.records.webhooks.store import SQL
from hubbub.storage.interface import Snapshot, Transaction

QUEUE_STATES = ("working", "failing", "paused", "disabled")
"""Failing: no attempt has succeeded since one failed."""


class Pending(NamedTuple):
    """A delivery that is to be made, and what is to be sent."""

    delivery: Delivery
    id: str
    body: str


class FailingQueue(NamedTuple):
    """A webhook of an app to which no attempt has succeeded since one failed."""

    app_id: str
    webhook: int
    is_paused: bool
    """Whether it was stopped for that."""
    since: int
    """When it began to fail, in seconds."""


class Partition(NamedTuple):
    """A partition, and when its first delivery is due, in milliseconds."""

    webhook: int
    partition: int
    due_at: int


async def insert_queue(tx: Transaction, webhook: int, *, is_stopped: bool) -> None:
    """Insert the queue of a new webhook."""
    await tx.run(SQL.insert_queue, webhook=webhook, is_stopped=is_stopped, due_at=NEVER)


async def lock_queues(tx: Transaction) -> list[int]:
    """Lock the queues of all webhooks of the app until the commit; return their numbers."""
    return [row[0] for row in await tx.fetch(SQL.lock_queues)]


async def lock_queue(tx: Transaction, webhook: int) -> WebhookQueue | None:
    """Lock a queue until the commit and return it; None if the webhook was deleted."""
    row = await tx.fetch_one(SQL.lock_queue, webhook=webhook)
    if row is None:
        return None
    queue = WebhookQueue(*row)
    return replace(queue, is_stopped=bool(queue.is_stopped))


async def store_queue(tx: Transaction, queue: WebhookQueue) -> None:
    """Store a changed queue, which is locked."""
    await tx.run(SQL.store_queue, **asdict(queue))


async def wake_queues(tx: Transaction, webhooks: Collection[int], due_at: int) -> None:
    """Make queues that are not stopped due."""
    await tx.run(SQL.wake_queues, webhooks=list(webhooks), due_at=due_at)


async def list_due_queues(snapshot: Snapshot, bounds: Bounds) -> list[Due[int]]:
    """Return queues of any app that are due and that nobody delivers for, the longest due first."""
    rows = await snapshot.fetch(SQL.list_due_queues, **bounds)
    return [Due(app_id, webhook) for app_id, webhook, _ in rows]


async def count_queues(snapshot: Snapshot) -> dict[str, int]:
    """Return the number of webhooks of all apps by state."""
    counted = {row[0]: row[1] for row in await snapshot.fetch(SQL.count_queues)}
    return {state: counted.get(state, 0) for state in QUEUE_STATES}


async def count_busy_queues(snapshot: Snapshot) -> int:
    """Return the number of webhooks of all apps that have deliveries to be made."""
    row = await snapshot.fetch_one(SQL.count_busy_queues, never=NEVER)
    return int(row[0]) if row is not None else 0


async def has_failing_queues(snapshot: Snapshot) -> bool:
    """Return whether deliveries to a webhook of any app fail, or are paused for that."""
    return await snapshot.fetch_one(SQL.find_failing_queue) is not None


async def list_failing_queues(snapshot: Snapshot, *, limit: int) -> list[FailingQueue]:
    """Return queues of any app whose every attempt has failed, the longest failing first."""
    rows = await snapshot.fetch(SQL.list_failing_queues, limit=limit)
    return [FailingQueue(app, number, bool(stopped), at) for app, number, stopped, at in rows]


async def insert_deliveries(
    tx: Transaction, bodies: Sequence[Body], deliveries: Sequence[Delivery], now: int
) -> None:
    """Insert new deliveries, what they send, and their partitions; the queues are locked."""
    await tx.run_many(SQL.insert_body, bodies)
    await tx.run_many(SQL.insert_delivery, deliveries)
    await open_partitions(tx, [Partition(each.webhook, each.partition, now) for each in deliveries])


async def open_partitions(tx: Transaction, partitions: Sequence[Partition]) -> None:
    """Insert partitions; those that exist stay as they are."""
    by_key = {(each.webhook, each.partition): each for each in reversed(partitions)}
    await tx.run_many(SQL.open_partition, list(by_key.values()))


async def put_off_partitions(tx: Transaction, partitions: Sequence[Partition]) -> None:
    """Store when the next deliveries of partitions are due."""
    await tx.run_many(SQL.put_off_partition, partitions)


async def hurry_partitions(tx: Transaction, webhook: int, now: int) -> None:
    """Make all partitions of a webhook due, in milliseconds, that are due later."""
    await tx.run(SQL.hurry_partitions, webhook=webhook, now=now)


async def close_partitions(tx: Transaction, webhook: int, partitions: Collection[int]) -> None:
    """Delete those partitions that have no pending delivery."""
    await tx.run(SQL.close_partitions, webhook=webhook, partitions=list(partitions))


async def find_next_due(snapshot: Snapshot, webhook: int) -> int:
    """Return when a webhook's first partition is due, in milliseconds; `NEVER` if it has none."""
    row = await snapshot.fetch_one(SQL.find_next_due, webhook=webhook)
    return NEVER if row is None or row[0] is None else row[0]


async def list_heads(
    snapshot: Snapshot, webhook: int, now: int, *, busy: Collection[int], partitions: int, each: int
) -> list[Pending]:
    """Return the first deliveries, up to `each`, of partitions that are due and not in `busy`."""
    rows = await snapshot.fetch(
        SQL.list_heads, webhook=webhook, now=now, busy=list(busy), partitions=partitions, each=each
    )
    return [Pending(Delivery(*row[:-2]), row[-2], row[-1]) for row in rows]


async def store_outcomes(tx: Transaction, deliveries: Sequence[Delivery]) -> None:
    """Store the state, the attempts and the partition of deliveries."""
    await tx.run_many(SQL.store_outcome, deliveries)
