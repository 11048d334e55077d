"""Local times of sources that do not say their zone, as seconds since 1970."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta, tzinfo
from functools import lru_cache

Stamp = Callable[[date, int], int | None]
"""Returns the time of so many seconds after a day's midnight; None if no `Timestamp` has it."""

LATEST = 99_999_999_999


def stamps_in(zone: tzinfo) -> Stamp:
    """Return what makes times of the clocks of a zone; of a clock that is set back, the earlier."""

    @lru_cache(maxsize=4096)  # the clocks of logs show whole minutes
    def minute(day: date, minutes: int) -> int | None:
        try:
            local = datetime.combine(day, time(), zone) + timedelta(minutes=minutes)
            at = int(local.timestamp())
        except (OverflowError, ValueError):
            return None
        return at if 0 <= at <= LATEST else None

    def stamp(day: date, seconds: int) -> int | None:
        minutes, rest = divmod(seconds, 60)
        start = minute(day, minutes)
        return None if start is None else start + rest

    return stamp
