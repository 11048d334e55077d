"""The local time of people: weekday, time of day and date in their time zone, at one instant."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class LocalTime:
    """A time as a clock on the wall shows it."""

    day: date
    weekday: int
    """0 is Monday."""
    hhmm: int
    """Hours and minutes as one number: 2359 is a minute before midnight."""


class Instant:
    """One point in time, and the local times of all time zones asked for so far.

    A notification to thousands of people asks for few time zones, again and again.
    """

    def __init__(self, now: float) -> None:
        self.now = now
        """In seconds since the epoch."""
        self._local: dict[str, LocalTime] = {}

    def local(self, timezone: str) -> LocalTime:
        """Return the local time in an IANA time zone; in UTC if it is empty or unknown."""
        found = self._local.get(timezone)
        if found is None:
            found = self._local[timezone] = _local_time(self.now, timezone)
        return found


def find_timezone(name: str) -> tzinfo:
    """Return the time zone with an IANA name, such as Asia/Kolkata; UTC if there is none."""
    return _find_timezone(name) if name else UTC


@lru_cache(maxsize=1024)
def _find_timezone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    # Names may be folders (America), leave the folder of zones (../..) or be no text for a path.
    except (KeyError, ValueError, OSError):
        return UTC


def _local_time(now: float, timezone: str) -> LocalTime:
    zone = find_timezone(timezone)
    try:
        local = datetime.fromtimestamp(now, zone)
    except OverflowError:  # a local year after 9999
        local = datetime.fromtimestamp(now, UTC)
    return LocalTime(local.date(), local.weekday(), local.hour * 100 + local.minute)
