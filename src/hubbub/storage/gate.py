"""Refuses writes for a while, such as those of a node whose store is copied elsewhere."""

import math
import time
from collections.abc import Callable

from hubbub.kernel.errors import Unavailable

RETRY_SECONDS = 30


class WriteGate:
    """Lets writes through, unless it is closed."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._closed_until = -math.inf

    def close_for(self, seconds: float) -> None:
        """Refuse writes for so many seconds, with `inf` until the process ends, with 0 no more."""
        self._closed_until = self._now() + seconds

    def check(self) -> None:
        """Check that writes are not refused.

        Raises:
            Unavailable: they are.
        """
        if self._now() < self._closed_until:
            raise Unavailable(
                "The installation is moved to another database, and takes no changes meanwhile."
                " Nothing was changed; try again.",
                retry_after_seconds=RETRY_SECONDS,
            )
