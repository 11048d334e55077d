"""Validation of submitted values: valid ones are accepted, bad ones are named."""

import json
import time
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hubbub.domain.interactions.read import read_interactive
from hubbub.domain.interactions.submit import filled_in, find_faults
from hubbub.domain.interactive_messages.elements import ELEMENTS

Json = Any
CITIES = [{"value": "lon", "label": "London"}, {"value": "par", "label": "Paris"}]
TAKING = ("textInput", "dropdown", "radio", "singleSelect", "checkbox", "dateTime")
EMPTY: tuple[Json, ...] = (None, "", "  \n", [])


def faults(value: Json, kind: str = "textInput", **fields: Json) -> list[str]:
    """Return the faults of one value in a form with one element."""
    element = {"elementType": kind, "elementId": "x", **fields}
    found = find_faults({"x": element}, {"x": value})
    assert set(found) <= {"formData.x"}
    return found.get("formData.x", [])


def is_date_right(value: Json, **fields: Json) -> bool:
    """Return whether a date-time picker accepts a value."""
    return faults(value, "dateTime", **fields) == []


# Present and missing values


def test_unknown_elements_are_named() -> None:
    """A value for an element that the form does not have is a fault, of any type."""
    values: list[Json] = [None, "", "hello", 1, {}]
    for value in values:
        assert list(find_faults({}, {"nothing": value})) == ["formData.nothing"]


@pytest.mark.parametrize("kind", TAKING)
@pytest.mark.parametrize("value", EMPTY)
def test_required_values(kind: str, value: Json) -> None:
    """Only elements with `optional: false` are required; an empty value counts as missing."""
    element = {"elementType": kind, "elementId": "x", "optional": False}

    assert find_faults({"x": element}, {}) == {"formData.x": ["This is required."]}
    assert faults(value, kind, optional=False) == ["This is required."]
    for optional in ({}, {"optional": True}):
        assert faults(value, kind, **optional) == []


@pytest.mark.parametrize("kind", ["label", "button"])
def test_elements_without_a_value(kind: str) -> None:
    """A label and a button may be absent or empty, and nothing else."""
    assert find_faults({"x": {"elementType": kind, "optional": False}}, {}) == {}
    assert faults(None, kind) == []
    assert faults("pressed", kind) == [f"A {kind} takes no value."]


def test_every_type_of_element_is_known() -> None:
    """Each element that a message may have takes a value, or is known to take none."""
    assert {*TAKING, "label", "button"} == set(ELEMENTS)


def test_filled_in_elements() -> None:
    """Elements with a value are filled in, empty ones are not."""
    given_values = {"a": "text", "b": ["lon"], "c": None, "d": "", "e": [], "f": " "}

    assert filled_in(given_values) == ["a", "b"]


def test_all_faults_are_named() -> None:
    """Each element with a fault has its own place in the answer."""
    elements: dict[str, Json] = {
        "name": {"elementType": "textInput", "optional": False},
        "city": {"elementType": "dropdown", "options": CITIES},
        "day": {"elementType": "dateTime", "mode": "date"},
        "hello": {"elementType": "label", "text": "Hello"},
    }
    form_data = {"city": "rom", "day": "tomorrow", "hello": "you", "what": 1}

    places = {f"formData.{name}" for name in ("name", "city", "day", "hello", "what")}
    assert set(find_faults(elements, form_data)) == places


# Text and choices


@pytest.mark.parametrize("value", [1, 1.5, True, ["a"], {"a": 1}, 10**30])
@pytest.mark.parametrize("kind", ["textInput", "dropdown", "radio", "singleSelect", "dateTime"])
def test_values_that_must_be_text(kind: str, value: Json) -> None:
    """Only text is accepted where text is expected."""
    assert len(faults(value, kind, options=CITIES)) == 1


