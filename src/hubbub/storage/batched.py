"""Batched writes: concurrent calls of one write become one call with a list of drafts.

While one batch of an app commits, the drafts that arrive for that app wait and become the next
batch. Those that arrive until the next one has the lock of the app join it. It begins after one
turn of the event loop, as drafts arrive together whose callers were answered together; otherwise
no delay is added to a draft that arrives alone.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from hubbub.kernel.clock import Clock
from hubbub.kernel.errors import Refusal, Unavailable
from hubbub.kernel.measures import Histogram
from hubbub.storage.interface import Database, Operation, Transaction
from hubbub.storage.measures import SIZES

Draft = TypeVar("Draft")
Outcome = TypeVar("Outcome")
QueuedDraft = tuple[Draft, asyncio.Future[Outcome]]
"""A draft, and the future that its caller awaits."""
Batch = list[QueuedDraft[Draft, Outcome]]
Queue = deque[QueuedDraft[Draft, Outcome]]
BatchOperation = Callable[
    [Transaction, Sequence[Draft], int], Awaitable[Sequence[Outcome | Refusal]]
]
"""Writes drafts at a time in seconds; returns an outcome or a refusal for each, in order."""

Lock = Callable[[Transaction], Awaitable[object]]
"""Locks what each call of an operation locks first; the operation may lock it again."""

MOST_WAITING = 10_000
RECENT_SECONDS = 0.2
"""So long after a batch, more are expected: clients that send all the time leave gaps."""
MOST_DRAFTS = 200


def never(drafts: Sequence[object]) -> bool:
    """Return False: no batch is optimistic."""
    return False


def always(drafts: Sequence[object]) -> bool:
    """Return True: every batch is optimistic."""
    return True


@dataclass(slots=True, eq=False)
class Batches:
    """Where a node's batched writes are stored, and which of them are under way."""

    database: Database
    clock: Clock
    is_shared: bool = True
    """Whether concurrent calls share transactions; otherwise each call is one of its own."""
    running: dict[asyncio.Task[None], Queue[Any, Any]] = field(default_factory=dict)
    """The tasks that write batches, each with the drafts that wait for it."""
    sizes: Histogram = field(default_factory=lambda: Histogram(SIZES))
    """How many drafts the stored batches had."""
    _recent_until: float = 0.0

    @property
    def is_busy(self) -> bool:
        """Return whether a batch is being written, or was a moment ago: other work makes room."""
        return bool(self.running) or self.clock.monotonic() < self._recent_until

    @property
    def waiting(self) -> int:
        """Return how many drafts wait for their batch to begin."""
        return sum(map(len, self.running.values()))

    def promise(self) -> asyncio.Future[Any]:
        """Return the future of a draft's outcome."""
        return asyncio.get_running_loop().create_future()

    async def write(
        self,
        app_id: str,
        operation: Operation[Outcome],
        batch: Batch[Any, Any],
        *,
        is_optimistic: bool,
    ) -> Outcome:
        """Write a batch, which drafts may join until `operation` has the lock of the app."""
        outcome = await self.database.write(app_id, operation, is_optimistic=is_optimistic)
        self.sizes.observe(len(batch))
        self._recent_until = self.clock.monotonic() + RECENT_SECONDS
        return outcome

    async def drain(self) -> None:
        """Wait until all accepted drafts have an outcome."""
        while self.running:
            await asyncio.wait(self.running)


