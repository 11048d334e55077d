"""Time as a dependency: code that needs the time gets a clock.

Times are whole seconds since 1970 (UTC), as on the wire, where nothing else is said.
"""

import math
import time
from collections import deque
from dataclasses import dataclass
from functools import cache, partial
from typing import Protocol
from zoneinfo import available_timezones

MOST_AHEAD_SECONDS = 5
"""By how much the clocks of nodes that share a database may differ."""
MOST_IMPORTED_AHEAD_SECONDS = 300
"""By how much the times of imports may lie ahead."""
LONGEST_STEP_MS = 5_000
"""Clocks of nodes may differ by so much; more is a clock that was set back."""
MOST_STEPS = 100
"""The steps that a node remembers, the last ones."""
NOT_IANA = frozenset({"Factory", "localtime"})


def believe(at: int, now: int, *, most_ahead: int = MOST_AHEAD_SECONDS) -> int:
    """Return a stored time; 0 if it lies so far ahead that a clock must have been wrong."""
    return at if at <= now + most_ahead else 0


ELAPSED = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""It counts the time that a machine sleeps, where the system knows it."""


NEVER = 2**53
"""A time, in milliseconds, that never comes: what is not due at all is due then."""


class Clock(Protocol):
    """The current time, and a measure of elapsed time."""

    def now(self) -> int:
        """Return the seconds since 1970."""
        ...

    def milliseconds(self) -> int:
        """Return the milliseconds since 1970."""
        ...

    def monotonic(self) -> float:
        """Return the seconds since some moment; it never goes back."""
        ...


class SystemClock:
    """The clock of the machine."""

    def now(self) -> int:
        return int(time.time())

    def milliseconds(self) -> int:
        return int(time.time() * 1000)

    monotonic = partial(time.clock_gettime, ELAPSED)


@dataclass(frozen=True, slots=True)
class ClockReading:
    """What another clock showed at a moment of the monotonic clock."""

    milliseconds: float
    at: float
    within_ms: float
    """The greatest possible error: half of the round trip."""


class SharedClock:
    """The time of a clock that several nodes share, kept going by the monotonic clock.

    It is corrected only as far as it must be wrong, and it does not go back: it stands still until
    the time has caught up. Only if that would take too long, it is set back.
    """

    LONGEST_STAND_MS = 5_000

    def __init__(self, machine: Clock) -> None:
        self._machine = machine
        self.monotonic = machine.monotonic  # asked for several times by each call
        self._offset_ms: float | None = None
        """What is added to the monotonic clock; None before the first reading."""
        self._latest = 0

    def now(self) -> int:
        return self.milliseconds() // 1000

    def milliseconds(self) -> int:
        self._latest = max(self._latest, math.floor(self._exact()))
        return self._latest

    @property
    def skew_seconds(self) -> float:
        """Return by how much the machine's own clock is ahead."""
        return (self._machine.milliseconds() - self._exact()) / 1000

    def correct(self, reading: ClockReading) -> None:
        """Take what the shared clock showed into account."""
        shown = reading.milliseconds - 1000 * reading.at
        if self._offset_ms is None:
            self._offset_ms, self._latest = shown, 0
            return
        error = shown - self._offset_ms
        if abs(error) <= reading.within_ms:
            return
        self._offset_ms += error - math.copysign(reading.within_ms, error)
        if self._latest - self._exact() > self.LONGEST_STAND_MS:
            self._latest = 0

    def _exact(self) -> float:
        if self._offset_ms is None:
            return self._machine.milliseconds()
        return 1000 * self._machine.monotonic() + self._offset_ms


class SteadyClock:
    """The time of a machine, for a node that is alone: it follows a step once that has lasted.

    A step of some seconds is followed at once. A longer one may be a mistake that is corrected in a
    moment. Until that is known, the time goes on by the monotonic clock.
    """

    LASTING_SECONDS = 60.0

    def __init__(self, machine: Clock) -> None:
        self._machine = machine
        self.monotonic = machine.monotonic  # asked for several times by each call
        self._offset_ms = machine.milliseconds() - 1000 * machine.monotonic()
        self._stepped_at: float | None = None
        self._latest = 0

    def now(self) -> int:
        return self.milliseconds() // 1000

    def milliseconds(self) -> int:
        shown, at = self._machine.milliseconds(), self._machine.monotonic()
        kept = 1000 * at + self._offset_ms
        if abs(shown - kept) <= 1000 * MOST_AHEAD_SECONDS:
            self._follow(shown, at)
        elif self._stepped_at is None:
            self._stepped_at = at
        elif at - self._stepped_at >= self.LASTING_SECONDS:
            self._latest = 0
            self._follow(shown, at)
        self._latest = max(self._latest, math.floor(1000 * at + self._offset_ms))
        return self._latest

    @property
    def skew_seconds(self) -> float:
        """Return by how much the machine's clock is ahead of this one."""
        return (self._machine.milliseconds() - self.milliseconds()) / 1000

    def _follow(self, shown: int, at: float) -> None:
        self._offset_ms, self._stepped_at = shown - 1000 * at, None


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
        ahead_ms = 0
        for each in reversed(self._steps):
            if each.noticed_ms <= since_ms:
                break  # it showed that time since then; those before are before it
            ahead_ms += each.ahead_ms
        return max(0, ahead_ms)

    def _find_offset(self) -> int:
        return self._clock.milliseconds() - round(1000 * self._clock.monotonic())


def is_time_zone(value: object) -> bool:
    """Return whether `value` names a zone of the IANA database, such as `Europe/Berlin`."""
    return isinstance(value, str) and value in _time_zones()


@cache
def _time_zones() -> frozenset[str]:
    return frozenset(available_timezones() - NOT_IANA)
