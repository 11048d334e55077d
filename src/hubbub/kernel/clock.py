"""Time as a dependency: whoever needs the hour is handed a clock.

Times are whole seconds since 1970 (UTC), as on the wire; a name that ends in `_ms` is milliseconds.
"""

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time, and how much of it has passed."""

    def now(self) -> int:
        """Seconds since 1970."""
        ...

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        ...

    def monotonic(self) -> float:
        """Seconds since some moment; never goes back."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> int:
        return int(time.time())

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        return time.monotonic()
