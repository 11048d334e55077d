"""The shapes of weekly schedules; in a change, fields that are absent keep their values."""

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from hubbub.kernel.errors import BadInput
from hubbub.records.notifications.app_settings import LATEST, WEEKDAYS, Schedule
from hubbub.rest.wire.shapes import Shape

Time = Annotated[
    int,
    Meta(ge=0, le=LATEST, description="Hours and minutes as a number, such as 1830."),
]
MINUTES = 60


class DayShape(Shape):
    """The period of a weekday in which notifications are sent, in the user's time zone.

    The minute `to` is in the period. If `to` is before `from`, the period goes over midnight: it is
    the beginning of that day, and its end. With `dnd`, nothing is sent on that day.
    """

    since: Time | None = msgspec.field(name="from", default=None)
    until: Time | None = msgspec.field(name="to", default=None)
    dnd: bool | None = None


class ScheduleShape(Shape):
    """The periods of the weekdays in which notifications are sent."""

    monday: DayShape | None = None
    tuesday: DayShape | None = None
    wednesday: DayShape | None = None
    thursday: DayShape | None = None
    friday: DayShape | None = None
    saturday: DayShape | None = None
    sunday: DayShape | None = None


def schedule_shape(schedule: Schedule) -> ScheduleShape:
    """Return a schedule on the wire."""
    days = {name: getattr(schedule, name) for name in WEEKDAYS}
    return ScheduleShape(
        **{
            name: DayShape(since=day.since, until=day.until, dnd=day.dnd)
            for name, day in days.items()
        }
    )


def read_schedule(shape: ScheduleShape | None, path: str) -> dict[str, Any] | None:
    """Return the given fields of a schedule, by the names of the records.

    Raises:
        BadInput: a time has no such minute; `path` is that of the schedule.
    """
    if shape is None:
        return None
    faults = {
        fault: ["This must be hours and minutes, such as 1830."] for fault in _faults(shape, path)
    }
    if faults:
        raise BadInput.fields(faults)
    days = {name: getattr(shape, name) for name in WEEKDAYS}
    return {name: _day_fields(day) for name, day in days.items() if day is not None}


def _day_fields(day: DayShape) -> dict[str, Any]:
    fields = msgspec.structs.asdict(day)
    return {name: value for name, value in fields.items() if value is not None}


def _faults(shape: ScheduleShape, path: str) -> Iterator[str]:
    """Yield the paths of the times that do not exist, such as 1260."""
    for name in WEEKDAYS:
        day = getattr(shape, name) or DayShape()
        for field, time in (("from", day.since), ("to", day.until)):
            if time is not None and time % 100 >= MINUTES:
                yield f"{path}.{name}.{field}"
