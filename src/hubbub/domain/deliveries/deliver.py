"""Make deliveries: a kind of deferred work (`outbox/work/`), with a queue for each webhook."""

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import NamedTuple

import structlog

from hubbub.domain.deliveries.attempt import attempt_delivery
from hubbub.domain.deliveries.outcome import DeliveryOutcome, decide, give_up, read_attempts
from hubbub.domain.deliveries.pause_webhook import pause_webhook
from hubbub.kernel.clock import NEVER
from hubbub.outbox.work.kind import Work, WorkKind
from hubbub.outbox.work.queue import Due
from hubbub.outbox.work.runs import MOST_RUNS, TURN_SECONDS, Runs
from hubbub.records.webhooks import queues, store
from hubbub.records.webhooks.model import Webhook, WebhookQueue
from hubbub.records.webhooks.queues import Partition, Pending
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction

log = structlog.get_logger()

MOST_PARTITIONS = 64
"""The partitions of a webhook that are delivered at once."""
MOST_CALLS = 512
"""The calls of a node at once, shared by its runs; each run may make one at any rate."""
EACH = 8
"""The deliveries of a partition that are read at once."""
LEASE_SECONDS = 5.0
"""How long a lease outlasts the last attempt, if its node has died."""
LONGEST_REST = 0.4
"""A round is some 0.1 s of calls: with it, sends go on at 0.70 of their rate without a webhook."""
FAILURES_IN_ROW = 20
"""After so many failures without a success, a run only tries from time to time."""
PROBE_SECONDS = 0.5


def delivery_runs(
    runtime: Runtime,
    *,
    most: int = MOST_RUNS,
    turn_seconds: float = TURN_SECONDS,
    most_partitions: int = MOST_PARTITIONS,
) -> Runs[int, WebhookQueue]:
    """Return the runs of a node that make deliveries."""
    kind = WorkKind(
        name="webhooks",
        list_due=queues.list_due_queues,
        lock=queues.lock_queue,
        store=queues.store_queue,
        open=lambda due: Deliveries(runtime, due, most_partitions),
        call_seconds=runtime.settings.webhook_timeout,
        lease_seconds=runtime.settings.webhook_timeout + LEASE_SECONDS,
        longest_rest=LONGEST_REST,
    )
    return Runs(runtime, kind, most=most, turn_seconds=turn_seconds)


class DeliveryCall(NamedTuple):
    """A delivery that is to be made to a webhook."""

    webhook: Webhook
    pending: Pending
    version: int
    """That of what this node keeps in memory, when the webhook was read."""


