"""A run: one lease of a queue, from the claim until nothing more is due.

Lanes are delivered at once, each by a task; while outcomes are stored, the other lanes go on.
"""

import asyncio
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import groupby

import structlog

from hubbub.domain.deliveries.attempt import attempt_delivery
from hubbub.domain.deliveries.outcome import Outcome, decide, give_up, read_attempts
from hubbub.domain.deliveries.pause import pause_webhook
from hubbub.kernel.errors import Unavailable
from hubbub.kernel.steps import is_set_back
from hubbub.records.webhooks import queues, store
from hubbub.records.webhooks.model import Queue, Webhook
from hubbub.records.webhooks.queues import Lane, Pending
from hubbub.runtime import Runtime
from hubbub.storage.interface import Operation, Result, Snapshot, Transaction

log = structlog.get_logger()

MOST_LANES = 64
"""The lanes of a webhook that are delivered at once."""
GATHERING_SECONDS = 0.005
"""So long outcomes are gathered, to be stored in one transaction."""
REST = 5.0
"""While messages are being stored: the pause between rounds of lanes, in times of what one took."""
LONGEST_REST = 0.4
MOST_CALLS = 512
"""The calls of a node at once, shared by its runs; each run may make one at any rate."""
EACH = 8
"""The deliveries of a lane that are read at once."""
LOOK_SECONDS = 0.25
"""So often a run that waits for slow lanes looks for others that have become due."""
MOST_LOOKING = 25
"""If there are more runs, each looks less often."""
CHUNK_SECONDS = 0.1
"""After so long a lane stores its outcomes, and looks whether it may go on."""
LEASE_SECONDS = 5.0
"""How long a lease outlasts the last attempt, if its node has died."""
FAILURES_IN_ROW = 20
"""After so many failures without a success, a run only tries from time to time."""
PROBE_SECONDS = 0.5


class LostLease(Exception):
    """Another node delivers for the queue, or the webhook was deleted."""


