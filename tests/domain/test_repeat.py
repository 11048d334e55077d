"""RRULE: the times of repeated messages, in time zones, and the rules that are refused."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from hubbub.domain.scheduled.repeat import find_next, is_time_of, list_times, parse_repeat
from hubbub.kernel.errors import BadInput

BERLIN = "Europe/Berlin"


def times(rule: str, first: str, zone: str = BERLIN) -> list[str]:
    """Return the times of a rule as they are shown in its zone."""
    place = ZoneInfo(zone)
    first_at = int(datetime.fromisoformat(first).replace(tzinfo=place).timestamp())
    found = list_times(parse_repeat(rule), first_at, zone)
    return [f"{datetime.fromtimestamp(at, place):%m-%d %H:%M %z}" for at in found]


@pytest.mark.parametrize(
    ("rule", "first", "expected"),
    [
        ("FREQ=DAILY;COUNT=2", "2027-01-31 09:00", ["01-31 09:00 +0100", "02-01 09:00 +0100"]),
        ("RRULE:FREQ=DAILY;INTERVAL=3;COUNT=2", "2027-01-01", ["01-01", "01-04"]),
        ("FREQ=WEEKLY;BYDAY=MO,WE;COUNT=3", "2027-01-04", ["01-04", "01-06", "01-11"]),
        ("FREQ=WEEKLY;INTERVAL=2;COUNT=2", "2027-01-08", ["01-08", "01-22"]),
        ("FREQ=MONTHLY;BYMONTHDAY=31;COUNT=3", "2027-01-31", ["01-31", "03-31", "05-31"]),
        ("FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=2", "2027-01-31", ["01-31", "02-28"]),
        ("FREQ=MONTHLY;BYDAY=-1FR;COUNT=2", "2027-01-29", ["01-29", "02-26"]),
        ("FREQ=YEARLY;COUNT=2", "2028-02-29", ["02-29", "02-29"]),
        ("FREQ=DAILY;UNTIL=20270102T080000Z", "2027-01-01 09:00", ["01-01 09:00", "01-02 09:00"]),
        ("FREQ=DAILY;UNTIL=20270102T075959Z", "2027-01-01 09:00", ["01-01 09:00"]),
    ],
)
def test_the_times_of_a_rule(rule: str, first: str, expected: list[str]) -> None:
    """A rule has these times, and no others."""
    found = times(rule, first)

    assert len(found) == len(expected)
    assert all(each.startswith(start) for each, start in zip(found, expected, strict=True))


def test_the_time_of_day_stays() -> None:
    """The time of day in the zone is the same in summer and winter."""
    found = times("FREQ=WEEKLY;COUNT=3", "2027-03-21 09:00")

    assert found == ["03-21 09:00 +0100", "03-28 09:00 +0200", "04-04 09:00 +0200"]


def test_a_time_that_a_day_does_not_have() -> None:
    """As clocks are set ahead over a time, it is that much later, on this day alone."""
    found = times("FREQ=DAILY;COUNT=3", "2027-03-27 02:30")

    assert found == ["03-27 02:30 +0100", "03-28 03:30 +0200", "03-29 02:30 +0200"]


def test_a_time_that_a_day_has_twice() -> None:
    """As clocks are set back over a time, the first of both counts, once."""
    found = times("FREQ=DAILY;COUNT=3", "2027-10-30 02:30")

    assert found == ["10-30 02:30 +0200", "10-31 02:30 +0200", "11-01 02:30 +0100"]


def test_what_fits_no_day_ends() -> None:
    """A rule that fits no day has no time, and is no rule of any first time."""
    rule = parse_repeat("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=5")

    assert list(list_times(rule, 1_800_000_000, "UTC")) == []
    assert not is_time_of(rule, 1_800_000_000, "UTC")
    assert find_next(rule, 1_800_000_000, "UTC", 0) is None


def test_the_next_time() -> None:
    """The next time is after the given one, and after the last there is none."""
    rule, first, day = parse_repeat("FREQ=DAILY;COUNT=3"), 1_800_000_000, 86_400

    assert find_next(rule, first, "UTC", first) == first + day
    assert find_next(rule, first, "UTC", first + day + 1) == first + 2 * day
    assert find_next(rule, first, "UTC", first + 2 * day) is None


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "FREQ=DAILY",
        "COUNT=5",
        "FREQ=HOURLY;COUNT=5",
        "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;COUNT=10001",
        "FREQ=DAILY;COUNT=-1",
        "FREQ=DAILY;COUNT=1_0",
        "FREQ=DAILY;COUNT=2;UNTIL=20270101T000000Z",
        "FREQ=DAILY;COUNT=2;COUNT=2",
        "FREQ=DAILY;UNTIL=20271301T000000Z",
        "FREQ=DAILY;UNTIL=tomorrow",
        "FREQ=DAILY;INTERVAL=0;COUNT=2",
        "FREQ=DAILY;BYDAY=XX;COUNT=2",
        "FREQ=WEEKLY;BYDAY=1MO;COUNT=2",
        "FREQ=YEARLY;BYDAY=1MO;COUNT=2",
        "FREQ=MONTHLY;BYMONTHDAY=0;COUNT=2",
        "FREQ=MONTHLY;BYMONTHDAY=32;COUNT=2",
        "FREQ=MONTHLY;BYSETPOS=1;COUNT=2",
        "FREQ=DAILY;COUNT=٣",
        "FREQ=DAILY;COUNT=2\n",
        "freq=daily;count=2",
    ],
)
def test_rules_that_are_refused(rule: str) -> None:
    """A rule without an end, or with what is not supported, is refused with the field's name."""
    with pytest.raises(BadInput) as refused:
        parse_repeat(rule)

    assert list(refused.value.details or {}) == ["repeat"]
