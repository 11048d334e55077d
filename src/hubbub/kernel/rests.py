"""Rests: while several apps ask for something, one that has used what all share rests as long.

What an app does at length is done in parts of which each takes a moment. Turns alone would give it
every moment in which no other app happens to wait, and one that asks then waits for the end of that
part at each of its steps: for a thread, for the processor, for the writer. With a rest after each
part the others mostly find free what they need. An app that is alone never rests.
"""

import math
import time
from collections.abc import Callable

LEAST_SECONDS = 0.0003
"""What took less is over before it could be noticed."""
LONGEST_SECONDS = 0.2
RECENT_SECONDS = 1.0
"""An app that has asked for something so long ago asks again soon."""


class Rests:
    """Which apps ask for something at the moment. Threads may ask how long an app rests."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._last_app = ""
        self._last_at = self._others_at = -math.inf
        """When the app that asked last did so, and when the newest of the others did."""

    def note_call(self, app_id: str) -> None:
        """Note that an app asks for something."""
        if app_id != self._last_app:
            self._last_app, self._others_at = app_id, self._last_at
        self._last_at = self._now()

    def after(self, app_id: str, seconds: float) -> float:
        """Return the seconds that an app rests after it has used so many; 0 while it is alone."""
        if seconds < LEAST_SECONDS or self.is_alone(app_id):
            return 0.0
        return min(seconds, LONGEST_SECONDS)

    def is_alone(self, app_id: str) -> bool:
        """Return whether no other app asks for anything at the moment."""
        others_at = self._others_at if app_id == self._last_app else self._last_at
        return self._now() - others_at > RECENT_SECONDS