class Run:
    """One lease of a queue. `count_runs` says how many runs share the node's calls."""

    def __init__(
        self, runtime: Runtime, app_id: str, webhook: int, count_runs: Callable[[], int]
    ) -> None:
        self._runtime = runtime
        self._app_id = app_id
        self._number = webhook
        self._count_runs = count_runs
        self._lease = runtime.ids.hexadecimal(32)
        self._busy: dict[int, asyncio.Task[list[Outcome]]] = {}
        self._lined_up: set[int] = set()
        """The lanes that have lined up again at the time `_lined_up_at`, in milliseconds."""
        self._lined_up_at = 0
        self.began = runtime.clock.monotonic()
        self._webhook: Webhook | None = None
        """The webhook as it was read last."""
        self._failures = 0
        self._was_failing = False
        """Whether the webhook was failing before the latest outcomes were stored."""
        self._is_ending = False

    def end(self) -> None:
        """Begin no further deliveries: the run ends when the outcomes of the others are stored."""
        self._is_ending = True

    async def deliver(self) -> None:
        """Deliver until nothing is due, the webhook is stopped, or the lease is lost."""
        self._runtime.outbound.call_for(self._app_id)
        if not await self._write(self._claim):
            return
        try:
            while await self._go_on():
                pass
        except LostLease:
            pass
        finally:
            for task in self._busy.values():
                task.cancel()
            await self._write(self._release)

    async def _go_on(self) -> bool:
        """Start lanes that are due, wait for one, store outcomes; return whether there is more."""
        began = self._runtime.clock.monotonic()
        webhook = await self._start_lanes()
        if webhook is None or not self._busy:
            return False
        done = await self._wait()
        if not done:
            return True
        outcomes = [outcome for task in done for outcome in task.result()]
        self._busy = {lane: task for lane, task in self._busy.items() if task not in done}
        for outcome in outcomes:
            self._failures = 0 if outcome.has_succeeded else self._failures + 1
        queue = await self._write(partial(self._store, outcomes))
        self._log_change(webhook, queue, outcomes[-1])
        if await pause_webhook(self._runtime, self._app_id, webhook, queue):
            return False
        if self._is_ending:
            return True
        if self._failures >= FAILURES_IN_ROW:
            await asyncio.sleep(PROBE_SECONDS)
        elif self._runtime.batches.is_busy:
            took = self._runtime.clock.monotonic() - began
            await asyncio.sleep(min(LONGEST_REST, REST * took))
        return True

    def _log_change(self, webhook: Webhook, queue: Queue, outcome: Outcome) -> None:
        """Log the first failure, and the success that ends failures; not each attempt."""
        is_failing = queue.failing_since is not None
        if is_failing and not self._was_failing:
            attempt = read_attempts(outcome.delivery.attempts)[-1]
            reason = attempt.error or f"It answered with the status {attempt.status}."
            log.warning("webhook_failing", app=self._app_id, webhook=webhook.id, reason=reason)
        if self._was_failing and not is_failing:
            log.info("webhook_works_again", app=self._app_id, webhook=webhook.id)

    async def _wait(self) -> set[asyncio.Task[list[Outcome]]]:
        """Wait until all lanes are done, or at least one and not much longer; return those done.

        None is, if other lanes could be started meanwhile: it is time to look for some.
        """
        busy = self._busy.values()
        seconds = CHUNK_SECONDS if self._runtime.batches.is_busy else GATHERING_SECONDS
        done, _ = await asyncio.wait(busy, timeout=seconds)
        if not done:
            is_full = self._is_ending or len(self._busy) >= self._width
            looking = None if is_full else LOOK_SECONDS * max(1, self._count_runs() / MOST_LOOKING)
            done, _ = await asyncio.wait(busy, timeout=looking, return_when=asyncio.FIRST_COMPLETED)
        return done

    @property
    def _width(self) -> int:
        """Return how many lanes may be delivered at once."""
        if self._failures >= FAILURES_IN_ROW:
            return 1
        return max(1, min(MOST_LANES, MOST_CALLS // max(1, self._count_runs())))

    async def _start_lanes(self) -> Webhook | None:
        """Start delivering lanes that are due; return the webhook, or None if it is stopped."""
        free = 0 if self._is_ending else self._width - len(self._busy)
        try:
            webhook, heads = await self._runtime.database.read(
                self._app_id, partial(self._read, lanes=max(0, free))
            )
        except Unavailable:
            if not self._busy:
                raise
            self._is_ending = True  # calls under way end first, so that they are not made again
            return self._webhook
        self._webhook = webhook
        if webhook is None or webhook.is_stopped:
            return None
        for lane, pending in groupby(heads, lambda head: head.delivery.lane):
            self._busy[lane] = asyncio.create_task(self._deliver_lane(webhook, list(pending)))
        return webhook

    async def _read(
        self, snapshot: Snapshot, *, lanes: int
    ) -> tuple[Webhook | None, list[Pending]]:
        webhook = await store.get_webhook(snapshot, self._runtime.sealer, self._number)
        if webhook is None or lanes == 0:
            return webhook, []
        return webhook, await self._list_heads(snapshot, lanes)

    async def _list_heads(self, snapshot: Snapshot, lanes: int) -> list[Pending]:
        """Return the first deliveries of the lanes that are due and have waited longest.

        Of lanes that are due since the same millisecond, those come first that have not lined up
        again in it.
        """
        now = self._now()
        former = self._lined_up if self._lined_up_at == now else set()
        list_heads = partial(queues.list_heads, snapshot, self._number, now, lanes=lanes, each=EACH)
        heads = await list_heads(busy={*self._busy, *former})
        if heads or not former:
            return heads
        self._lined_up.clear()
        return await list_heads(busy=self._busy)

    async def _deliver_lane(self, webhook: Webhook, pending: Sequence[Pending]) -> list[Outcome]:
        """Make deliveries one after the other, until one holds up the lane."""
        clock = self._runtime.clock
        pauses = self._runtime.settings.webhook_retries if webhook.retries else ()
        outcomes: list[Outcome] = []
        began, version = clock.monotonic(), self._runtime.cache.version
        for each in pending:
            outcome = await self._make(webhook, each, pauses)
            outcomes.append(outcome)
            has_taken_long = clock.monotonic() - began > CHUNK_SECONDS
            may_have_changed = self._runtime.cache.version != version  # the webhook, on this node
            # After a failure nothing goes on before it is stored: if the node dies, a delivery that
            # has not stepped aside for the next node would come after those behind it.
            has_failed = not outcome.has_succeeded
            if has_failed or has_taken_long or may_have_changed or self._is_ending:
                break
        return outcomes

    async def _make(self, webhook: Webhook, pending: Pending, pauses: Sequence[float]) -> Outcome:
        """Make a delivery; one with a defect is given up, and holds up no other."""
        delivery = pending.delivery
        try:
            made = await attempt_delivery(self._runtime, webhook, pending)
            return decide(
                delivery, made.attempt, pauses, retry_after=made.retry_after, lost=made.lost
            )
        except Unavailable:
            raise
        except Exception as defect:
            where = {"app": self._app_id, "webhook": webhook.id, "delivery": pending.id}
            log.error("delivery_defect", exc_info=defect, **where)
            return give_up(delivery, self._runtime.clock.now())

    async def _claim(self, tx: Transaction) -> bool:
        """Take the lease of the queue; return False if another run has it."""
        queue = await self._lock(tx)
        if queue is None or queue.is_stopped or self._is_leased(queue):
            return False
        await queues.store_queue(tx, self._extended(queue))
        return True

    async def _store(self, outcomes: Sequence[Outcome], tx: Transaction) -> Queue:
        """Store outcomes, and extend the lease."""
        queue = await self._lock_own(tx)
        await queues.store_outcomes(tx, [each.delivery for each in outcomes])
        aside = [each for each in outcomes if each.delivery.lane != each.left_lane]
        await queues.open_lanes(tx, [self._put_off(each) for each in aside])
        gone_on = {each.left_lane for each in outcomes if not each.holds_up}
        # Those that stepped aside too: perhaps they were pruned during the attempt.
        touched = gone_on | {each.delivery.lane for each in aside}
        await queues.close_lanes(tx, self._number, touched)
        held_up = [self._put_off(each) for each in outcomes if each.holds_up]
        await queues.put_off_lanes(tx, [*held_up, *self._line_up(gone_on, held_up)])
        self._was_failing = queue.failing_since is not None
        queue = self._extended(replace(queue, failing_since=self._failing_since(queue, outcomes)))
        await queues.store_queue(tx, queue)
        return queue

    def _line_up(self, lanes: Set[int], held_up: Sequence[Lane]) -> list[Lane]:
        """Return lanes that go on, behind all others that are due by now."""
        now = self._now()
        if now != self._lined_up_at:
            self._lined_up_at, self._lined_up = now, set()
        going_on = lanes - {each.lane for each in held_up}
        self._lined_up |= going_on
        return [Lane(self._number, lane, now) for lane in going_on]

    def _failing_since(self, queue: Queue, outcomes: Sequence[Outcome]) -> int | None:
        if any(each.has_succeeded for each in outcomes):
            return None
        now = self._runtime.clock.now()
        return now if queue.failing_since is None else min(queue.failing_since, now)

    async def _release(self, tx: Transaction) -> None:
        """Give the lease back, and store when the queue is due again: behind others, if it is."""
        queue = await self._lock(tx)
        if queue is None or queue.lease != self._lease:
            return
        now = self._now()
        due_at = max(now, await queues.find_next_due(tx, self._number))
        if queue.is_stopped:
            due_at = queue.due_at
        released = replace(queue, due_at=due_at, lease="", leased_until=0, stored_at=now)
        await queues.store_queue(tx, released)

    async def _lock_own(self, tx: Transaction) -> Queue:
        queue = await self._lock(tx)
        if queue is None or queue.lease != self._lease:
            raise LostLease
        return queue

    async def _lock(self, tx: Transaction) -> Queue | None:
        """Lock the queue; if the clock was set back since it was stored, all pauses are over.

        They would last longer than they were meant to, by as much as the clock was set back.
        """
        queue = await queues.lock_queue(tx, self._number)
        now = self._now()
        if queue is not None and is_set_back(queue.stored_at, now):
            await queues.hurry_lanes(tx, self._number, now)
        return queue

    def _is_leased(self, queue: Queue) -> bool:
        """Return whether another run has the lease, and not only by a clock that was wrong."""
        latest = self._now() + longest_lease(self._runtime)
        return queue.leased_until > self._now() and not is_set_back(queue.leased_until, latest)

    def _extended(self, queue: Queue) -> Queue:
        """Return the queue with the lease of this run; if no other node is there, without end."""
        now = self._now()
        until = now + longest_lease(self._runtime) if self._runtime.database.is_shared else 0
        return replace(queue, lease=self._lease, leased_until=until, stored_at=now)

    def _put_off(self, outcome: Outcome) -> Lane:
        pause = round(1000 * (outcome.pause or 0.0))
        return Lane(self._number, outcome.delivery.lane, self._now() + pause)

    async def _write(self, operation: Operation[Result]) -> Result:
        return await self._runtime.database.write(self._app_id, operation)

    def _now(self) -> int:
        return self._runtime.clock.milliseconds()


def longest_lease(runtime: Runtime) -> int:
    """Return for how long a run takes the lease of a queue, in milliseconds."""
    return round(1000 * (LEASE_SECONDS + runtime.settings.webhook_timeout))
