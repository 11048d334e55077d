"""How many rows of an import share a transaction, in a store into which others write, too.

A transaction holds the counters of its app, for which all who send in the app wait.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

FIRST_ROWS, FEWEST_ROWS, MOST_ROWS = 100, 50, 1000
"""A transaction has a cost of its own: with fewer rows it takes nearly as long.

While nobody else writes, more would hardly be faster, and the first one to come waits for them.
"""
BESIDE_OTHERS_SECONDS = 0.005
"""So long a transaction is to hold the counters while others write."""
RECENT_SECONDS = 10.0
"""Others who wrote so long ago write again soon."""
GROWTH = 2
"""So many times the rows of a transaction the next one has at most."""
NO_TIME = 1e-6


@dataclass(slots=True)
class SharedPace:
    """Follows how long transactions hold the counters, and whether others write between them."""

    now: Callable[[], float] = time.perf_counter
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    rows: int = field(default=FIRST_ROWS, init=False)
    """So many rows the next transaction is to have."""
    _began_at: float = field(default=0.0, init=False)
    _version: int = field(default=0, init=False)
    """The version of the app that the present transaction has found."""
    _next_version: int | None = field(default=None, init=False)
    """The version that the next one finds if nobody else writes."""
    _others_at: float = field(default=float("-inf"), init=False)

    def begin(self, version: int) -> None:
        """Note that a transaction holds the counters from now on, and what version they have."""
        self._began_at, self._version = self.now(), version
        if self._next_version not in (None, version):
            self._others_at = self._began_at

    async def end(self, rows: int) -> None:
        """Note that the transaction has stored so many rows; rest as long, if others write."""
        held = max(self.now() - self._began_at, NO_TIME)
        self._next_version = self._version + 1
        most = min(self.rows * GROWTH, MOST_ROWS)
        if self._began_at - self._others_at > RECENT_SECONDS:
            self.rows = most
            return
        fitting = int(rows * BESIDE_OTHERS_SECONDS / held)
        self.rows = max(FEWEST_ROWS, min(fitting, most))
        await self.sleep(held)
