"""Claim the queues that are due, a run for each: no provider waits for another."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

import structlog

from hubbub.domain.notices.planning.write import WritingRun
from hubbub.domain.notices.sending.gateways import Gateways
from hubbub.domain.notices.sending.run import Run
from hubbub.kernel.errors import Unavailable
from hubbub.records.notices import store
from hubbub.records.notices.model import UNREAD
from hubbub.records.notices.store import Due
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

log = structlog.get_logger()

MOST_RUNS = 500
"""The queues that a node sends for at once."""
ENDING_SECONDS = 11.0
"""How long the end of a node waits for answers: a call may take 10 seconds."""


class Notifier:
    """The runs of a node, by app and queue."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._gateways = Gateways(runtime)
        self._runs: dict[Due, tuple[Run | WritingRun, asyncio.Task[None]]] = {}

    async def start_due(self, _: Runtime) -> None:
        """Start a run for each queue that is due and that nobody works on.

        Raises:
            Unavailable: the database is away.
        """
        now = self._runtime.clock.milliseconds()
        limit = MOST_RUNS + len(self._runs)
        found = await self._runtime.database.read(
            INSTALLATION, partial(store.list_due_queues, now=now, limit=limit)
        )
        for due in found:
            if due not in self._runs and len(self._runs) < MOST_RUNS:
                run = self._open(due)
                self._runs[due] = run, asyncio.create_task(self._finish(due, run.work))

    async def wait(self) -> None:
        """Wait until the runs that have been started end."""
        await asyncio.gather(*(task for _, task in self._runs.values()))

    async def close(self) -> None:
        """End the runs when the calls under way are answered."""
        runs = list(self._runs.values())
        for run, _ in runs:
            run.end()
        if runs:
            await asyncio.wait([task for _, task in runs], timeout=ENDING_SECONDS)
        for _, task in runs:
            task.cancel()
        for _, task in runs:
            with suppress(asyncio.CancelledError):
                await task

    def _open(self, due: Due) -> Run | WritingRun:
        if due.provider == UNREAD:
            return WritingRun(self._runtime, due.app_id)
        return Run(self._runtime, *due, partial(self._gateways.find, *due))

    async def _finish(self, due: Due, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Unavailable:
            pass  # the database is away or busy: its engine has logged it, another run follows
        except Exception as defect:
            log.error("notices_failed", app=due.app_id, provider=due.provider, exc_info=defect)
            await asyncio.sleep(1)
        finally:
            del self._runs[due]
