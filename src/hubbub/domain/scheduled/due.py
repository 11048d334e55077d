"""Do what is scheduled when it is due: a kind of deferred work (`outbox/work/`)."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

import structlog

from hubbub.domain.access.rates import TooManyCalls, take_sends
from hubbub.domain.messages.review import Render
from hubbub.domain.moderated.apply import Judged
from hubbub.domain.reminders.due import DueReminders
from hubbub.domain.scheduled.prepare import PreparedMessage, prepare
from hubbub.domain.scheduled.put_off import put_off
from hubbub.domain.scheduled.send import ScheduledOutcome, follow_up, send_due
from hubbub.kernel.errors import Refusal, Unavailable
from hubbub.outbox import lock_counters
from hubbub.outbox.work.kind import Work, WorkKind
from hubbub.outbox.work.queue import Due
from hubbub.outbox.work.run import CHUNK_SECONDS
from hubbub.outbox.work.runs import Runs
from hubbub.records.reminders.model import REMINDERS
from hubbub.records.scheduled import queues, store
from hubbub.records.scheduled.model import ScheduledMessage, ScheduledQueue
from hubbub.runtime import Runtime
from hubbub.storage.batched import Batched, Batches
from hubbub.storage.interface import Transaction

WIDTH = 64
"""The lanes of an app that are worked on at once: a slow webhook holds up only its own."""
EACH = 20
"""The messages of a lane that are sent together."""
MOST_READ = 400
MOST_READ_BESIDE = 50
"""The same while others send: all that is read in a round is sent before the next rest."""
MOST_STORED = 50
"""The messages of a transaction: those who send wait while it runs."""
DEFECT_MS = 60_000
"""After so long, what has met a defect is tried again."""
LEASE_SECONDS = 30.0
LONGEST_REST = 0.1
log = structlog.get_logger()
SEND_DUE = Batched[PreparedMessage, ScheduledOutcome](send_due, lock_counters, largest=MOST_STORED)


def scheduled_runs(runtime: Runtime, render: Render) -> Runs[str, ScheduledQueue]:
    """Return the runs of a node that do what is scheduled; `render` shows messages to webhooks."""
    # Apart from the batches of those who send: these runs are to see whether others send.
    batches = Batches(runtime.database, runtime.clock)

    def open_queue(due: Due[str]) -> Work[str, Any, None, ScheduledQueue]:
        if due.queue == REMINDERS:
            return DueReminders(runtime, due.app_id, batches)
        return DueMessages(runtime, due.app_id, render, batches)

    kind = WorkKind(
        name="scheduled",
        list_due=queues.list_due_queues,
        lock=queues.lock_queue,
        store=queues.store_queue,
        open=open_queue,
        call_seconds=runtime.settings.webhook_timeout,
        lease_seconds=runtime.settings.webhook_timeout + LEASE_SECONDS,
        longest_rest=LONGEST_REST,
    )
    return Runs(runtime, kind)


Stretch = Sequence[ScheduledMessage]
"""Consecutive messages of a lane."""


class DueMessages(Work[str, Stretch, None, ScheduledQueue]):
    """The messages of an app that are due, while a run has the lease of their queue.

    Each is sent by a transaction that finds it as it was read: that is its fencing, not the lease.
    """

    def __init__(self, runtime: Runtime, app_id: str, render: Render, batches: Batches) -> None:
        self._runtime = runtime
        self._app_id = app_id
        self._render = render
        self._batches = batches

    def width(self, runs: int) -> int:
        return WIDTH

    async def hurry(self, tx: Transaction, queue: ScheduledQueue, now: int) -> ScheduledQueue:
        """Return the queue: times that users have set are never due earlier."""
        return queue

    async def find_next_due(self, tx: Transaction, queue: ScheduledQueue) -> int:
        return await store.find_next_due(tx)

    async def list_next(self, busy: Collection[str], free: int) -> Mapping[str, Sequence[Stretch]]:
        limit = MOST_READ_BESIDE if self._runtime.batches.is_busy else MOST_READ
        now = self._runtime.clock.milliseconds()
        found = await self._runtime.database.read(
            self._app_id, partial(store.list_due, now=now, busy=busy, limit=limit)
        )
        lanes: dict[str, list[ScheduledMessage]] = {}
        for each in found:
            if each.lane in lanes or len(lanes) < free:
                lanes.setdefault(each.lane, []).append(each)
        return {lane: [messages[:EACH]] for lane, messages in lanes.items()}

    async def do(self, item: Stretch) -> None:
        """Send messages of a lane in their order; what takes long is left to the next round."""
        began, prepared = self._runtime.clock.monotonic(), list[PreparedMessage]()
        for each in item:
            if not await self._take_rate(each):
                break  # what comes after it in the conversation is not sent before it
            prepared.append(await self._prepare(each))
            if self._runtime.clock.monotonic() - began > CHUNK_SECONDS:
                break
        await self._send(prepared)

    async def _take_rate(self, scheduled: ScheduledMessage) -> bool:
        """Count a message of a user with a token; put it off if that is beyond their rate."""
        if not scheduled.is_by_token:
            return True
        try:
            await take_sends(self._runtime, self._app_id, scheduled.sender, 1)
        except TooManyCalls as refusal:
            until = 1000 * refusal.resets_at
            await self._runtime.database.write(
                self._app_id, partial(put_off, scheduled=scheduled, until=until)
            )
            return False
        return True

    async def _prepare(self, scheduled: ScheduledMessage) -> PreparedMessage:
        try:
            return await prepare(self._runtime, self._app_id, scheduled, self._render)
        except Unavailable:
            raise
        except Refusal as refusal:
            return PreparedMessage(scheduled, Judged(scheduled.next_draft(), refusal=refusal))
        except Exception as defect:  # noqa: BLE001  # it holds up no other message
            return self._broken(scheduled, defect)

    async def _send(self, prepared: Sequence[PreparedMessage]) -> None:
        call = partial(SEND_DUE.call, self._batches, self._app_id)
        outcomes = await asyncio.gather(*map(call, prepared), return_exceptions=True)
        for each, outcome in zip(prepared, outcomes, strict=True):
            if isinstance(outcome, ScheduledOutcome):
                await follow_up(self._runtime, self._app_id, each, outcome)
            elif isinstance(outcome, Refusal) or not isinstance(outcome, Exception):
                raise outcome
            else:  # it was tried alone: the others of its transaction have been sent
                await call(self._broken(each.scheduled, outcome))

    def _broken(self, scheduled: ScheduledMessage, defect: Exception) -> PreparedMessage:
        """Log a defect that a message has met; return the message as one that can't be sent."""
        log.error("scheduled_broken", app=self._app_id, message=scheduled.id, exc_info=defect)
        refusal = Refusal("The message could not be sent, because of a defect of the server.")
        draft = scheduled.next_draft()
        return PreparedMessage(scheduled, Judged(draft, refusal=refusal))

    async def after_defect(self, item: Stretch, defect: Exception) -> None:
        """Log what nobody has thought of; the messages are tried again in a while."""
        log.error("scheduled_failed", app=self._app_id, message=item[0].id, exc_info=defect)
        until = self._runtime.clock.milliseconds() + DEFECT_MS
        for each in item:
            await self._runtime.database.write(
                self._app_id, partial(put_off, scheduled=each, until=until)
            )

    async def settle(
        self, tx: Transaction, queue: ScheduledQueue, done: Sequence[None]
    ) -> ScheduledQueue:
        return queue
