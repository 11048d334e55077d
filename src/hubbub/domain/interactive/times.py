"""Dates, times and time zones as interactive messages spell them.

Dates and times are ISO 8601 in its extended form, the one that browsers and phones read too:
`2026-01-31`, `09:30`, `2026-01-31T09:30`, with seconds and an offset where wanted.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from functools import cache
from typing import Any, TypeVar
from zoneinfo import available_timezones

from hubbub.domain.interactive.checks import Rule, must
from hubbub.domain.interactive.faults import Place

Moment = TypeVar("Moment", date, str)

_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?"
DATE = re.compile(_DATE)
TIME = re.compile(_TIME)
DATE_TIME = re.compile(f"{_DATE}T{_TIME}")
CLOCK_DIGITS = re.compile(r"(?:[01][0-9]|2[0-3])[0-5][0-9]|2400")

NOT_IANA = frozenset({"Factory", "localtime"})


def read_date(value: Any) -> date | None:
    """The day that `value` names, or None when it is no date."""
    if not isinstance(value, str) or not DATE.fullmatch(value):
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


def is_date(value: Any) -> bool:
    """Whether `value` is a day."""
    return read_date(value) is not None


def is_time(text: str) -> bool:
    """Whether `text` is a time of day."""
    return bool(TIME.fullmatch(text)) and _reads(time, text)


def is_date_time(text: str) -> bool:
    """Whether `text` is a day with a time of day."""
    return bool(DATE_TIME.fullmatch(text)) and _reads(datetime, text)


def _reads(kind: type[time] | type[datetime], text: str) -> bool:
    try:
        kind.fromisoformat(text)
    except ValueError:
        return False
    return True


def read_clock_digits(value: Any) -> str | None:
    """A time of day as `HHMM`, up to `2400`; None when it is none."""
    is_clock = isinstance(value, str) and CLOCK_DIGITS.fullmatch(value)
    return value if is_clock else None


def is_time_zone(value: Any) -> bool:
    """Whether `value` names a zone of the IANA database, such as `Europe/Berlin`."""
    return isinstance(value, str) and value in _time_zones()


@cache
def _time_zones() -> frozenset[str]:
    return frozenset(available_timezones() - NOT_IANA)


def in_order(start: str, end: str, read: Callable[[Any], Moment | None]) -> Rule:
    """A rule that the field `start` does not lie after the field `end`."""

    def rule(value: Mapping[str, Any], place: Place) -> None:
        first, last = read(value.get(start)), read(value.get(end))
        if first is not None and last is not None and first > last:
            place.at(start).report(f"This must not be after `{end}`.")

    return rule


iso_date = must(is_date, "This must be an ISO 8601 date, such as 2026-01-31.")
clock_digits = must(
    lambda value: read_clock_digits(value) is not None,
    "This must be a time of day as four digits, such as 0930.",
)
time_zone = must(is_time_zone, "This must be an IANA time zone, such as Europe/Berlin.")