class Deliveries(Work[int, DeliveryCall, DeliveryOutcome, WebhookQueue]):
    """The deliveries to a webhook, while a run has the lease of its queue."""

    def __init__(self, runtime: Runtime, due: Due[int], most_partitions: int) -> None:
        self._runtime = runtime
        self._app_id, self._number = due
        self._most_partitions = most_partitions
        self._webhook: Webhook | None = None
        """The webhook as it was read last."""
        self._failures = 0
        self._lined_up: set[int] = set()
        """The partitions that have lined up again at the time `_lined_up_at`, in milliseconds."""
        self._lined_up_at = 0

    def width(self, runs: int) -> int:
        if self._failures >= FAILURES_IN_ROW:
            return 1
        return max(1, min(self._most_partitions, MOST_CALLS // max(1, runs)))

    async def hurry(self, tx: Transaction, queue: WebhookQueue, now: int) -> WebhookQueue:
        await queues.hurry_partitions(tx, self._number, now)
        return queue

    async def find_next_due(self, tx: Transaction, queue: WebhookQueue) -> int:
        return NEVER if queue.is_stopped else await queues.find_next_due(tx, self._number)

    async def list_next(
        self, busy: Collection[int], free: int
    ) -> Mapping[int, Sequence[DeliveryCall]] | None:
        version = self._runtime.cache.version
        webhook, heads = await self._runtime.database.read(
            self._app_id, partial(self._read, busy=busy, free=free)
        )
        self._webhook = webhook
        if webhook is None:
            return None
        return {
            partition: [DeliveryCall(webhook, each, version) for each in pending]
            for partition, pending in groupby(heads, lambda head: head.delivery.partition)
        }

    async def _read(
        self, snapshot: Snapshot, *, busy: Collection[int], free: int
    ) -> tuple[Webhook | None, list[Pending]]:
        """Return the webhook and the next deliveries; None if it is stopped."""
        webhook = await store.get_webhook(snapshot, self._runtime.sealer, self._number)
        if webhook is None or webhook.is_stopped:
            return None, []
        return webhook, await self._list_heads(snapshot, busy, free)

    async def _list_heads(
        self, snapshot: Snapshot, busy: Collection[int], free: int
    ) -> list[Pending]:
        """Return the first deliveries of the partitions that are due and have waited longest.

        Of partitions that are due since the same millisecond, those come first that have not lined
        up again in it.
        """
        now = self._now()
        former = self._lined_up if self._lined_up_at == now else set()
        list_heads = partial(
            queues.list_heads, snapshot, self._number, now, partitions=free, each=EACH
        )
        heads = await list_heads(busy={*busy, *former})
        if heads or not former:
            return heads
        self._lined_up.clear()
        return await list_heads(busy=busy)

    async def do(self, item: DeliveryCall) -> DeliveryOutcome:
        webhook, pending, _ = item
        pauses = self._runtime.settings.webhook_retries if webhook.retries else ()
        made = await attempt_delivery(self._runtime, webhook, pending)
        return decide(
            pending.delivery, made.attempt, pauses, retry_after=made.retry_after, lost=made.lost
        )

    async def after_defect(self, item: DeliveryCall, defect: Exception) -> DeliveryOutcome:
        where = {"app": self._app_id, "webhook": item.webhook.id, "delivery": item.pending.id}
        log.error("delivery_defect", exc_info=defect, **where)
        return give_up(item.pending.delivery, self._runtime.clock.now())

    def may_follow(self, item: DeliveryCall, done: DeliveryOutcome) -> bool:
        # After a failure nothing goes on before it is stored: if the node dies, a delivery that
        # has not stepped aside for the next node would come after those behind it.
        may_have_changed = self._runtime.cache.version != item.version  # the webhook, on this node
        return done.has_succeeded and not may_have_changed

    async def settle(
        self, tx: Transaction, queue: WebhookQueue, done: Sequence[DeliveryOutcome]
    ) -> WebhookQueue:
        await queues.store_outcomes(tx, [each.delivery for each in done])
        aside = [each for each in done if each.delivery.partition != each.left_partition]
        await queues.open_partitions(tx, [self._put_off(each) for each in aside])
        gone_on = {each.left_partition for each in done if not each.holds_up}
        # Those that stepped aside too: perhaps they were pruned during the attempt.
        touched = gone_on | {each.delivery.partition for each in aside}
        await queues.close_partitions(tx, self._number, touched)
        held_up = [self._put_off(each) for each in done if each.holds_up]
        await queues.put_off_partitions(tx, [*held_up, *self._line_up(gone_on, held_up)])
        return replace(queue, failing_since=self._failing_since(queue, done))

    def _line_up(self, partitions: Set[int], held_up: Sequence[Partition]) -> list[Partition]:
        """Return partitions that go on, behind all others that are due by now."""
        now = self._now()
        if now != self._lined_up_at:
            self._lined_up_at, self._lined_up = now, set()
        going_on = partitions - {each.partition for each in held_up}
        self._lined_up |= going_on
        return [Partition(self._number, partition, now) for partition in going_on]

    def _failing_since(self, queue: WebhookQueue, done: Sequence[DeliveryOutcome]) -> int | None:
        if queue.is_stopped:  # says why: it was paused since then, or disabled
            return queue.failing_since
        if any(each.has_succeeded for each in done):
            return None
        now = self._runtime.clock.now()
        return now if queue.failing_since is None else min(queue.failing_since, now)

    async def follow_up(
        self, before: WebhookQueue, after: WebhookQueue, done: Sequence[DeliveryOutcome]
    ) -> float | None:
        for each in done:
            self._failures = 0 if each.has_succeeded else self._failures + 1
        webhook = self._webhook
        if webhook is None or after.is_stopped:
            return None
        self._log_change(webhook, before, after, done[-1])
        if await pause_webhook(self._runtime, self._app_id, webhook, after):
            return None
        return PROBE_SECONDS if self._failures >= FAILURES_IN_ROW else 0.0

    def _log_change(
        self, webhook: Webhook, before: WebhookQueue, after: WebhookQueue, last: DeliveryOutcome
    ) -> None:
        """Log the first failure, and the success that ends failures; not each attempt."""
        if before.failing_since is None and after.failing_since is not None:
            attempt = read_attempts(last.delivery.attempts)[-1]
            reason = attempt.error or f"It answered with the status {attempt.status}."
            log.warning("webhook_failing", app=self._app_id, webhook=webhook.id, reason=reason)
        elif before.failing_since is not None and after.failing_since is None:
            log.info("webhook_works_again", app=self._app_id, webhook=webhook.id)

    def _put_off(self, outcome: DeliveryOutcome) -> Partition:
        pause = round(1000 * (outcome.pause or 0.0))
        return Partition(self._number, outcome.delivery.partition, self._now() + pause)

    def _now(self) -> int:
        return self._runtime.clock.milliseconds()
