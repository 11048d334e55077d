"""Steps of the clock: times that it can no longer have shown, or by which it was set ahead."""

from collections import deque
from dataclasses import dataclass

from hubbub.kernel.clock import Clock

LONGEST_STEP_MS = 5_000
"""Clocks of nodes may differ by so much; more is a clock that was set back."""
MOST_STEPS = 100
"""The steps that a node remembers, the last ones."""


def is_set_back(stored_ms: int, now_ms: int) -> bool:
    """Return whether a clock that showed `stored_ms` was set back since, or was wrong then."""
    return stored_ms > now_ms + LONGEST_STEP_MS


@dataclass(frozen=True, slots=True)
class _Step:
    noticed_ms: int
    """What the clock showed when it was noticed."""
    ahead_ms: int
    """Negative if the clock was set back."""


class Steps:
    """The steps of a node's clock while it runs, which its monotonic time does not take part in.

    They must be noted often: what is stored between a step and its notice counts as of before it.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._steps: deque[_Step] = deque(maxlen=MOST_STEPS)
        self._offset_ms = self._find_offset()

    def note(self) -> None:
        """Note a step since the last call, if there was one."""
        offset = self._find_offset()
        ahead_ms = offset - self._offset_ms
        if abs(ahead_ms) > LONGEST_STEP_MS:
            self._steps.append(_Step(self._clock.milliseconds(), ahead_ms))
            self._offset_ms = offset

    def find_ahead(self, since_ms: int) -> int:
        """Return by how many milliseconds the clock was set ahead after it showed a time."""
        self.note()
        after = (each.ahead_ms for each in self._steps if each.noticed_ms > since_ms)
        return max(0, sum(after))

    def _find_offset(self) -> int:
        return self._clock.milliseconds() - round(1000 * self._clock.monotonic())
