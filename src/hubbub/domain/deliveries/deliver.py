"""Deliver: claim the queues that are due, a run for each, and let no queue wait for another."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

import structlog

from hubbub.domain.deliveries.run import Run
from hubbub.kernel.errors import Unavailable
from hubbub.records.webhooks import queues
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

log = structlog.get_logger()

MOST_RUNS = 500
"""The queues that a node delivers for at once."""

STORING_SECONDS = 1.0
"""How long the end of a node waits for the last outcomes to be stored."""

Key = tuple[str, int]


class Deliverer:
    """The runs of a node, by app and webhook."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._runs: dict[Key, tuple[Run, asyncio.Task[None]]] = {}

    async def start_due(self, _: Runtime) -> None:
        """Start a run for each queue that is due and that nobody delivers for.

        Raises:
            Unavailable: the database is away.
        """
        now = self._runtime.clock.milliseconds()
        found = await self._runtime.database.read(
            INSTALLATION,
            partial(queues.list_next_queues, now=now, limit=MOST_RUNS + len(self._runs)),
        )
        for app_id, webhook, due_at in found:
            key = (app_id, webhook)
            if due_at <= now and key not in self._runs and len(self._runs) < MOST_RUNS:
                run = Run(self._runtime, app_id, webhook, lambda: len(self._runs))
                self._runs[key] = run, asyncio.create_task(self._finish(key, run.deliver))

    async def wait(self) -> None:
        """Wait until the runs that have been started end."""
        await asyncio.gather(*(task for _, task in self._runs.values()))

    async def close(self) -> None:
        """End the runs when the calls under way are answered: nothing is told twice."""
        runs = list(self._runs.values())
        for run, _ in runs:
            run.end()
        if runs:
            seconds = self._runtime.settings.webhook_timeout + STORING_SECONDS
            await asyncio.wait([task for _, task in runs], timeout=seconds)
        for _, task in runs:
            task.cancel()
        for _, task in runs:
            with suppress(asyncio.CancelledError):
                await task

    async def _finish(self, key: Key, deliver: Callable[[], Awaitable[None]]) -> None:
        try:
            await deliver()
        except Unavailable:
            pass  # the database is away or busy: its engine has logged it, another run follows
        except Exception as defect:
            log.error("deliveries_failed", app=key[0], webhook=key[1], exc_info=defect)
            await asyncio.sleep(1)
        finally:
            del self._runs[key]