class Batched(Generic[Draft, Outcome]):
    """A write of drafts that concurrent calls of an app share; declared beside its operation.

    One batch of an app runs at a time, with up to `largest` drafts. Waiting drafts are kept by
    node and app until their batch begins. `is_optimistic` says whether it may be worth while to
    try a batch as one statement (see `Database.write`); drafts that join it are not asked.
    """

    def __init__(
        self,
        operation: BatchOperation[Draft, Outcome],
        lock: Lock,
        *,
        largest: int = MOST_DRAFTS,
        most_waiting: int = MOST_WAITING,
        is_optimistic: Callable[[Sequence[Draft]], bool] = never,
    ) -> None:
        self._operation = operation
        self._lock = lock
        self._is_optimistic = is_optimistic
        self._largest = largest
        self._most_waiting = most_waiting
        self._queues: dict[tuple[Batches, str], Queue[Draft, Outcome]] = {}

    async def call(self, batches: Batches, app_id: str, draft: Draft) -> Outcome:
        """Return the outcome of one draft, after its commit is on disk.

        Raises:
            Refusal: the operation refused this draft; the others of its batch are unaffected.
            Unavailable: too many drafts are waiting, or the store can't be reached.
        """
        if batches.is_shared:
            return await self._enqueue(batches, app_id, draft)

        [outcome] = await self._write_alone(batches, app_id, [draft])
        if isinstance(outcome, Refusal):
            raise outcome
        return outcome

    async def call_all(
        self, batches: Batches, app_id: str, drafts: Sequence[Draft]
    ) -> list[Outcome | Refusal]:
        """Return the outcome or refusal of each draft, in order."""
        if not batches.is_shared:
            return list(await self._write_alone(batches, app_id, drafts))
        outcomes = await asyncio.gather(
            *(self._enqueue(batches, app_id, draft) for draft in drafts), return_exceptions=True
        )
        for outcome in outcomes:
            if isinstance(outcome, BaseException) and not isinstance(outcome, Refusal):
                raise outcome
        return outcomes  # type: ignore[return-value]  # all other exceptions were raised above

    def _enqueue(self, batches: Batches, app_id: str, draft: Draft) -> asyncio.Future[Outcome]:
        future: asyncio.Future[Outcome] = batches.promise()
        queue = self._queues.get((batches, app_id))
        if queue is None:
            queue = self._queues[batches, app_id] = deque()
            run = asyncio.create_task(self._run(batches, app_id, queue))
            batches.running[run] = queue
            run.add_done_callback(batches.running.pop)
        if len(queue) < self._most_waiting:
            queue.append((draft, future))
        else:
            future.set_exception(
                Unavailable("Too many changes are waiting to be stored. Try again shortly.")
            )
        return future

    async def _run(self, batches: Batches, app_id: str, queue: Queue[Draft, Outcome]) -> None:
        """Write batches until the queue is empty; only they take entries from it, one at a time."""
        batch: Batch[Draft, Outcome] = []
        try:
            while queue:
                batch = []
                await asyncio.sleep(0)  # what has arrived meanwhile is received, and joins
                self._fill(batch, queue)
                if batch:
                    await self._commit(batches, app_id, batch, queue)
        finally:
            del self._queues[batches, app_id]
            for _, future in (*batch, *queue):
                future.cancel()  # only if this task was: all others have been answered

    def _fill(self, batch: Batch[Draft, Outcome], queue: Queue[Draft, Outcome]) -> None:
        """Move waiting drafts to a batch that has not begun; on SQLite in its writer thread."""
        while queue and len(batch) < self._largest:
            entry = queue.popleft()
            if not entry[1].cancelled():  # the caller left before its draft was begun
                batch.append(entry)

    async def _commit(
        self,
        batches: Batches,
        app_id: str,
        batch: Batch[Draft, Outcome],
        queue: Queue[Draft, Outcome],
    ) -> None:
        """Write a batch, with drafts of the queue, and set the futures of its callers."""
        outcomes: Sequence[Outcome | Refusal]
        try:
            outcomes = await self._write(batches, app_id, batch, queue)
        except Refusal as refusal:
            outcomes = [refusal] * len(batch)
        except Exception as defect:  # noqa: BLE001  # it was rolled back; its drafts run singly
            if len(batch) > 1:
                for entry in batch:
                    await self._commit(batches, app_id, [entry], deque())
                return
            if not batch[0][1].done():
                batch[0][1].set_exception(defect)
            return
        for (_, future), outcome in zip(batch, outcomes, strict=True):
            if future.done():
                continue
            if isinstance(outcome, Refusal):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)

    async def _write(
        self,
        batches: Batches,
        app_id: str,
        batch: Batch[Draft, Outcome],
        queue: Queue[Draft, Outcome],
    ) -> Sequence[Outcome | Refusal]:
        async def write_all(tx: Transaction) -> Sequence[Outcome | Refusal]:
            await self._lock(tx)
            self._fill(batch, queue)
            return await self._carry_out(tx, [draft for draft, _ in batch], batches.clock.now())

        is_optimistic = self._is_optimistic([draft for draft, _ in batch])
        return await batches.write(app_id, write_all, batch, is_optimistic=is_optimistic)

    async def _write_alone(
        self, batches: Batches, app_id: str, drafts: Sequence[Draft]
    ) -> Sequence[Outcome | Refusal]:
        return await batches.database.write(
            app_id,
            lambda tx: self._carry_out(tx, drafts, batches.clock.now()),
            is_optimistic=self._is_optimistic(drafts),
        )

    async def _carry_out(
        self, tx: Transaction, drafts: Sequence[Draft], now: int
    ) -> Sequence[Outcome | Refusal]:
        outcomes = await self._operation(tx, drafts, now)
        assert len(outcomes) == len(drafts), "a batched write answers each draft"
        return outcomes
