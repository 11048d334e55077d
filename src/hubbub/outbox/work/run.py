"""A run: one lease of a queue, from the claim until nothing more is due.

Partitions are done at once, each by a task; while what they have done is stored, the others go on.
"""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Generic, Protocol

from hubbub.kernel.clock import NEVER, Clock, is_set_back
from hubbub.kernel.errors import Unavailable
from hubbub.kernel.ids import Ids
from hubbub.outbound.client import OutboundClient
from hubbub.outbox.work.kind import Done, Item, Partition, Stored, Work, WorkKind
from hubbub.outbox.work.queue import Due, Name
from hubbub.storage.batched import Batches
from hubbub.storage.interface import Database, Operation, Result, Transaction

GATHERING_SECONDS = 0.005
"""So long what is done is gathered, to be stored in one transaction."""
CHUNK_SECONDS = 0.1
"""After so long a partition stores what it has done, and looks whether it may go on."""
REST = 5.0
"""While messages are being stored: the pause between rounds, in times of what one took."""
LOOK_SECONDS = 0.25
"""So often a run that waits for slow partitions looks for others that have become due."""
MOST_LOOKING = 25
"""If there are more runs, each looks less often."""


class Parts(Protocol):
    """The parts of a node that runs use."""

    database: Database
    clock: Clock
    ids: Ids
    batches: Batches
    """The writes of those who send messages: they come first."""
    outbound: OutboundClient


class LostLease(Exception):
    """Another node works on the queue, or the queue was deleted."""


