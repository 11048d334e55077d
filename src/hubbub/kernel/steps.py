"""Steps of the clock: stored times that it can no longer have shown."""

LONGEST_STEP_MS = 5_000
"""Clocks of nodes may differ by so much; more is a clock that was set back."""


def is_set_back(stored_ms: int, now_ms: int) -> bool:
    """Return whether a clock that showed `stored_ms` was set back since, or was wrong then."""
    return stored_ms > now_ms + LONGEST_STEP_MS
