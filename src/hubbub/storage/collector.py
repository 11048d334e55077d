"""Concurrent calls of one hot operation become one call with a list, while the last one commits.

It adds no delay: a call that comes alone goes at once. One call of an app runs at a time, so that
what comes meanwhile is the next batch.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from hubbub.kernel.errors import Refusal, Unavailable
from hubbub.storage.interface import Database, Transaction

Draft = TypeVar("Draft")
Outcome = TypeVar("Outcome")
HotOperation = Callable[[Transaction, Sequence[Draft]], Awaitable[Sequence[Outcome | Refusal]]]

MOST_WAITING = 10_000
LARGEST_BATCH = 200


class Collector(Generic[Draft, Outcome]):
    """Gathers drafts per app and hands them to a hot operation, up to `largest` at a time."""

    def __init__(
        self,
        database: Database,
        operation: HotOperation[Draft, Outcome],
        *,
        largest: int = LARGEST_BATCH,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        self._database = database
        self._operation = operation
        self._largest = largest
        self._most_waiting = most_waiting
        self._waiting: dict[str, deque[tuple[Draft, asyncio.Future[Outcome]]]] = {}
        self._runs: set[asyncio.Task[None]] = set()

    async def call(self, app_id: str, draft: Draft) -> Outcome:
        """The outcome of one draft, after its commit is on disk.

        Raises:
            Refusal: the operation refused this draft; the others of its batch are unaffected.
            Unavailable: too much is waiting, or the store is away.
        """
        return await self._enqueue(app_id, draft)

    async def call_all(self, app_id: str, drafts: Sequence[Draft]) -> list[Outcome | Refusal]:
        """The outcome or refusal of each draft, in order."""
        outcomes = await asyncio.gather(
            *(self._enqueue(app_id, draft) for draft in drafts), return_exceptions=True
        )
        for outcome in outcomes:
            if isinstance(outcome, BaseException) and not isinstance(outcome, Refusal):
                raise outcome
        return outcomes  # type: ignore[return-value]  # what is no refusal was raised above

    async def drain(self) -> None:
        """Wait until nothing is under way."""
        while self._runs:
            await asyncio.wait(self._runs)

    def _enqueue(self, app_id: str, draft: Draft) -> asyncio.Future[Outcome]:
        queue = self._waiting.get(app_id)
        is_running = queue is not None
        if queue is None:
            queue = self._waiting[app_id] = deque()
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        if len(queue) >= self._most_waiting:
            future.set_exception(
                Unavailable("Too many changes are waiting to be stored; try again shortly.")
            )
            return future
        queue.append((draft, future))
        if not is_running:
            run = asyncio.create_task(self._run(app_id, queue))
            self._runs.add(run)
            run.add_done_callback(self._runs.discard)
        return future

    async def _run(self, app_id: str, queue: deque[tuple[Draft, asyncio.Future[Outcome]]]) -> None:
        """Work off the app's queue; only this task takes from it, and it ends when it is empty."""
        while queue:
            batch: list[tuple[Draft, asyncio.Future[Outcome]]] = []
            while queue and len(batch) < self._largest:
                entry = queue.popleft()
                if not entry[1].cancelled():  # a caller who left takes back what has not begun
                    batch.append(entry)
            if batch:
                await self._commit(app_id, batch)
        del self._waiting[app_id]

    async def _commit(
        self, app_id: str, batch: list[tuple[Draft, asyncio.Future[Outcome]]]
    ) -> None:
        drafts = [draft for draft, _ in batch]

        async def within(tx: Transaction) -> Sequence[Outcome | Refusal]:
            outcomes = await self._operation(tx, drafts)
            assert len(outcomes) == len(drafts), "a hot operation answers each draft"
            return outcomes

        try:
            outcomes = await self._database.write(app_id, within)
        except Refusal as refusal:
            outcomes = [refusal] * len(batch)
        except Exception as defect:  # noqa: BLE001  # it was rolled back; its drafts run singly
            if len(batch) > 1:
                for entry in batch:
                    await self._commit(app_id, [entry])
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
