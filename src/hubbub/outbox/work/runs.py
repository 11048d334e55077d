"""The runs of a node, one for each queue that is due: no queue waits for another.

If there are more queues than runs, apps take turns, and so do the queues: a run that has had its
time ends, and its queue lines up again behind those that wait.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Generic, TypeAlias

import structlog

from hubbub.kernel.errors import Unavailable
from hubbub.outbox.work.kind import Stored, WorkKind
from hubbub.outbox.work.queue import Due, Name, due_bounds
from hubbub.outbox.work.run import Parts, Run
from hubbub.storage.interface import INSTALLATION

MOST_RUNS = 500
"""The queues of a kind that a node works on at once."""
TURN_SECONDS = 1.0
"""A run may go on for so long, though other queues wait for a place."""
STORING_SECONDS = 1.0
"""How long the end of a node waits, after the last call, until what came of it is stored."""
DEFECT_SECONDS = 1.0
"""So long a queue is left whose run has failed for a defect."""

log = structlog.get_logger()
_Run: TypeAlias = Run[Name, Any, Any, Any, Stored]


class Runs(Generic[Name, Stored]):
    """The runs of a node for one kind of work."""

    def __init__(
        self,
        parts: Parts,
        kind: WorkKind[Name, Stored],
        *,
        most: int = MOST_RUNS,
        turn_seconds: float = TURN_SECONDS,
    ) -> None:
        self._parts = parts
        self._kind = kind
        self._most = most
        self._turn_seconds = turn_seconds
        self._runs: dict[Due[Name], tuple[_Run[Name, Stored], asyncio.Task[None]]] = {}

    async def start_due(self, _: object = None) -> None:
        """Start a run for each queue that is due and that nobody works on.

        Raises:
            Unavailable: the database is away.
        """
        waiting = [each for each in await self._list_due() if each not in self._runs]
        places = self._most - len(self._runs)
        running = Counter(due.app_id for due in self._runs)
        for due in take_turns(waiting, running)[:places]:
            run: _Run[Name, Stored] = Run(self._parts, self._kind, due, lambda: len(self._runs))
            self._runs[due] = run, asyncio.create_task(self._carry_out(due, run))
        self._end_turns(len(waiting) - places)

    async def _list_due(self) -> Sequence[Due[Name]]:
        lease_ms = round(1000 * self._kind.lease_seconds)
        limit = self._most + len(self._runs)
        bounds = due_bounds(self._parts.clock.milliseconds(), lease_ms, limit=limit)
        return await self._parts.database.read(
            INSTALLATION, lambda snapshot: self._kind.list_due(snapshot, bounds)
        )

    def _end_turns(self, count: int) -> None:
        """End up to `count` runs that have had their time, those that began first."""
        latest = self._parts.clock.monotonic() - self._turn_seconds
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
            seconds = self._kind.call_seconds + STORING_SECONDS
            await asyncio.wait([task for _, task in runs], timeout=seconds)
        for _, task in runs:
            task.cancel()
        for _, task in runs:
            with suppress(asyncio.CancelledError):
                await task

    async def _carry_out(self, due: Due[Name], run: _Run[Name, Stored]) -> None:
        try:
            await run.carry_out()
        except Unavailable:
            pass  # the database is away or busy: its engine has logged it, another run follows
        except Exception as defect:
            where = {"work": self._kind.name, "app": due.app_id, "queue": due.queue}
            log.error("work_failed", exc_info=defect, **where)
            await asyncio.sleep(DEFECT_SECONDS)
        finally:
            del self._runs[due]


def take_turns(waiting: Sequence[Due[Name]], running: Mapping[str, int]) -> list[Due[Name]]:
    """Sort queues so that the next one is of an app with the fewest runs; else as they are."""
    counts = Counter(running)
    ranked: list[tuple[int, Due[Name]]] = []
    for due in waiting:
        ranked.append((counts[due.app_id], due))
        counts[due.app_id] += 1
    return [due for _, due in sorted(ranked, key=lambda each: each[0])]
