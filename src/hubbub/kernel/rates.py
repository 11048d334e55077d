"""Counters of events in the current minute, for rate limits."""

from collections import Counter
from collections.abc import Hashable

from hubbub.kernel.clock import Clock

MINUTE = 60


class Rates:
    """Counts by subject, in memory; all of them reset with each minute of the clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._minute = 0
        self._counts: Counter[Hashable] = Counter()

    def count(self, subject: Hashable, times: int = 1) -> int:
        """Add `times` to the count of a subject; return its count in this minute."""
        minute = self._clock.now() // MINUTE
        if minute != self._minute:
            self._minute = minute
            self._counts.clear()
        self._counts[subject] += times
        return self._counts[subject]

    @property
    def resets_at(self) -> int:
        """Return the end of the minute last counted in, in seconds since 1970."""
        return (self._minute + 1) * MINUTE

    @property
    def seconds_left(self) -> int:
        """Return the seconds from now until `resets_at`; at least one, at most a minute."""
        return min(MINUTE, max(1, self.resets_at - self._clock.now()))
