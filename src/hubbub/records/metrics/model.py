"""Active days of users, and traffic. A day is the number of days since 1970, in UTC.

The users of each day are counted by their previous active day. Each user who was active in a range
of days has exactly one day in it whose previous one is not: their first. So the number of users in
a range is a sum of these counts.
"""

from collections import Counter
from dataclasses import dataclass

import msgspec

SECONDS_OF_DAY = 86_400
NO_DAY = -1
"""The previous day of a user's first one."""

ActiveCounts = Counter[tuple[int, int]]
"""Changes of the numbers of active users, by their day and their previous one."""


def day_of(at: int) -> int:
    """Return the day of a time in seconds."""
    return at // SECONDS_OF_DAY


class ActiveUser(msgspec.Struct, frozen=True):
    """A user with the days on which they were active, or a bot, of which no days are kept."""

    uid: str
    is_bot: bool = False
    first_day: int = 0
    days: str = "0"
    """Bits as a hexadecimal number; the lowest one is `first_day`."""


class Traffic(msgspec.Struct, frozen=True):
    """The messages sent and the receipts in a second, or in a longer time that begins `at`."""

    at: int
    messages: int = 0
    reads: int = 0
    deliveries: int = 0


@dataclass(frozen=True, slots=True)
class _Days:
    """A set of days: the bits of an integer, from a first day on."""

    first: int
    bits: int

    def previous(self, day: int) -> int:
        """Return the last day of the set before a day, or `NO_DAY`."""
        lower = self.bits & ((1 << max(day - self.first, 0)) - 1)
        return self.first + lower.bit_length() - 1 if lower else NO_DAY

    def next(self, day: int) -> int | None:
        """Return the first day of the set after a day, if there is one."""
        start = max(day + 1, self.first)
        higher = self.bits >> (start - self.first)
        return start + (higher & -higher).bit_length() - 1 if higher else None

    def has(self, day: int) -> bool:
        """Return whether a day is in the set."""
        return day >= self.first and bool(self.bits >> (day - self.first) & 1)

    def add(self, day: int) -> "_Days":
        """Return the set with one more day."""
        if not self.bits:
            return _Days(day, 1)
        first = min(day, self.first)
        return _Days(first, self.bits << (self.first - first) | 1 << (day - first))


def add_active_day(user: ActiveUser, day: int, counts: ActiveCounts) -> ActiveUser:
    """Return a user who was active on a day, too, and change `counts` by that.

    The days of a user may become known in any order. Bots are not counted.
    """
    days = _Days(user.first_day, int(user.days, 16))
    if user.is_bot or days.has(day):
        return user
    previous, following = days.previous(day), days.next(day)
    counts[day, previous] += 1
    if following is not None:
        counts[following, previous] -= 1
        counts[following, day] += 1
    added = days.add(day)
    return ActiveUser(user.uid, first_day=added.first, days=f"{added.bits:x}")
