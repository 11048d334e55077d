"""What stands around the elements: one table entry for each `type` of interactive message."""

from collections.abc import Mapping
from typing import Any

from hubbub.domain.interactive.checks import (
    Check,
    Shape,
    any_object,
    boolean,
    list_of,
    must,
    one_of,
    string,
)
from hubbub.domain.interactive.elements import button, element
from hubbub.domain.interactive.faults import Place
from hubbub.domain.interactive.times import (
    clock_digits,
    in_order,
    iso_date,
    read_clock_digits,
    read_date,
    time_zone,
)

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

# The documents that clients were written by do not agree on these words: all of them are read.
GOALS = ("any", "anyAction", "anyOf", "oneOf", "allOf", "none")


def availability(value: Any, place: Place) -> None:
    """Check the hours of each weekday on which an appointment may lie."""
    any_object(value, place)
    if not isinstance(value, Mapping):
        return
    for day, hours in value.items():
        if day.lower() in WEEKDAYS:
            OPEN_HOURS(hours, place.at(day))
        else:
            place.at(day).report(f"A weekday is one of: {', '.join(WEEKDAYS)}.")


def holds_form(data: Mapping[str, Any], place: Place) -> None:
    """Check that there is a form, in its usual place or directly in the data."""
    if "interactiveData" not in data and "formFields" not in data:
        place.at("interactiveData").report("This is required.")


def _is_minutes(value: Any) -> bool:
    if isinstance(value, str):
        return value.isascii() and value.isdecimal()
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


minutes = must(_is_minutes, "This must be a whole number of minutes, 0 or more.")

OPEN_HOURS = list_of(
    Shape(
        required={"from": clock_digits, "to": clock_digits},
        rules=[in_order("from", "to", read_clock_digits)],
    )
)

GOAL: Mapping[str, Check] = {
    "interactionGoal": Shape(optional={"type": one_of(GOALS), "elementIds": list_of(string)}),
    "allowSenderInteraction": boolean,
}

ELEMENT_FIELDS: Mapping[str, Check] = {
    "formFields": list_of(element),
    "submitElement": button,
    "cardActions": list_of(button),
    "scheduleElement": button,
}

FORM = Shape(
    optional={"title": string, "text": string, "goalCompletionText": string, **ELEMENT_FIELDS},
)

CARD = Shape(optional={"text": string, "imageUrl": string, **ELEMENT_FIELDS})

SCHEDULER = Shape(
    optional={
        "title": string,
        "avatarUrl": string,
        "bufferTime": minutes,
        "duration": minutes,
        "icsFileUrl": string,
        "timezoneCode": time_zone,
        "availability": availability,
        "dateRangeStart": iso_date,
        "dateRangeEnd": iso_date,
        "goalCompletionText": string,
        **ELEMENT_FIELDS,
    },
    rules=[in_order("dateRangeStart", "dateRangeEnd", read_date)],
)

MESSAGES: Mapping[str, Shape] = {
    "form": Shape(optional={"interactiveData": FORM, **ELEMENT_FIELDS, **GOAL}, rules=[holds_form]),
    "card": Shape(required={"interactiveData": CARD}, optional=GOAL),
    "scheduler": Shape(required={"interactiveData": SCHEDULER}, optional=GOAL),
    "customInteractive": Shape(required={"interactiveData": any_object}, optional=GOAL),
}
