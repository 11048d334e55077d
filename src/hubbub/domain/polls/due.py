"""Do what is due of polls: close those whose time has come, announce counts that have changed.

A kind of deferred work. Each poll is a transaction of its own, under the lock of the app's
counters: it is decided there, on the poll as it is then, whether anything is still to be done.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import structlog

from hubbub.domain.polls.close import closed_by
from hubbub.domain.polls.tell import told
from hubbub.outbox import lock_counters
from hubbub.outbox.work.kind import Work, WorkKind
from hubbub.outbox.work.queue import Queue
from hubbub.outbox.work.runs import Runs
from hubbub.records.messages.store import find_messages
from hubbub.records.polls import store
from hubbub.records.polls.model import Poll
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

POLLS = "polls"
AT_ONCE = 50
"""The polls that are read at once."""
DEFECT_MS = 3_600_000
"""After so long, one that has failed for a defect is tried again."""
SECONDS = 5.0
"""What the transaction of a poll may take."""
LEASE_SECONDS = 30.0
LONGEST_REST = 0.1
"""While messages are being stored: the longest pause between rounds."""
log = structlog.get_logger()


def poll_runs(runtime: Runtime) -> Runs[str, Queue]:
    """Return the runs of a node that close polls and announce counts."""
    kind = WorkKind(
        name=POLLS,
        list_due=store.list_due_queues,
        lock=store.lock_queue,
        store=store.store_queue,
        open=lambda due: DuePolls(runtime, due.app_id),
        call_seconds=SECONDS,
        lease_seconds=LEASE_SECONDS,
        longest_rest=LONGEST_REST,
    )
    return Runs(runtime, kind)


class DuePolls(Work[str, int, None, Queue]):
    """The polls of an app of which something is due, by the ids of their messages."""

    def __init__(self, runtime: Runtime, app_id: str) -> None:
        self._runtime = runtime
        self._app_id = app_id

    async def hurry(self, tx: Transaction, queue: Queue, now: int) -> Queue:
        await store.hurry_telling(tx, now)
        return queue

    async def find_next_due(self, tx: Transaction, queue: Queue) -> int:
        return await store.find_next_due(tx)

    async def list_next(self, busy: Collection[str], free: int) -> Mapping[str, Sequence[int]]:
        now = self._runtime.clock.milliseconds()
        found = await self._runtime.database.read(
            self._app_id, lambda snapshot: store.list_due(snapshot, now, limit=AT_ONCE)
        )
        return {POLLS: found} if found else {}

    async def do(self, item: int) -> None:
        """Do what is due of a poll, and store it: what it is by then is its fencing."""

        async def within(tx: Transaction) -> None:
            await lock_counters(tx)
            now_ms = self._runtime.clock.milliseconds()
            poll = (await store.find_polls(tx, [item])).get(item)
            if poll is None or poll.due_at > now_ms:
                return
            message = (await find_messages(tx, [item])).get(item)
            is_shown = message is not None and message.deleted_at is None
            after = _done(tx, poll, now_ms // 1000) if is_shown else _silenced(poll, now_ms // 1000)
            await store.store_polls(tx, [after], now_ms)

        await self._runtime.database.write(self._app_id, within)

    async def after_defect(self, item: int, defect: Exception) -> None:
        log.error("poll_failed", app=self._app_id, message=item, exc_info=defect)
        later = self._runtime.clock.milliseconds() + DEFECT_MS
        await self._runtime.database.write(self._app_id, lambda tx: store.put_off(tx, item, later))

    async def settle(self, tx: Transaction, queue: Queue, done: Sequence[None]) -> Queue:
        return queue


def _done(tx: Transaction, poll: Poll, now: int) -> Poll:
    """Announce what has become of a poll, and return it as it is after that."""
    if poll.closed_at is None and poll.is_over(now):
        return closed_by(tx, poll, None, now)
    return told(tx, poll, now) if poll.is_stale else poll


def _silenced(poll: Poll, now: int) -> Poll:
    """Return the poll of a message that is deleted: nobody is told anything of it."""
    closed_at = poll.closes_at if poll.is_over(now) and poll.closed_at is None else poll.closed_at
    return replace(poll, closed_at=closed_at, is_stale=False)
