"""Check the values entered in a form against its elements: pure rules."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from hubbub.domain.interactions.dates import UnreadableDate, read_days
from hubbub.domain.interactions.read import Element
from hubbub.domain.interactive_messages.faults import FaultList, FieldPath
from hubbub.domain.interactive_messages.times import read_date

FORM_DATA = "formData"
ValueCheck = Callable[[Any, Element, FieldPath], None]
_LINE_END = re.compile(r"\r\n|\r|\n")


def find_faults(
    elements: Mapping[str, Element], form_data: Mapping[str, Any]
) -> dict[str, list[str]]:
    """Return the faults in the values of a form: sentences by dotted path, empty if none."""
    faults = FaultList()
    form = FieldPath(FORM_DATA, faults)
    for element_id in form_data:
        if element_id not in elements:
            form.at(element_id).report("This form has no element with this id.")
    for element_id, element in elements.items():
        _check_value(form_data.get(element_id), element, form.at(element_id))
    return faults.found


def filled_in(form_data: Mapping[str, Any]) -> list[str]:
    """Return the ids of the elements that have a value."""
    return [element_id for element_id, value in form_data.items() if not _is_empty(value)]


def _is_empty(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return value is None or value == []


def _check_value(value: Any, element: Element, path: FieldPath) -> None:
    check = CHECKS.get(str(element.get("elementType")), _takes_nothing)
    if not _is_empty(value):
        check(value, element, path)
    elif element.get("optional") is False and check is not _takes_nothing:
        path.report("This is required.")


def _takes_nothing(_: Any, element: Element, path: FieldPath) -> None:
    path.report(f"A {element.get('elementType')} takes no value.")


def _check_text(value: Any, element: Element, path: FieldPath) -> None:
    if not isinstance(value, str):
        path.report("This must be a string.")
        return
    most = element.get("maxLines")
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        return
    if len(_LINE_END.findall(value)) >= most:
        path.report(f"This may have at most {most} lines.")


def _check_choice(value: Any, element: Element, path: FieldPath) -> None:
    if not isinstance(value, str):
        path.report("This must be a string: the value of one of the options.")
    elif value not in _option_values(element):
        path.report("This must be the value of one of the options.")


def _check_choices(value: Any, element: Element, path: FieldPath) -> None:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        path.report("This must be a list of strings: the values of some of the options.")
    elif not set(value) <= _option_values(element):
        path.report("Each of these must be the value of one of the options.")
    elif len(set(value)) < len(value):
        path.report("Each of these may be chosen once.")


def _option_values(element: Element) -> set[str]:
    options = element.get("options")
    found = options if isinstance(options, list) else []
    values = (option.get("value") for option in found if isinstance(option, Mapping))
    return {value for value in values if isinstance(value, str)}


def _check_moment(value: Any, element: Element, path: FieldPath) -> None:
    if not isinstance(value, str):
        path.report("This must be a string: a date or time.")
        return
    try:
        days = read_days(value, element)
    except UnreadableDate as fault:
        path.report(str(fault))
        return
    start, end = read_date(element.get("from")), read_date(element.get("to"))
    if days is not None and start is not None and days.last < start:
        path.report(f"This must not be before {start}.")
    if days is not None and end is not None and days.first > end:
        path.report(f"This must not be after {end}.")


CHECKS: Mapping[str, ValueCheck] = {
    "textInput": _check_text,
    "dropdown": _check_choice,
    "radio": _check_choice,
    "singleSelect": _check_choice,
    "checkbox": _check_choices,
    "dateTime": _check_moment,
}
"""By `elementType`; other elements take no value."""