@pytest.mark.parametrize(
    ("most", "value", "is_right"),
    [
        (1, "one line", True),
        (1, "one\ntwo", False),
        (2, "one\r\ntwo", True),
        (2, "one\rtwo\nthree", False),
        (2, "one\n\n", False),
        (3, "one\n\nthree", True),
        (None, "\n" * 500 + "x", True),
        (0, "one\ntwo", True),
        (-1, "one\ntwo", True),
        ("1", "one\ntwo", True),
    ],
)
def test_how_many_lines_a_text_may_have(most: Json, value: str, is_right: bool) -> None:
    """At most `maxLines` lines, with any line ends; a value below one means no limit."""
    fields = {} if most is None else {"maxLines": most}

    assert (faults(value, **fields) == []) is is_right


@pytest.mark.parametrize("kind", ["dropdown", "radio", "singleSelect"])
def test_a_choice_is_one_of_the_options(kind: str) -> None:
    """The value of an option is accepted; its label, another case or anything else is not."""
    assert faults("par", kind, options=CITIES) == []
    for value in ("rom", "Paris", "PAR", "par "):
        assert faults(value, kind, options=CITIES) != []
    for options in ([], None, "par", [None, "par", {"value": 1}]):
        assert faults("par", kind, options=options) != []


@pytest.mark.parametrize(
    ("value", "is_right"),
    [
        (["par"], True),
        (["par", "lon"], True),
        (["par", "par"], False),
        (["par", "rom"], False),
        ("par", False),
        (["par", None], False),
        ([["par"]], False),
        ([{}], False),
        ({"par": True}, False),
        (1, False),
    ],
)
def test_a_checkbox_takes_some_of_the_options(value: Json, is_right: bool) -> None:
    """A list of values of options, each at most once, is accepted."""
    assert (faults(value, "checkbox", options=CITIES) == []) is is_right


# Dates and times


@pytest.mark.parametrize(
    ("mode", "right", "wrong"),
    [
        ("date", ["2026-01-31"], ["2026-01-31T09:30", "09:30", "2026-02-30", "31.01.2026"]),
        ("time", ["09:30", "09:30:15", "09:30Z"], ["2026-01-31", "9:30", "24:30", "0930"]),
        (
            "dateTime",
            ["2026-01-31T09:30", "2026-01-31T09:30:00.5Z", "2026-01-31T09:30+02:00"],
            ["2026-01-31", "09:30", "2026-01-31 09:30", "2026-01-31T09:30+99:00"],
        ),
        (None, ["2026-01-31", "09:30", "2026-01-31T09:30"], ["31.01.2026", "tomorrow"]),
    ],
)
def test_without_a_pattern_the_mode_decides(
    mode: str | None, right: list[str], wrong: list[str]
) -> None:
    """Without `dateTimeFormat` a date or time is ISO 8601, by its mode."""
    assert all(is_date_right(value, mode=mode) for value in right)
    assert not any(is_date_right(value, mode=mode) for value in wrong)


