"""The fields around the elements: one table entry for each `type` of interactive message."""

from collections.abc import Callable, Mapping
from typing import Any

from hubbub.domain.interactive_messages.checks import (
    Check,
    ObjectCheck,
    any_object,
    boolean,
    list_of,
    must,
    one_of,
    string,
)
from hubbub.domain.interactive_messages.elements import button, element
from hubbub.domain.interactive_messages.faults import FaultList, FieldPath
from hubbub.domain.interactive_messages.times import (
    WEEKDAYS,
    clock_digits,
    in_order,
    iso_date,
    read_clock_digits,
    read_date,
    time_zone,
)
from hubbub.records.polls.model import (
    FEWEST_OPTIONS,
    LONGEST_OPTION,
    LONGEST_QUESTION,
    MOST_OPTIONS,
    POLL,
)

LATEST_TIME = 253_402_300_799
"""The end of the year 9999, in seconds."""

# The documents that clients were written from disagree on these words: all are accepted.
GOALS = ("any", "anyAction", "anyOf", "oneOf", "allOf", "none")


def availability(value: Any, path: FieldPath) -> None:
    """Check the hours of each weekday in which appointments may be made."""
    any_object(value, path)
    if not isinstance(value, Mapping):
        return
    for day, hours in value.items():
        if day.lower() in WEEKDAYS:
            OPEN_HOURS(hours, path.at(day))
        else:
            path.at(day).report(f"A weekday must be one of: {', '.join(WEEKDAYS)}.")


def holds_form(data: Mapping[str, Any], path: FieldPath) -> None:
    """Check that a form has fields: in `interactiveData`, or else directly in `data`."""
    if "interactiveData" not in data and "formFields" not in data:
        path.at("interactiveData").report("This is required.")
        return
    form = data.get("interactiveData", data)
    if isinstance(form, Mapping) and not form.get("formFields", data.get("formFields")):
        place = path.at("interactiveData") if "interactiveData" in data else path
        place.at("formFields").report("A form needs at least one field.")


def _is_minutes(value: Any) -> bool:
    if isinstance(value, str):
        return value.isascii() and value.isdecimal()
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


minutes = must(_is_minutes, "This must be a whole number of minutes, 0 or more.")

OPEN_HOURS = list_of(
    ObjectCheck(
        required={"from": clock_digits, "to": clock_digits},
        rules=[in_order("from", "to", read_clock_digits)],
    )
)

GOAL: Mapping[str, Check] = {
    "interactionGoal": ObjectCheck(optional={"type": one_of(GOALS), "elementIds": list_of(string)}),
    "allowSenderInteraction": boolean,
}

ELEMENT_FIELDS: Mapping[str, Check] = {
    "formFields": list_of(element),
    "submitElement": button,
    "cardActions": list_of(button),
    "scheduleElement": button,
}

FORM = ObjectCheck(
    optional={"title": string, "text": string, "goalCompletionText": string, **ELEMENT_FIELDS},
)

CARD = ObjectCheck(optional={"text": string, "imageUrl": string, **ELEMENT_FIELDS})

SCHEDULER = ObjectCheck(
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


def poll_options(value: Any, path: FieldPath) -> None:
    """Check the options of a poll: how many there are, and that they differ."""
    if not isinstance(value, list) or not FEWEST_OPTIONS <= len(value) <= MOST_OPTIONS:
        path.report(f"This must be a list of {FEWEST_OPTIONS} to {MOST_OPTIONS} options.")
        return
    seen = set[str]()
    for index, option in enumerate(value):
        poll_option(option, path.at(index))
        if isinstance(option, str):
            if option.strip() in seen:
                path.at(index).report("This option is there twice.")
            seen.add(option.strip())


def votes_per_user(value: Mapping[str, Any], path: FieldPath) -> None:
    """Check that nobody has more votes than there are options."""
    most, options = value.get("votesPerUser", 1), value.get("options")
    count = len(options) if isinstance(options, list) else MOST_OPTIONS
    if not isinstance(most, int) or isinstance(most, bool) or not 1 <= most <= count:
        path.at("votesPerUser").report(f"This must be a number from 1 to {count}.")


def _is_text(longest: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and 0 < len(value.strip()) <= len(value) <= longest


def _is_time(value: Any) -> bool:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value is None or (is_number and 0 < value <= LATEST_TIME)


question = must(_is_text(LONGEST_QUESTION), f"This must be 1 to {LONGEST_QUESTION} characters.")
poll_option = must(_is_text(LONGEST_OPTION), f"This must be 1 to {LONGEST_OPTION} characters.")
moment = must(_is_time, "This must be a time in seconds since 1970.")

POLLS = ObjectCheck(
    required={"question": question, "options": poll_options},
    optional={"anonymous": boolean, "closesAt": moment},
    rules=[votes_per_user],
)

MESSAGES: Mapping[str, ObjectCheck] = {
    "form": ObjectCheck(
        optional={"interactiveData": FORM, **ELEMENT_FIELDS, **GOAL}, rules=[holds_form]
    ),
    "card": ObjectCheck(required={"interactiveData": CARD}, optional=GOAL),
    "scheduler": ObjectCheck(required={"interactiveData": SCHEDULER}, optional=GOAL),
    "customInteractive": ObjectCheck(required={"interactiveData": any_object}, optional=GOAL),
    POLL: POLLS,
}
INTERACTIVE_TYPES = tuple(MESSAGES)


def find_faults(message_type: str, data: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the faults of the `data` of an interactive message: sentences by dotted path.

    Its type is one of `INTERACTIVE_TYPES`.

    Empty if there are none; at most `faults.MOST_FAULTS` sentences.
    """
    faults = FaultList()
    MESSAGES[message_type](data, FieldPath("data", faults))
    return faults.found
