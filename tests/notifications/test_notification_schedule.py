"""The weekly schedule, minute by minute through days on which clocks change."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.notifications.talks import said

from hubbub.domain.notifications.planning.decide import Addressee, decide
from hubbub.domain.notifications.planning.local_time import Instant
from hubbub.records.notifications.app_settings import NotificationSettings
from hubbub.records.notifications.model import Reason
from hubbub.records.notifications.preferences import (
    Choices,
    DayChoices,
    ScheduleChoices,
    resolve_preferences,
)

SETTINGS = NotificationSettings()
MESSAGE = said()
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
CHANGES = [
    ("Europe/Berlin", "2026-03-29T01:00", 60, 120),
    ("Europe/Berlin", "2026-10-25T01:00", 120, 60),
    ("America/New_York", "2026-03-08T07:00", -300, -240),
    ("America/New_York", "2026-11-01T06:00", -240, -300),
    ("Australia/Lord_Howe", "2026-10-03T15:30", 630, 660),
    ("Australia/Lord_Howe", "2026-04-04T15:00", 660, 630),
    ("Pacific/Apia", "2011-12-30T10:00", -600, 840),
    ("Asia/Kathmandu", "2026-03-29T01:00", 345, 345),
    ("", "2026-03-29T01:00", 0, 0),
    ("Mars/Olympus", "2026-03-29T01:00", 0, 0),
]
"""Time zones, when their clocks change, and the minutes to UTC before and after."""
WEEK = {
    "monday": DayChoices(since=900, until=1700),
    "tuesday": DayChoices(dnd=True),
    "wednesday": DayChoices(since=0, until=0),
    "thursday": DayChoices(since=2359, until=2359),
    "friday": DayChoices(since=2200, until=600),
    "saturday": DayChoices(since=130, until=200),
    "sunday": DayChoices(since=200, until=259),
}


def open_minutes(day: DayChoices) -> set[int]:
    """Return the minutes of a day in which it is open, counted one by one."""
    if day.dnd:
        return set()
    since, until = day.since or 0, 2359 if day.until is None else day.until
    first, last = since // 100 * 60 + since % 100, until // 100 * 60 + until % 100
    found = set()
    minute = first
    while True:
        found.add(minute)
        if minute == last:
            return found
        minute = (minute + 1) % (24 * 60)


@pytest.mark.parametrize(("timezone", "change", "before", "after"), CHANGES)
def test_schedule_minute_by_minute(timezone: str, change: str, before: int, after: int) -> None:
    """The schedule is open as a clock on the wall says, hours left out and repeated included."""
    at = datetime.fromisoformat(change).replace(tzinfo=UTC)
    chosen = Choices(schedule=ScheduleChoices(**WEEK), timezone=timezone)
    ben = Addressee("ben", resolve_preferences(SETTINGS, chosen))
    wanted = {name: open_minutes(day) for name, day in WEEK.items()}

    for minutes in range(-4 * 24 * 60, 4 * 24 * 60):
        moment = at + timedelta(minutes=minutes, seconds=59)
        wall = moment + timedelta(minutes=before if moment < at else after)
        is_open = wall.hour * 60 + wall.minute in wanted[DAYS[wall.weekday()]]
        reason = decide(SETTINGS, MESSAGE, Instant(moment.timestamp()), ben)

        assert reason is (None if is_open else Reason.SCHEDULE_PREFERENCE), moment


def test_day_is_open_from_its_first_to_its_last_second() -> None:
    """Without choices, a schedule never refuses, in any minute."""
    ben = Addressee("ben", resolve_preferences(SETTINGS))

    assert not [
        second
        for second in range(1_790_000_000, 1_790_000_000 + 7 * 86_400, 59)
        if decide(SETTINGS, MESSAGE, Instant(second), ben)
    ]