@pytest.mark.parametrize(
    ("pattern", "right", "wrong"),
    [
        ("yyyy-MM-dd HH:mm", ["2026-01-31 09:30"], ["2026-01-31", "2026-1-31 09:30", "26-01-31"]),
        ("dd.MM.yyyy", ["31.01.2026", "29.02.2028"], ["2026-01-31", "31.02.2026", "29.02.2026"]),
        ("d/M/yy", ["1/2/26", "31/12/99"], ["32/1/26", "1/13/26", "1/2/2026", "0/1/26"]),
        ("yyyyMMdd", ["20260131"], ["2026131", "202601311", "20261301"]),
        ("d MMMM yyyy", ["3 March 2026", "3 march 2026"], ["3 Mar 2026", "3 März 2026"]),
        ("d. MMM. yyyy", ["3. Mar. 2026"], ["3. March. 2026", "3 Mar 2026"]),
        ("EEEE, MMM d, y", ["Saturday, Jan 31, 2026"], ["Someday, Jan 31, 2026"]),
        ("h:mm a", ["9:05 PM", "12:00 am", "1:05 p.m."], ["13:00 PM", "9:05", "0:30 AM"]),
        ("HH:mm:ss", ["23:59:59"], ["24:00:00", "23:60:00", "23:59:60"]),
        ("k 'o''clock'", ["24 o'clock"], ["0 o'clock", "24 oclock"]),
        (
            "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
            ["2026-01-31T09:30:00.123+02:00", "2026-01-31T09:30:00.123Z"],
            ["2026-01-31T09:30:00+02:00", "2026-01-31T09:30:00.1234Z"],
        ),
        ("HH:mm z", ["09:30 PST", "09:30 Central European Time"], ["09:30", "09:30 "]),
        ("HH:mm VV", ["09:30 America/Los_Angeles"], ["09:30 /"]),
        ("yyyy-DDD", ["2026-031", "2028-366"], ["2026-366", "2026-000", "2026-31"]),
        ("QQQ y G", ["Q4 2026 AD"], ["Q5 2026 AD", "Q4 2026 XY"]),
        ("MM/yy", ["02/26"], ["13/26", "2/26"]),
        ("y 年 M 月 d 日", ["2026 年 1 月 31 日"], ["2026 年 1 月 32 日"]),
    ],
)
def test_a_pattern_defines_the_form_of_a_date(
    pattern: str, right: list[str], wrong: list[str]
) -> None:
    """With `dateTimeFormat` a date or time must have exactly that form, and exist."""
    assert [value for value in right if not is_date_right(value, dateTimeFormat=pattern)] == []
    assert [value for value in wrong if is_date_right(value, dateTimeFormat=pattern)] == []


@pytest.mark.parametrize(
    ("value", "fields", "is_right"),
    [
        ("2026-01-10", {}, True),
        ("2026-01-20", {}, True),
        ("2026-01-09", {}, False),
        ("2026-01-21", {}, False),
        ("2026-01-20T23:59", {}, True),
        ("2026-01-21T00:00", {}, False),
        ("2026-01-20T23:30Z", {"timezoneCode": "Europe/Berlin"}, False),
        ("2026-01-09T23:30Z", {"timezoneCode": "Europe/Berlin"}, True),
        ("2026-01-20T23:30", {"timezoneCode": "Europe/Berlin"}, True),
        ("23:30", {}, True),
        ("20.01.2026", {"dateTimeFormat": "dd.MM.yyyy"}, True),
        ("21.01.2026", {"dateTimeFormat": "dd.MM.yyyy"}, False),
        ("01/2026", {"dateTimeFormat": "MM/yyyy"}, True),
        ("02/2026", {"dateTimeFormat": "MM/yyyy"}, False),
        ("2026", {"dateTimeFormat": "yyyy"}, True),
        ("2025", {"dateTimeFormat": "yyyy"}, False),
        ("12/2025", {"dateTimeFormat": "MM/yyyy"}, False),
        ("2026-020", {"dateTimeFormat": "yyyy-DDD"}, True),
        ("2026-021", {"dateTimeFormat": "yyyy-DDD"}, False),
        ("31 Jan", {"dateTimeFormat": "d MMM"}, True),
        ("9999-12-31T23:00-12:00", {"timezoneCode": "Asia/Tokyo"}, False),
    ],
)
def test_a_date_lies_within_bounds(value: str, fields: Json, is_right: bool) -> None:
    """Between `from` and `to`, inclusive, if the value has a day at all."""
    bounds = {"from": "2026-01-10", "to": "2026-01-20"}

    assert is_date_right(value, **bounds, **fields) is is_right


def test_bounds_may_be_open() -> None:
    """A picker may have only one bound; one that is not a date has no effect."""
    assert not is_date_right("2026-01-09", **{"from": "2026-01-10"})
    assert is_date_right("2999-01-09", **{"from": "2026-01-10"})
    assert is_date_right("1999-01-09", to="2026-01-10")
    assert is_date_right("1999-01-09", to="soon", **{"from": 7})


