"""Remove what is due: old messages in runs through all conversations, disappearing ones each time.

A kind of deferred work with a queue for each app, whose only partition does one step after the
other. A step is one transaction that decides anew whether it is still so: on settings, rules, legal
holds and receipts as they are then. It stores how far the run has come, so that a step that is
repeated finds nothing to do.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import structlog

from hubbub.domain.retention.disappear import MOST_STEP_SECONDS, remove_disappearing
from hubbub.domain.retention.old import begin_run, remove_old
from hubbub.kernel.clock import NEVER
from hubbub.outbox import lock_counters
from hubbub.outbox.work.kind import Work, WorkKind
from hubbub.outbox.work.queue import Due
from hubbub.outbox.work.runs import Runs
from hubbub.records.retention import store
from hubbub.records.retention.model import RetentionQueue
from hubbub.records.settings.model import DISAPPEAR_AFTER, settings_of
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction

MOST_RUNS = 2
"""The apps of which a node removes messages at once; the others have their turn after a second."""
MOST_ADOPTED = 200
STEP_SECONDS = 5.0
"""What a step may take: the end of a node waits for it."""
LEASE_SECONDS = 60.0
LONGEST_REST = 0.5
REST = 1.0
"""The pause after a step, in times of what it took, while nobody sends: the app waits for each."""
DEFECT_MS = 3_600_000
"""So long nothing is removed of an app after a defect."""
log = structlog.get_logger()

Step = Callable[[Runtime, Transaction, RetentionQueue], Awaitable[RetentionQueue]]


@dataclass(frozen=True, slots=True)
class Planned:
    """The next step of an app, and its queue when that was found."""

    queue: RetentionQueue
    step: Step


def retention_runs(runtime: Runtime) -> Runs[str, RetentionQueue]:
    """Return the runs of a node that remove messages."""
    kind = WorkKind(
        name="retention",
        list_due=store.list_due_queues,
        lock=store.lock_queue,
        store=store.store_queue,
        open=partial(_open, runtime),
        call_seconds=STEP_SECONDS,
        lease_seconds=LEASE_SECONDS,
        longest_rest=LONGEST_REST,
    )
    return Runs(runtime, kind, most=MOST_RUNS)


def _open(runtime: Runtime, due: Due[str]) -> "Removing":
    return Removing(runtime, due.app_id)


class Removing(Work[str, Planned, float, RetentionQueue]):
    """The removals of one app."""

    def __init__(self, runtime: Runtime, app_id: str) -> None:
        self._runtime = runtime
        self._app_id = app_id

    async def hurry(self, tx: Transaction, queue: RetentionQueue, now: int) -> RetentionQueue:
        """Look at all times anew: they were computed with a clock that was ahead."""
        await store.hurry_rules(tx, now)
        return replace(
            queue,
            next_run_at=queue.next_run_at if queue.next_run_at == NEVER else now,
            adopt_at=queue.adopt_at if queue.adopt_at == NEVER else now,
        )

    async def find_next_due(self, tx: Transaction, queue: RetentionQueue) -> int:
        next_run_at = 0 if queue.began_at else queue.next_run_at
        return min(next_run_at, queue.adopt_at, await store.find_next_rule(tx))

    async def list_next(self, busy: Collection[str], free: int) -> Mapping[str, Sequence[Planned]]:
        planned = await self._runtime.database.read(self._app_id, self._plan)
        return {"": [planned]} if planned else {}

    async def _plan(self, snapshot: Snapshot) -> Planned | None:
        now = self._runtime.clock.milliseconds()
        queue = await store.find_queue(snapshot)
        if queue is None:
            return None
        if queue.adopt_at <= now:
            return Planned(queue, _adopt)
        if await store.find_next_rule(snapshot) <= now:
            return Planned(queue, remove_disappearing)
        if queue.began_at:
            return Planned(queue, remove_old)
        return Planned(queue, begin_run) if queue.next_run_at <= now else None

    async def do(self, item: Planned) -> float:
        """Do a step, if the queue is still as it was: that is its fencing; return the seconds."""
        began = self._runtime.clock.monotonic()

        async def within(tx: Transaction) -> None:
            await lock_counters(tx)
            queue = await store.lock_queue(tx)
            if queue is not None and _place(queue) == _place(item.queue):
                await store.store_queue(tx, await item.step(self._runtime, tx, queue))

        await self._runtime.database.write(self._app_id, within)
        return self._runtime.clock.monotonic() - began

    async def after_defect(self, item: Planned, defect: Exception) -> float:
        """Leave the app for an hour: what a defect removes wrongly would be gone."""
        log.error("retention_failed", app=self._app_id, exc_info=defect)
        later = self._runtime.clock.milliseconds() + DEFECT_MS

        async def within(tx: Transaction) -> None:
            queue = await store.lock_queue(tx)
            if queue is not None:
                await store.put_off_rules(tx, later)
                put_off = replace(
                    queue,
                    began_at=0,
                    next_run_at=max(later, queue.next_run_at),
                    adopt_at=max(later, queue.adopt_at),
                )
                await store.store_queue(tx, put_off)

        await self._runtime.database.write(self._app_id, within)
        return 0.0

    async def settle(
        self, tx: Transaction, queue: RetentionQueue, done: Sequence[float]
    ) -> RetentionQueue:
        return queue

    async def follow_up(
        self, before: RetentionQueue, after: RetentionQueue, done: Sequence[float]
    ) -> float | None:
        """Rest after each step, longer while somebody sends."""
        return 0.0 if self._runtime.batches.is_busy else min(LONGEST_REST, REST * sum(done))


def _place(queue: RetentionQueue) -> RetentionQueue:
    """Return a queue without what a run changes of it beside the steps."""
    return replace(queue, due_at=0, lease="", leased_until=0, stored_at=0)


async def _adopt(runtime: Runtime, tx: Transaction, queue: RetentionQueue) -> RetentionQueue:
    """Give conversations that have come a rule, so that their messages disappear as the app says.

    A conversation is found before its first message may have to disappear, so that sends do
    nothing for it.
    """
    counters = await lock_counters(tx)
    seconds = settings_of(counters.settings).limit(DISAPPEAR_AFTER)
    if not seconds:
        return replace(queue, adopt_at=NEVER)
    now = runtime.clock.milliseconds()
    numbers = await store.list_numbers(tx, queue.adopted, limit=MOST_ADOPTED)
    await store.adopt_rules(tx, numbers, since_id=queue.since_id, due_at=now)
    is_all = len(numbers) < MOST_ADOPTED
    pause = 1000 * min(MOST_STEP_SECONDS, seconds) if is_all else 0
    adopted = numbers[-1] if numbers else queue.adopted
    return replace(queue, adopted=adopted, adopt_at=now + pause)
