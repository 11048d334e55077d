"""Time as a dependency: code that needs the time gets a clock.

Times are whole seconds since 1970 (UTC), as on the wire.
"""

import time
from typing import Protocol


class Clock(Protocol):
    """The current time, and a measure of elapsed time."""

    def now(self) -> int:
        """Return the seconds since 1970."""
        ...

    def monotonic(self) -> float:
        """Return the seconds since some moment; it never goes back."""
        ...


class SystemClock:
    """The clock of the machine."""

    def now(self) -> int:
        return int(time.time())

    def monotonic(self) -> float:
        return time.monotonic()
