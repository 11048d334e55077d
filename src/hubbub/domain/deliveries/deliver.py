"""Deliver: claim the queues that are due, a run for each, and let no queue wait for another.

If there are more queues than runs, apps take turns, and so do the queues: a run that has had its
time ends, and its queue lines up again behind those that wait.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial

import structlog

from hubbub.domain.deliveries.run import Run, longest_lease
from hubbub.kernel.errors import Unavailable
from hubbub.records.webhooks import queues
from hubbub.records.webhooks.queues import Due
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

log = structlog.get_logger()

MOST_RUNS = 500
"""The queues that a node delivers for at once."""

TURN_SECONDS = 1.0
"""A run may go on for so long, though other queues wait for a place."""
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
        due = await self._list_due()
        waiting = [each for each in due if (each.app_id, each.webhook) not in self._runs]
        places = MOST_RUNS - len(self._runs)
        running = Counter(app_id for app_id, _ in self._runs)
        for each in take_turns(waiting, running)[:places]:
            key = each.app_id, each.webhook
            run = Run(self._runtime, *key, lambda: len(self._runs))
            self._runs[key] = run, asyncio.create_task(self._finish(key, run.deliver))
        self._end_turns(len(waiting) - places)

    async def _list_due(self) -> Sequence[Due]:
        listing = partial(
            queues.list_due_queues,
            now=self._runtime.clock.milliseconds(),
            longest_lease=longest_lease(self._runtime),
            limit=MOST_RUNS + len(self._runs),
        )
        return await self._runtime.database.read(INSTALLATION, listing)

    def _end_turns(self, count: int) -> None:
        """End up to `count` runs that have had their time, those that began first."""
        latest = self._runtime.clock.monotonic() - TURN_SECONDS
        over = [run for run, _ in self._runs.values() if run.began <= latest]
        for run in over[: max(0, count)]:
            run.end()

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


def take_turns(waiting: Sequence[Due], running: Mapping[str, int]) -> list[Due]:
    """Sort queues so that the next one is of an app with the fewest runs; else as they are."""
    counts = Counter(running)
    ranked: list[tuple[int, Due]] = []
    for due in waiting:
        ranked.append((counts[due.app_id], due))
        counts[due.app_id] += 1
    return [due for _, due in sorted(ranked, key=lambda each: each[0])]
