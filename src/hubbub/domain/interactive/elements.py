"""What an interactive message is made of: one table entry for each `elementType`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hubbub.domain.interactive.actions import action
from hubbub.domain.interactive.checks import Kinds, Shape, boolean, integer, list_of, one_of, string
from hubbub.domain.interactive.faults import Place
from hubbub.domain.interactive.ldml import date_pattern
from hubbub.domain.interactive.times import (
    in_order,
    is_date,
    is_date_time,
    is_time,
    iso_date,
    read_date,
    time_zone,
)
from hubbub.records.interactions.model import LONGEST_ELEMENT_ID

# A picker of days may start from a full date and time: it shows the part that it needs.
MODES: Mapping[str, Sequence[Callable[[str], bool]]] = {
    "date": (is_date, is_date_time),
    "time": (is_time, is_date_time),
    "dateTime": (is_date_time,),
}
ANY_MODE = (is_date, is_time, is_date_time)


def element_id(value: Any, place: Place) -> None:
    """Check that `value` is an id which no other element of the message has."""
    if not isinstance(value, str) or not value:
        place.report("This must be a string that is not empty.")
    elif len(value) > LONGEST_ELEMENT_ID or "\0" in value:
        place.report(f"This may have {LONGEST_ELEMENT_ID} characters, but not U+0000.")
    elif not place.faults.claim_element_id(value):
        place.report("Another element of this message has the same elementId.")


def default_is_option(element: Mapping[str, Any], place: Place) -> None:
    """Check that the preselected value is one of the options."""
    values = _option_values(element)
    if values is not None:
        _expect_option(element.get("defaultValue"), values, place.at("defaultValue"))


def defaults_are_options(element: Mapping[str, Any], place: Place) -> None:
    """Check that each preselected value is one of the options."""
    values, defaults = _option_values(element), element.get("defaultValue")
    if values is None or not isinstance(defaults, list):
        return
    for index, default in enumerate(defaults):
        _expect_option(default, values, place.at("defaultValue").at(index))


def _option_values(element: Mapping[str, Any]) -> list[str] | None:
    """The values on offer; None when there are none to judge by, as when an option is faulty."""
    options = element.get("options")
    if not isinstance(options, list):
        return None
    values: list[Any] = [option.get("value") for option in options if isinstance(option, Mapping)]
    are_sound = len(values) == len(options) and all(isinstance(each, str) for each in values)
    return values if are_sound else None


def _expect_option(default: Any, values: Sequence[str], place: Place) -> None:
    if isinstance(default, str) and default not in values:
        place.report("This must be the value of one of the options.")


def default_fits_mode(element: Mapping[str, Any], place: Place) -> None:
    """Check that what a picker shows at first is a date or time, as its mode has it."""
    default, mode = element.get("defaultValue"), element.get("mode")
    if not isinstance(default, str):
        return
    readings = MODES.get(mode, ANY_MODE) if isinstance(mode, str) else ANY_MODE
    if not any(fits(default) for fits in readings):
        place.at("defaultValue").report("This must be ISO 8601 and fit the mode of the element.")


OPTION = Shape(required={"value": string, "label": string})

SINGLE_CHOICE = Shape(
    optional={
        "optional": boolean,
        "label": string,
        "defaultValue": string,
        "options": list_of(OPTION),
    },
    rules=[default_is_option],
)

ELEMENTS: Mapping[str, Shape] = {
    "label": Shape(required={"text": string}),
    "textInput": Shape(
        optional={
            "optional": boolean,
            "label": string,
            "defaultValue": string,
            "maxLines": integer,
            "placeholder": Shape(optional={"text": string}),
        },
    ),
    "button": Shape(
        optional={
            "buttonText": string,
            "disableAfterInteracted": boolean,
            "action": action,
        },
    ),
    "checkbox": Shape(
        required={"label": string},
        optional={
            "optional": boolean,
            "defaultValue": list_of(string),
            "options": list_of(OPTION),
        },
        rules=[defaults_are_options],
    ),
    "dropdown": SINGLE_CHOICE,
    "radio": SINGLE_CHOICE,
    "singleSelect": SINGLE_CHOICE,
    "dateTime": Shape(
        optional={
            "optional": boolean,
            "label": string,
            "defaultValue": string,
            "dateTimeFormat": date_pattern,
            "mode": one_of(MODES),
            "timezoneCode": time_zone,
            "from": iso_date,
            "to": iso_date,
        },
        rules=[in_order("from", "to", read_date), default_fits_mode],
    ),
}

element = Kinds("elementType", ELEMENTS, shared={"elementId": element_id})
button = Kinds("elementType", {"button": ELEMENTS["button"]}, shared={"elementId": element_id})
