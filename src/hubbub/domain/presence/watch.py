"""Say that this node runs, and watch over the others."""

from collections.abc import Awaitable, Callable

from hubbub.domain.presence.nodes import Tell, beat, note_counts, sweep, tell_nobody
from hubbub.records.metrics.model import day_of
from hubbub.runtime import Runtime

Restore = Callable[[], Awaitable[None]]
"""Stores the open sessions of this node again (`store_sessions`)."""


async def restore_nothing() -> None:
    """Return: the node has no sessions."""


class Watch:
    """What a node does for presence every few seconds, and what it knows from the last time."""

    def __init__(
        self, runtime: Runtime, *, tell: Tell = tell_nobody, restore: Restore = restore_nothing
    ) -> None:
        self._runtime = runtime
        self._tell = tell
        self._restore = restore
        self._is_doubtful = False
        """Whether other nodes may have closed sessions of this one."""
        self._day = 0
        """The day whose first peaks are stored."""

    async def run(self, _: Runtime) -> None:
        """Beat, restore what others have closed, and close the sessions of failed nodes.

        Raises:
            Unavailable: the database can't be reached.
        """
        was_doubtful, self._is_doubtful = self._is_doubtful, True  # also if this fails half-way
        if await beat(self._runtime) or was_doubtful:
            await self._restore()
        self._is_doubtful = False
        await sweep(self._runtime, self._tell)
        today = day_of(self._runtime.clock.now())
        if today > self._day:
            await note_counts(self._runtime, today)
            self._day = today