# Arbitrary input


@pytest.mark.parametrize("pattern", ["dMyHms" * 900, "y" * 5_000, "Ed" * 2_000, "S" * 9_000])
def test_no_pattern_is_slow(pattern: str) -> None:
    """Any pattern reads any value in 0.1 s of CPU; a pattern that backtracks would take hours."""
    started = time.process_time()
    for value in ("1" * 10_000, "0" * 4_999 + "1", "Mon1" * 2_500, "x" * 10_000):
        faults(value, "dateTime", dateTimeFormat=pattern)

    assert time.process_time() - started < 60


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
PATTERNS = st.text("yMdHhmsSaEGQzXZVkKDwLce' .-/:年x", max_size=20)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([*TAKING, "label", "button", "nonsense"]),
    JSON_VALUES,
    st.fixed_dictionaries(
        {},
        optional={
            "optional": JSON_VALUES,
            "options": JSON_VALUES,
            "maxLines": JSON_VALUES,
            "mode": JSON_VALUES,
            "from": JSON_VALUES,
            "to": JSON_VALUES,
            "timezoneCode": JSON_VALUES,
            "dateTimeFormat": PATTERNS | JSON_VALUES,
        },
    ),
)
def test_nothing_makes_it_fail(kind: str, value: Json, fields: Json) -> None:
    """For any element and any value the result is a list of sentences."""
    assert all(sentence.endswith(".") for sentence in faults(value, kind, **fields))


@settings(max_examples=300, deadline=None)
@given(PATTERNS, st.text("0123456789 APMJanFriZ+-:./'年", max_size=30))
def test_nothing_makes_a_pattern_fail(pattern: str, value: str) -> None:
    """For any pattern and any text, the text is valid, or the answer says what it must be."""
    assert len(faults(value, "dateTime", dateTimeFormat=pattern)) <= 1


# Elements of a message


def test_where_elements_stand() -> None:
    """All lists and buttons of `interactiveData` have elements; a form's data may, too."""
    parts = (
        '"formFields": [{"elementId": "a"}], "cardActions": [{"elementId": "b"}],'
        ' "submitElement": {"elementId": "c"}, "scheduleElement": {"elementId": "d"}'
    )
    within = f'{{"interactiveData": {{{parts}}}}}'

    for type_ in ("form", "card", "scheduler"):
        assert list(read_interactive(type_, within).elements) == ["a", "b", "c", "d"]
    assert list(read_interactive("form", f"{{{parts}}}").elements) == ["a", "b", "c", "d"]
    assert read_interactive("form", within).submit_ids == ["c"]
    assert list(read_interactive("card", f"{{{parts}}}").elements) == []
    assert list(read_interactive("customInteractive", within).elements) == []


def test_elements_that_can_not_be_kept_are_none() -> None:
    """An element whose id cannot be stored does not count, and is not required."""
    fields = [
        {"elementType": "textInput", "elementId": id_, "optional": False}
        for id_ in ("", "a\0b", "x" * 256, "x" * 255)
    ]
    form = read_interactive("form", json.dumps({"formFields": fields}))

    assert list(form.elements) == ["x" * 255]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["form", "card", "scheduler", "customInteractive", "x"]), JSON_VALUES)
def test_no_message_makes_reading_fail(type_: str, value: Json) -> None:
    """Anything unexpected in place of elements, goals and buttons is ignored."""
    names = ("interactiveData", "formFields", "cardActions", "submitElement", "interactionGoal")
    for data in (*({name: value} for name in names), {"interactiveData": dict.fromkeys(names, 1)}):
        text = msgspec.json.encode({**data, "allowSenderInteraction": value}).decode()
        form = read_interactive(type_, text)
        assert all(isinstance(id_, str) for id_ in form.elements)
