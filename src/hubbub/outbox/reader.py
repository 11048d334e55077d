"""Readers of the log without a position: they leave out what can't be decoded or told.

Sockets and the change feed read an app's log from any place, on every node. What one of them leaves
out is set aside as what a consumer passes over: once, however often it is met again.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import structlog

from hubbub.kernel.errors import Unavailable
from hubbub.outbox.consumer import ConsumerState
from hubbub.outbox.log import LogEntry, Poison
from hubbub.outbox.set_aside import SetAside, insert_unless_there, log_set_aside, reason_of
from hubbub.storage.interface import Database

Result = TypeVar("Result")
Work = Callable[[Sequence[LogEntry]], Awaitable[Mapping[int, Result]]]
"""Returns what comes of each of some events, by number."""

log = structlog.get_logger()

MOST_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class LogReader:
    """One who reads the logs of apps and leaves out what can't be told."""

    name: str
    database: Database
    state: ConsumerState

    async def isolate(
        self, app_id: str, entries: Sequence[LogEntry], work: Work[Result]
    ) -> dict[int, Result]:
        """Do work with events together; if it fails, with each alone. Leave out what fails then.

        Raises:
            Unavailable: the database is away; nothing was left out.
        """
        kept = entries
        if left_out := self.state.left_out:
            kept = [each for each in entries if (app_id, each.id) not in left_out]
        if not kept:
            return {}
        try:
            return dict(await work(kept))
        except Unavailable:
            raise
        except Exception as defect:
            log.error("log_reader_failed", reader=self.name, app=app_id, exc_info=defect)
            return await self._take_each(app_id, kept, work)

    async def _take_each(
        self, app_id: str, entries: Sequence[LogEntry], work: Work[Result]
    ) -> dict[int, Result]:
        found: dict[int, Result] = {}
        failed: list[Poison] = []
        for each in entries:
            try:
                found |= await work([each])
            except Unavailable:
                raise
            except Exception as defect:  # noqa: BLE001  # it is set aside with its reason
                failed.append(Poison.of(each, defect))
        await self.leave_out(app_id, failed)
        return found

    async def leave_out(self, app_id: str, poison: Sequence[Poison]) -> None:
        """Set events aside that can't be told, and say why, unless this was done before.

        Raises:
            Unavailable: the database is away; nothing was left out.
        """
        new = [each for each in poison if (app_id, each.id) not in self.state.left_out]
        if not new:
            return
        at = self.state.clock.now()
        rows = [
            SetAside(at, each.number, self.name, each.id, each.name, reason_of(each.defect))
            for each in new
        ]
        inserted = await self.database.write(app_id, partial(insert_unless_there, events=rows))
        for row in inserted:
            self.state.set_aside += 1
            log_set_aside(app_id, row)
        if len(self.state.left_out) + len(new) > MOST_REMEMBERED:
            self.state.left_out.clear()
        self.state.left_out.update((app_id, each.id) for each in new)
