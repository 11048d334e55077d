"""Read the dates and times entered in a form: by the element's pattern, or as ISO 8601."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from hubbub.domain.interactions.patterns import DAY, DAY_OF_YEAR, MONTH, YEAR, read_by_pattern
from hubbub.domain.interactive_messages.ldml import PatternError, PatternPart, read_pattern
from hubbub.domain.interactive_messages.times import is_date_time, is_time, read_date
from hubbub.kernel.clock import is_time_zone

ISO_EXAMPLES = {
    "date": "an ISO 8601 date, such as 2026-01-31",
    "time": "an ISO 8601 time, such as 09:30",
    "dateTime": "an ISO 8601 date and time, such as 2026-01-31T09:30",
}
LONGEST_SHOWN = 100
SOME_YEAR = 2000
"""A leap year: it has every day that a year can have."""


class UnreadableDate(ValueError):
    """A text is not a date or time in the expected format; the message names the format."""


@dataclass(frozen=True, slots=True)
class Days:
    """The range of days that a text means, both included: a whole month if it names no day."""

    first: date
    last: date


def read_days(text: str, element: Mapping[str, Any]) -> Days | None:
    """Return the days that a text means in an element; None if it is only a time.

    Raises:
        UnreadableDate: the text is not in the format of the element.
    """
    pattern = element.get("dateTimeFormat")
    parts = _parse_pattern(pattern) if isinstance(pattern, str) else None
    if parts is None:
        return _read_iso(text, element)
    found = read_by_pattern(parts, text)
    if found is None:
        form = str(pattern)[:LONGEST_SHOWN]
        raise UnreadableDate(f"This must be a date or time in the form `{form}`.")
    try:
        return _days_of_date(found)
    except (ValueError, OverflowError):
        raise UnreadableDate("This names a day that does not exist.") from None


def _parse_pattern(pattern: str) -> Sequence[PatternPart] | None:
    try:
        return read_pattern(pattern)
    except PatternError:
        return None


def _read_iso(text: str, element: Mapping[str, Any]) -> Days | None:
    mode = element.get("mode")
    modes = [mode] if isinstance(mode, str) and mode in ISO_EXAMPLES else list(ISO_EXAMPLES)
    day = read_date(text)
    if day is not None and "date" in modes:
        return Days(day, day)
    if is_date_time(text) and "dateTime" in modes:
        day = _local_day(datetime.fromisoformat(text), element.get("timezoneCode"))
        return Days(day, day)
    if is_time(text) and "time" in modes:
        return None
    raise UnreadableDate(f"This must be {', or '.join(ISO_EXAMPLES[each] for each in modes)}.")


def _local_day(moment: datetime, zone: Any) -> date:
    """Return the day of a moment, in the element's time zone if the text has an offset."""
    if moment.tzinfo is None or not is_time_zone(zone):
        return moment.date()
    try:
        return moment.astimezone(ZoneInfo(zone)).date()
    except OverflowError:  # the first or last day of all years
        return moment.date()


def _days_of_date(found: Mapping[str, int]) -> Days | None:
    """Return the days that the found year, month and day mean.

    Raises:
        ValueError, OverflowError: there is no such day.
    """
    year, month, day = found.get(YEAR), found.get(MONTH), found.get(DAY)
    first = date(year or SOME_YEAR, month or 1, day or 1)
    if year is None:
        return None
    if month is None:
        return _days_of_year(year, found.get(DAY_OF_YEAR))
    return Days(first, first if day is not None else _end_of_month(first))


def _days_of_year(year: int, number: int | None) -> Days:
    start, end = date(year, 1, 1), date(year, 12, 31)
    if number is None:
        return Days(start, end)
    day = start + timedelta(days=number - 1)
    if day > end:
        raise ValueError
    return Days(day, day)


def _end_of_month(first: date) -> date:
    if first.month == 12:
        return date(first.year, 12, 31)
    return date(first.year, first.month + 1, 1) - timedelta(days=1)
