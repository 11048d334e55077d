"""How often something was done in the minute that is running."""

from collections import Counter
from collections.abc import Hashable

from hubbub.kernel.clock import Clock

MINUTE = 60


class Rates:
    """Counts by subject, in memory: they begin anew with each minute of the clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._minute = 0
        self._counts: Counter[Hashable] = Counter()

    def count(self, subject: Hashable, times: int = 1) -> int:
        """How often it was counted in this minute, these times included."""
        minute = self._clock.now() // MINUTE
        if minute != self._minute:
            self._minute = minute
            self._counts.clear()
        self._counts[subject] += times
        return self._counts[subject]

    @property
    def resets_at(self) -> int:
        """When the minute that was last counted in is over, in seconds since 1970."""
        return (self._minute + 1) * MINUTE

    @property
    def seconds_left(self) -> int:
        """How long that is from now; at least one second."""
        return max(1, self.resets_at - self._clock.now())
