"""The local time of people, against what clocks on the wall showed."""

from datetime import UTC, date, datetime

import pytest

from hubbub.domain.notifications.planning.local_time import Instant, find_timezone

MON, TUE, WED, THU, FRI, SAT, SUN = range(7)


def instant(moment: str) -> Instant:
    """Return the instant of a time in UTC."""
    return Instant(datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp())


@pytest.mark.parametrize(
    ("timezone", "moment", "day", "weekday", "hhmm"),
    [
        ("UTC", "2026-03-29T00:59:59", "2026-03-29", SUN, 59),
        ("Europe/Berlin", "2026-03-29T00:59:59", "2026-03-29", SUN, 159),
        ("Europe/Berlin", "2026-03-29T01:00:00", "2026-03-29", SUN, 300),
        ("Europe/Berlin", "2026-10-25T00:30:00", "2026-10-25", SUN, 230),
        ("Europe/Berlin", "2026-10-25T01:30:00", "2026-10-25", SUN, 230),
        ("Europe/Berlin", "2026-10-25T02:00:00", "2026-10-25", SUN, 300),
        ("America/New_York", "2026-03-08T06:59:00", "2026-03-08", SUN, 159),
        ("America/New_York", "2026-03-08T07:00:00", "2026-03-08", SUN, 300),
        ("America/New_York", "2026-11-01T05:59:00", "2026-11-01", SUN, 159),
        ("America/New_York", "2026-11-01T06:00:00", "2026-11-01", SUN, 100),
        ("Australia/Lord_Howe", "2026-04-04T14:59:00", "2026-04-05", SUN, 159),
        ("Australia/Lord_Howe", "2026-04-04T15:00:00", "2026-04-05", SUN, 130),
        ("Australia/Lord_Howe", "2026-10-03T15:30:00", "2026-10-04", SUN, 230),
        ("America/Santiago", "2026-09-06T03:59:00", "2026-09-05", SAT, 2359),
        ("America/Santiago", "2026-09-06T04:00:00", "2026-09-06", SUN, 100),  # no midnight
        ("Asia/Kolkata", "2026-06-30T18:29:00", "2026-06-30", TUE, 2359),
        ("Asia/Kolkata", "2026-06-30T18:30:00", "2026-07-01", WED, 0),
        ("Asia/Kathmandu", "2026-06-30T18:15:00", "2026-07-01", WED, 0),
        ("America/St_Johns", "2026-01-01T03:29:00", "2025-12-31", WED, 2359),
        ("Pacific/Chatham", "2026-06-30T11:15:00", "2026-07-01", WED, 0),
        ("Pacific/Kiritimati", "2026-06-30T10:00:00", "2026-07-01", WED, 0),
        ("Pacific/Pago_Pago", "2026-06-30T10:59:00", "2026-06-29", MON, 2359),
        ("Pacific/Apia", "2011-12-30T09:59:00", "2011-12-29", THU, 2359),
        ("Pacific/Apia", "2011-12-30T10:00:00", "2011-12-31", SAT, 0),  # a Friday left out
        ("Asia/Calcutta", "2026-06-30T18:30:00", "2026-07-01", WED, 0),  # an older name
    ],
)
def test_local_time(timezone: str, moment: str, day: str, weekday: int, hhmm: int) -> None:
    """Changes of daylight saving, parts of hours and the date line are those of the zone."""
    local = instant(moment).local(timezone)

    assert (local.day, local.weekday, local.hhmm) == (date.fromisoformat(day), weekday, hhmm)


@pytest.mark.parametrize(
    "timezone",
    [
        "",
        "Mars/Olympus",
        "America",
        "../../etc/passwd",
        "/etc/passwd",
        "a\0b",
        "zone.tab",
        "\ud800",
        "x" * 9999,
    ],
    ids=["none", "unknown", "folder", "outside", "absolute", "nul", "no zone", "surrogate", "long"],
)
def test_unknown_time_zone_is_utc(timezone: str) -> None:
    """A name that is no time zone raises nothing."""
    local = instant("2026-06-30T23:59:00").local(timezone)

    assert find_timezone(timezone) is UTC
    assert (local.weekday, local.hhmm) == (TUE, 2359)


def test_local_year_after_the_last_one() -> None:
    """A time at the end of the calendar raises nothing, either."""
    assert instant("9999-12-31T23:59:00").local("Pacific/Kiritimati").hhmm == 2359
