"""The formats of dates, times and time zones in interactive messages.

Dates and times are in the extended form of ISO 8601, which browsers and phones read, too:
`2026-01-31`, `09:30`, `2026-01-31T09:30`, optionally with seconds and an offset.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from typing import Any, TypeVar

from hubbub.domain.interactive_messages.checks import Rule, must
from hubbub.domain.interactive_messages.faults import FieldPath
from hubbub.kernel.clock import is_time_zone

Moment = TypeVar("Moment", date, str)

_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?"
DATE = re.compile(_DATE)
TIME = re.compile(_TIME)
DATE_TIME = re.compile(f"{_DATE}T{_TIME}")
CLOCK_DIGITS = re.compile(r"(?:[01][0-9]|2[0-3])[0-5][0-9]|2400")

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def read_date(value: Any) -> date | None:
    """Return `value` as a date; None if it is not one."""
    if not isinstance(value, str) or not DATE.fullmatch(value):
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


def is_date(value: Any) -> bool:
    """Return whether `value` is a date."""
    return read_date(value) is not None


def is_time(text: str) -> bool:
    """Return whether `text` is a time of day."""
    return bool(TIME.fullmatch(text)) and _can_parse(time, text)


def is_date_time(text: str) -> bool:
    """Return whether `text` is a date with a time of day."""
    return bool(DATE_TIME.fullmatch(text)) and _can_parse(datetime, text)


def _can_parse(kind: type[time] | type[datetime], text: str) -> bool:
    try:
        kind.fromisoformat(text)
    except ValueError:
        return False
    return True


def read_clock_digits(value: Any) -> str | None:
    """Return `value` if it is a time of day as `HHMM`, up to `2400`; else None."""
    is_clock = isinstance(value, str) and CLOCK_DIGITS.fullmatch(value)
    return value if is_clock else None


def in_order(start: str, end: str, read: Callable[[Any], Moment | None]) -> Rule:
    """Return a rule that the field `start` is not after the field `end`."""

    def rule(value: Mapping[str, Any], path: FieldPath) -> None:
        first, last = read(value.get(start)), read(value.get(end))
        if first is not None and last is not None and first > last:
            path.at(start).report(f"This must not be after `{end}`.")

    return rule


iso_date = must(is_date, "This must be an ISO 8601 date, such as 2026-01-31.")
clock_digits = must(
    lambda value: read_clock_digits(value) is not None,
    "This must be a time of day as four digits, such as 0930.",
)
time_zone = must(is_time_zone, "This must be an IANA time zone, such as Europe/Berlin.")
