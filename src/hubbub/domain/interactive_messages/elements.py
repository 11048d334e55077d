"""The elements of an interactive message: one table entry for each `elementType`.

And the actions of buttons: one for each `actionType`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hubbub.domain.interactive_messages.checks import (
    KindCheck,
    ObjectCheck,
    any_object,
    boolean,
    integer,
    list_of,
    one_of,
    string,
)
from hubbub.domain.interactive_messages.faults import FieldPath
from hubbub.domain.interactive_messages.ldml import date_pattern
from hubbub.domain.interactive_messages.times import (
    in_order,
    is_date,
    is_date_time,
    is_time,
    iso_date,
    read_date,
    time_zone,
)
from hubbub.domain.interactive_messages.urls import deep_link, web_url
from hubbub.records.interactions.model import LONGEST_ELEMENT_ID

ACTIONS: Mapping[str, ObjectCheck] = {
    "apiAction": ObjectCheck(
        optional={
            "url": web_url,
            "method": string,
            "payload": any_object,
            "headers": any_object,
            "dataKey": string,
        },
    ),
    "urlNavigation": ObjectCheck(required={"url": web_url}),
    "deepLinkAction": ObjectCheck(required={"url": deep_link}),
    "customAction": ObjectCheck(),
}

action = KindCheck("actionType", ACTIONS)
# A date or time picker may start from a full date and time: it shows the part that it needs.
MODES: Mapping[str, Sequence[Callable[[str], bool]]] = {
    "date": (is_date, is_date_time),
    "time": (is_time, is_date_time),
    "dateTime": (is_date_time,),
}
ANY_MODE = (is_date, is_time, is_date_time)


def element_id(value: Any, path: FieldPath) -> None:
    """Check that `value` is an id that no other element of the message has."""
    if not isinstance(value, str) or not value:
        path.report("This must be a string that is not empty.")
    elif len(value) > LONGEST_ELEMENT_ID or "\0" in value:
        path.report(f"This may have at most {LONGEST_ELEMENT_ID} characters, and no U+0000.")
    elif not path.faults.claim_element_id(value):
        path.report("Another element of this message has the same elementId.")


def default_is_option(element: Mapping[str, Any], path: FieldPath) -> None:
    """Check that the preselected value is one of the options."""
    values = _option_values(element)
    if values is not None:
        _expect_option(element.get("defaultValue"), values, path.at("defaultValue"))


def defaults_are_options(element: Mapping[str, Any], path: FieldPath) -> None:
    """Check that each preselected value is one of the options."""
    values, defaults = _option_values(element), element.get("defaultValue")
    if values is None or not isinstance(defaults, list):
        return
    for index, default in enumerate(defaults):
        _expect_option(default, values, path.at("defaultValue").at(index))


def _option_values(element: Mapping[str, Any]) -> list[str] | None:
    """Return the values of the options; None if there are no options or one has a fault."""
    options = element.get("options")
    if not isinstance(options, list):
        return None
    values: list[Any] = [option.get("value") for option in options if isinstance(option, Mapping)]
    is_valid = len(values) == len(options) and all(isinstance(each, str) for each in values)
    return values if is_valid else None


def _expect_option(default: Any, values: Sequence[str], path: FieldPath) -> None:
    if isinstance(default, str) and default not in values:
        path.report("This must be the value of one of the options.")


def default_fits_mode(element: Mapping[str, Any], path: FieldPath) -> None:
    """Check that the initial value of a picker is a date or time that fits its mode."""
    default, mode = element.get("defaultValue"), element.get("mode")
    if not isinstance(default, str):
        return
    readings = MODES.get(mode, ANY_MODE) if isinstance(mode, str) else ANY_MODE
    if not any(fits(default) for fits in readings):
        path.at("defaultValue").report("This must be ISO 8601 and fit the mode of the element.")


OPTION = ObjectCheck(required={"value": string, "label": string})

SINGLE_CHOICE = ObjectCheck(
    optional={
        "optional": boolean,
        "label": string,
        "defaultValue": string,
        "options": list_of(OPTION),
    },
    rules=[default_is_option],
)

ELEMENTS: Mapping[str, ObjectCheck] = {
    "label": ObjectCheck(required={"text": string}),
    "textInput": ObjectCheck(
        optional={
            "optional": boolean,
            "label": string,
            "defaultValue": string,
            "maxLines": integer,
            "placeholder": ObjectCheck(optional={"text": string}),
        },
    ),
    "button": ObjectCheck(
        optional={
            "buttonText": string,
            "disableAfterInteracted": boolean,
            "action": action,
        },
    ),
    "checkbox": ObjectCheck(
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
    "dateTime": ObjectCheck(
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

element = KindCheck("elementType", ELEMENTS, shared={"elementId": element_id})
button = KindCheck("elementType", {"button": ELEMENTS["button"]}, shared={"elementId": element_id})