class Run(Generic[Name, Partition, Item, Done, Stored]):
    """One lease of a queue. `count_runs` says how many runs share the node."""

    def __init__(
        self,
        parts: Parts,
        kind: WorkKind[Name, Stored],
        due: Due[Name],
        count_runs: Callable[[], int],
    ) -> None:
        self._parts = parts
        self._kind = kind
        self._app_id, self._name = due
        self._work: Work[Partition, Item, Done, Stored] = kind.open(due)
        self._count_runs = count_runs
        self._lease = parts.ids.hexadecimal(32)
        self._lease_ms = round(1000 * kind.lease_seconds)
        self._busy: dict[Partition, asyncio.Task[list[Done]]] = {}
        self._is_ending = False
        self.began = parts.clock.monotonic()

    def end(self) -> None:
        """Begin nothing more: the run ends when what is under way is stored."""
        self._is_ending = True

    async def carry_out(self) -> None:
        """Work until nothing is due, the work is stopped, or the lease is lost."""
        self._parts.outbound.call_for(self._app_id)
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
        """Start partitions that are due, wait for some, store; return whether there may be more."""
        began = self._parts.clock.monotonic()
        await self._start_partitions()
        if not self._busy:
            return False
        done = self._take(await self._wait())
        if not done:
            return True
        before, after = await self._write(partial(self._settle, done))
        pause = await self._work.follow_up(before, after, done)
        if pause is None:
            self.end()
        elif not pause and self._parts.batches.is_busy:  # those who send messages come first
            took = self._parts.clock.monotonic() - began
            pause = min(self._kind.longest_rest, REST * took)
        if pause and not self._is_ending:
            await asyncio.sleep(pause)
        return True

    async def _start_partitions(self) -> None:
        free = 0 if self._is_ending else self._width - len(self._busy)
        if free <= 0:
            return
        try:
            found = await self._work.list_next(self._busy.keys(), free)
        except Unavailable:
            found = None  # what is under way ends first, so that it is not done again
        if found is None:
            self.end()
            return
        for partition, items in found.items():
            self._busy[partition] = asyncio.create_task(self._do_partition(items))

    async def _do_partition(self, items: Sequence[Item]) -> list[Done]:
        """Do items one after the other, until the next one may not follow."""
        clock = self._parts.clock
        began, done = clock.monotonic(), list[Done]()
        for item in items:
            try:
                done.append(await self._do(item))
            except Unavailable:
                self.end()
                break
            has_taken_long = clock.monotonic() - began > CHUNK_SECONDS
            if has_taken_long or self._is_ending or not self._work.may_follow(item, done[-1]):
                break
        return done

    async def _do(self, item: Item) -> Done:
        """Do an item; a defect holds up no other one."""
        try:
            return await self._work.do(item)
        except Unavailable:
            raise
        except Exception as defect:  # noqa: BLE001  # each kind logs it in its own words
            return await self._work.after_defect(item, defect)

    async def _wait(self) -> Collection[asyncio.Task[list[Done]]]:
        """Wait until all partitions are done, or one and not much longer; return those done.

        None may be: it is time to look for others that have become due.
        """
        busy = self._busy.values()
        seconds = CHUNK_SECONDS if self._parts.batches.is_busy else GATHERING_SECONDS
        ended, _ = await asyncio.wait(busy, timeout=seconds)
        if not ended:
            looking = LOOK_SECONDS * max(1, self._count_runs() / MOST_LOOKING)
            ended, _ = await asyncio.wait(
                busy, timeout=looking, return_when=asyncio.FIRST_COMPLETED
            )
        return ended

    def _take(self, ended: Collection[asyncio.Task[list[Done]]]) -> list[Done]:
        """Return what partitions have done, but not much more than is enough for a transaction."""
        taken: list[Done] = []
        for partition in [partition for partition, task in self._busy.items() if task in ended]:
            if not self._work.is_enough(taken):
                taken += self._busy.pop(partition).result()
        return taken

    @property
    def _width(self) -> int:
        return self._work.width(self._count_runs())

    async def _claim(self, tx: Transaction) -> bool:
        """Take the lease of the queue; return False if another run has it, or nothing is due."""
        queue, now = await self._lock(tx), self._now()
        if queue is None or now < queue.begins_at or queue.is_leased(now, self._lease_ms):
            return False
        await self._kind.store(tx, self._extended(queue))
        return True

    async def _settle(self, done: Sequence[Done], tx: Transaction) -> tuple[Stored, Stored]:
        """Store what was done, and extend the lease; return the queue before and after.

        Raises:
            LostLease: another run has taken the lease, and may have done the same.
        """
        before = await self._lock(tx)
        if before is None or before.lease != self._lease:
            raise LostLease
        after = self._extended(await self._work.settle(tx, before, done))
        await self._kind.store(tx, after)
        return before, after

    async def _release(self, tx: Transaction) -> None:
        """Give the lease back, and store when the queue is due again: behind others, if it is."""
        queue = await self._lock(tx)
        if queue is None or queue.lease != self._lease:
            return
        due_at, now = await self._work.find_next_due(tx, queue), self._now()
        released = replace(queue, due_at=max(now, due_at), lease="", leased_until=0, stored_at=now)
        await self._kind.store(tx, released)

    async def _lock(self, tx: Transaction) -> Stored | None:
        """Lock the queue; if the clock was set back since it was stored, pauses are over.

        They would last longer than they were meant to, by as much as the clock was set back.
        """
        queue, now = await self._kind.lock(tx, self._name), self._now()
        if queue is None or not is_set_back(queue.stored_at, now):
            return queue
        hurried = await self._work.hurry(tx, queue, now)
        due_at = queue.due_at if queue.due_at == NEVER else min(queue.due_at, now)
        return replace(hurried, due_at=due_at)

    def _extended(self, queue: Stored) -> Stored:
        """Return the queue with the lease of this run.

        If the node is alone on its database, the lease ends at once: no other one could take it,
        and after a crash the next run need not wait.
        """
        now = self._now()
        until = now + self._lease_ms if self._parts.database.is_shared else 0
        return replace(queue, lease=self._lease, leased_until=until, stored_at=now)

    async def _write(self, operation: Operation[Result]) -> Result:
        return await self._parts.database.write(self._app_id, operation)

    def _now(self) -> int:
        return self._parts.clock.milliseconds()
