"""How long a reading on a thread may go on."""

import math
from collections.abc import Callable


class TimeLimit:
    """When a reading must have ended. Other threads may end it at once."""

    __slots__ = ("ends_at", "is_over_at_once", "now")

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.ends_at = math.inf
        self.is_over_at_once = False
        """Whether nobody waits for the reading any more."""

    @property
    def is_over(self) -> bool:
        """Return whether the reading is to be interrupted."""
        return self.is_over_at_once or (self.ends_at < math.inf and self.now() >= self.ends_at)
