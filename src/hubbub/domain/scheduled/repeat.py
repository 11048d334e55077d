"""When a repeated message is sent: a part of the RRULE of iCalendar (RFC 5545), in a time zone.

Days are counted, one after the other: a rule that fits no day ends as any other, after ten years.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from hubbub.kernel.errors import BadInput

MOST_DAYS = 3_660
"""A message is repeated for ten years at most."""
MOST_TIMES = 10_000
MOST_INTERVAL = 1_000
DEFAULT_ZONE = "UTC"
"""The time zone of a rule that has none."""
FREQUENCIES = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_PART = re.compile(r"([A-Z]+)=([0-9A-Z,+-]+)")
_WEEKDAY = re.compile(r"([+-]?[1-5])?(MO|TU|WE|TH|FR|SA|SU)")
_UNTIL = re.compile(r"[0-9]{8}T[0-9]{6}Z")


@dataclass(frozen=True, slots=True)
class RepeatRule:
    """How a message is repeated; an empty tuple of days means those of its first time."""

    frequency: str
    interval: int = 1
    count: int = MOST_TIMES
    until: int | None = None
    """In seconds; the last time may be this one."""
    weekdays: tuple[tuple[int, int], ...] = ()
    """(which one of the month, or 0 for each; the day of the week, from Monday, 0)."""
    month_days: tuple[int, ...] = ()
    """Negative ones count from the end of the month."""
    months: tuple[int, ...] = ()


def parse_repeat(text: str) -> RepeatRule:
    """Return the rule in a text such as `FREQ=WEEKLY;BYDAY=MO,FR;COUNT=10`.

    Raises:
        BadInput: it is not a rule, has no end, or says what is not supported.
    """
    parts: dict[str, str] = {}
    for part in text.removeprefix("RRULE:").split(";"):
        match = _PART.fullmatch(part)
        if match is None or match[1] in parts or match[1] not in _READ:
            raise _wrong(f"It has {part[:50]!r}; its parts may be {', '.join(_READ)}, each once.")
        parts[match[1]] = match[2]
    if "FREQ" not in parts:
        raise _wrong(f"It needs FREQ: {', '.join(FREQUENCIES)}.")
    if ("COUNT" in parts) == ("UNTIL" in parts):
        raise _wrong("It needs an end: COUNT or UNTIL.")
    read = {name: value for part, text in parts.items() for name, value in _READ[part](text)}
    rule = RepeatRule(**read)  # type: ignore[arg-type]  # by the names of the fields
    if rule.frequency in ("DAILY", "WEEKLY") and any(which for which, _ in rule.weekdays):
        raise _wrong("A BYDAY with a number needs FREQ=MONTHLY or YEARLY.")
    if rule.frequency == "YEARLY" and rule.weekdays and not rule.months:
        raise _wrong("A BYDAY with FREQ=YEARLY needs BYMONTH.")
    return rule


def find_next(rule: RepeatRule, first_at: int, zone: str, after: int) -> int | None:
    """Return the first time of a rule after another time, in seconds; None if it has ended."""
    return next((at for at in list_times(rule, first_at, zone) if at > after), None)


def is_time_of(rule: RepeatRule, first_at: int, zone: str) -> bool:
    """Return whether a rule can begin with a time: its day fits the rule, and is not the end."""
    return next(list_times(rule, first_at, zone), None) == first_at


def list_times(rule: RepeatRule, first_at: int, zone: str) -> Iterator[int]:
    """Yield the times of a rule in seconds: at the same time of day in the zone as the first.

    A time of day that a day does not have, as clocks are set ahead, is that much later; of one that
    it has twice, the first counts.
    """
    place = ZoneInfo(zone)
    first = datetime.fromtimestamp(first_at, place)
    left = rule.count
    for number in range(MOST_DAYS):
        day = first.date() + timedelta(days=number)
        if not _fits(rule, first.date(), day):
            continue
        shown = datetime.combine(day, first.time(), place)
        at = first_at if number == 0 else int(shown.timestamp())
        if left == 0 or (rule.until is not None and at > rule.until):
            return
        left -= 1
        yield at


def _fits(rule: RepeatRule, first: date, day: date) -> bool:
    if _periods(rule.frequency, first, day) % rule.interval:
        return False
    if rule.months and day.month not in rule.months:
        return False
    if rule.weekdays and not any(_is_weekday(day, *each) for each in rule.weekdays):
        return False
    last = monthrange(day.year, day.month)[1]
    if rule.month_days:
        return day.day in rule.month_days or day.day - last - 1 in rule.month_days
    if rule.weekdays or rule.frequency == "DAILY":
        return True
    if rule.frequency == "WEEKLY":
        return day.weekday() == first.weekday()
    is_month = rule.frequency == "MONTHLY" or bool(rule.months) or day.month == first.month
    return is_month and day.day == first.day


def _periods(frequency: str, first: date, day: date) -> int:
    """Return how many days, weeks, months or years a day is after the first one."""
    if frequency == "DAILY":
        return (day - first).days
    if frequency == "WEEKLY":
        return ((day - first).days + first.weekday()) // 7
    years = day.year - first.year
    return years if frequency == "YEARLY" else 12 * years + day.month - first.month


def _is_weekday(day: date, which: int, weekday: int) -> bool:
    if day.weekday() != weekday:
        return False
    from_end = (monthrange(day.year, day.month)[1] - day.day) // 7 + 1
    return which in (0, (day.day - 1) // 7 + 1, -from_end)


Read = Iterator[tuple[str, object]]


def _read_frequency(text: str) -> Read:
    if text not in FREQUENCIES:
        raise _wrong(f"FREQ must be one of {', '.join(FREQUENCIES)}.")
    yield "frequency", text


def _number(part: str, most: int, name: str) -> Callable[[str], Read]:
    def read(text: str) -> Read:
        yield name, _whole(part, text, 1, most)

    return read


def _read_until(text: str) -> Read:
    try:
        at = datetime.fromisoformat(text) if _UNTIL.fullmatch(text) else None
    except ValueError:
        at = None
    if at is None:
        raise _wrong("UNTIL must be a time in UTC, such as 20301231T120000Z.")
    yield "until", int(at.timestamp())


def _read_weekdays(text: str) -> Read:
    found = [_WEEKDAY.fullmatch(each) for each in text.split(",")]
    days = [(int(each[1] or 0), WEEKDAYS.index(each[2])) for each in found if each is not None]
    if len(days) < len(found) or len(days) > 35:
        raise _wrong("BYDAY must be days such as MO,TU, or 1MO,-1FR.")
    yield "weekdays", tuple(days)


def _numbers(part: str, least: int, most: int, name: str) -> Callable[[str], Read]:
    def read(text: str) -> Read:
        given = text.split(",", 62)
        yield name, tuple(_whole(part, each, least, most) for each in given)

    return read


def _whole(part: str, text: str, least: int, most: int) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,5}", text) or not least <= int(text) <= most:
        raise _wrong(f"{part} must be {least:,} to {most:,}.")
    if int(text) == 0:
        raise _wrong(f"{part} must not be 0.")
    return int(text)


def _wrong(sentence: str) -> BadInput:
    return BadInput.field("repeat", f"The repeat must be an RRULE. {sentence}")


_READ: dict[str, Callable[[str], Read]] = {
    "FREQ": _read_frequency,
    "INTERVAL": _number("INTERVAL", MOST_INTERVAL, "interval"),
    "COUNT": _number("COUNT", MOST_TIMES, "count"),
    "UNTIL": _read_until,
    "BYDAY": _read_weekdays,
    "BYMONTHDAY": _numbers("BYMONTHDAY", -31, 31, "month_days"),
    "BYMONTH": _numbers("BYMONTH", 1, 12, "months"),
}
