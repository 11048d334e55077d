"""Validation of interactive messages: valid ones are accepted, faults are named by their place."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hubbub.domain.interactive_messages.faults import MOST_FAULTS, FaultList
from hubbub.domain.interactive_messages.messages import find_faults

Json = Any

GONE = object()
"""Stands for "remove the field" in the tables below."""

CITIES = [{"value": "lon", "label": "London"}, {"value": "par", "label": "Paris"}]

FORM = {
    "interactionGoal": {"type": "anyOf", "elementIds": ["submit"]},
    "allowSenderInteraction": False,
    "interactiveData": {
        "title": "Where shall we meet?",
        "goalCompletionText": "Thank you, Anna.",
        "formFields": [
            {"elementType": "label", "elementId": "hello", "text": "A few questions, Anna."},
            {
                "elementType": "textInput",
                "elementId": "name",
                "optional": False,
                "label": "Your name",
                "defaultValue": "Anna",
                "maxLines": 1,
                "placeholder": {"text": "First and last name"},
            },
            {
                "elementType": "checkbox",
                "elementId": "cities",
                "optional": True,
                "label": "Cities you like",
                "defaultValue": ["lon", "par"],
                "options": CITIES,
            },
            {
                "elementType": "dropdown",
                "elementId": "city",
                "optional": False,
                "label": "City",
                "defaultValue": "par",
                "options": CITIES,
            },
            {
                "elementType": "radio",
                "elementId": "second",
                "optional": False,
                "label": "Second choice",
                "defaultValue": "lon",
                "options": CITIES,
            },
            {
                "elementType": "singleSelect",
                "elementId": "third",
                "optional": False,
                "label": "Third choice",
                "defaultValue": "lon",
                "options": CITIES,
            },
            {
                "elementType": "dateTime",
                "elementId": "day",
                "optional": False,
                "label": "Day",
                "defaultValue": "2026-02-01",
                "dateTimeFormat": "yyyy-MM-dd",
                "mode": "date",
                "timezoneCode": "Europe/Berlin",
                "from": "2026-01-01",
                "to": "2026-12-31",
            },
            {
                "elementType": "button",
                "elementId": "call",
                "buttonText": "Ask for a call",
                "disableAfterInteracted": True,
                "action": {
                    "actionType": "apiAction",
                    "url": "https://example.com/calls",
                    "method": "POST",
                    "payload": {"who": "anna"},
                    "headers": {"X-Shop": "7"},
                    "dataKey": "chatData",
                },
            },
            {
                "elementType": "button",
                "elementId": "page",
                "action": {"actionType": "urlNavigation", "url": "http://example.com/"},
            },
            {
                "elementType": "button",
                "elementId": "app",
                "action": {"actionType": "deepLinkAction", "url": "myapp://orders/7"},
            },
        ],
        "submitElement": {
            "elementType": "button",
            "elementId": "submit",
            "buttonText": "Send",
            "action": {"actionType": "customAction"},
        },
    },
}

CARD = {
    "interactiveData": {
        "text": "New shoes, Ben!",
        "imageUrl": "https://example.com/shoes.png",
        "cardActions": [
            {
                "elementType": "button",
                "elementId": "buy",
                "buttonText": "Buy",
                "action": {"actionType": "urlNavigation", "url": "https://example.com/buy"},
            },
            {"elementType": "button", "elementId": "later", "buttonText": "Later"},
        ],
    },
}

SCHEDULER = {
    "interactiveData": {
        "title": "Meet Cleo",
        "avatarUrl": "https://example.com/cleo.png",
        "bufferTime": 15,
        "duration": "30",
        "icsFileUrl": "https://example.com/cleo.ics",
        "timezoneCode": "Asia/Kolkata",
        "availability": {
            "monday": [{"from": "0900", "to": "1200"}, {"from": "1300", "to": "1759"}],
            "Friday": [{"from": "0000", "to": "2400"}],
            "sunday": [],
        },
        "dateRangeStart": "2026-01-01",
        "dateRangeEnd": "2026-01-31",
        "scheduleElement": {"elementType": "button", "elementId": "book"},
        "goalCompletionText": "See you!",
    },
}

CUSTOM = {"interactiveData": {"quiz": [1, 2], "formFields": [{"elementType": "sudoku"}]}}

EXAMPLES: dict[str, dict[str, Json]] = {
    "form": FORM,
    "card": CARD,
    "scheduler": SCHEDULER,
    "customInteractive": CUSTOM,
}

FIELDS = "interactiveData.formFields"
LABEL, TEXT, CHECKBOX, DROPDOWN, RADIO, SELECT, DATE, CALL, PAGE, APP = (
    f"{FIELDS}.{index}" for index in range(10)
)
SUBMIT = "interactiveData.submitElement"
GOAL = "interactionGoal"
FIRST_CARD_ACTION = "interactiveData.cardActions.0"
MONDAY = "interactiveData.availability.monday"


def changed(message_type: str, path: str, value: Json) -> dict[str, Json]:
    """Return the valid example of a type with one field set, added or removed."""
    data: dict[str, Json] = json.loads(json.dumps(EXAMPLES[message_type]))
    *parents, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    place: Json = data
    for key in parents:
        place = place[key]
    if value is GONE:
        del place[last]
    elif isinstance(place, list) and last == len(place):
        place.append(value)
    else:
        place[last] = value
    return data


@pytest.mark.parametrize("message_type", EXAMPLES)
def test_a_complete_message_has_no_faults(message_type: str) -> None:
    """A message that uses every field of its type correctly is accepted."""
    assert find_faults(message_type, EXAMPLES[message_type]) == {}


def test_a_form_has_fields() -> None:
    """A form without fields is refused, wherever they would be."""
    forms: list[dict[str, Json]] = [{}, {"formFields": []}, {"title": "A form"}]
    for empty in forms:
        assert set(find_faults("form", {"interactiveData": empty})) == {
            "data.interactiveData.formFields"
        }
    assert set(find_faults("form", {"formFields": []})) == {"data.formFields"}


@pytest.mark.parametrize(
    "element",
    [
        {"elementType": "label", "text": "Hello"},
        {"elementType": "textInput"},
        {"elementType": "button"},
        {"elementType": "button", "action": {"actionType": "apiAction"}},
        {"elementType": "button", "action": {"actionType": "customAction"}},
        {"elementType": "checkbox", "label": "Cities"},
        {"elementType": "dropdown"},
        {"elementType": "radio"},
        {"elementType": "singleSelect"},
        {"elementType": "dateTime"},
        {"elementType": "textInput", "placeholder": {}},
        {"elementType": "dropdown", "defaultValue": "par"},
        {"elementType": "dropdown", "options": CITIES},
        {"elementType": "checkbox", "label": "Cities", "defaultValue": ["par"]},
    ],
)
def test_what_is_optional_may_be_absent(element: dict[str, Json]) -> None:
    """An element with only its required fields is accepted."""
    data = {"interactiveData": {"formFields": [{"elementId": "only", **element}]}}

    assert find_faults("form", data) == {}


@pytest.mark.parametrize("message_type", ["card", "scheduler", "customInteractive"])
def test_an_empty_object_is_enough_of_an_envelope(message_type: str) -> None:
    """Nothing inside `interactiveData` is required, but the fields of a form."""
    assert find_faults(message_type, {"interactiveData": {}}) == {}


FAULTS_OF_A_FORM: list[tuple[Json, ...]] = [
    # the elements in general
    (f"{FIELDS}", "none"),
    (f"{FIELDS}", {"0": {}}),
    (f"{FIELDS}", None),
    (f"{LABEL}", 7),
    (f"{LABEL}", None),
    (f"{LABEL}", [{}]),
    (f"{LABEL}.elementType", GONE),
    (f"{LABEL}.elementType", 7),
    (f"{LABEL}.elementType", ["label"]),
    (f"{LABEL}.elementType", "Label"),
    (f"{LABEL}.elementType", "sudoku"),
    (f"{LABEL}.elementId", GONE),
    (f"{LABEL}.elementId", 7),
    (f"{LABEL}.elementId", ""),
    # label
    (f"{LABEL}.text", GONE),
    (f"{LABEL}.text", 7),
    # textInput
    (f"{TEXT}.optional", "false"),
    (f"{TEXT}.optional", 0),
    (f"{TEXT}.label", 7),
    (f"{TEXT}.defaultValue", ["Anna"]),
    (f"{TEXT}.maxLines", "3"),
    (f"{TEXT}.maxLines", 1.5),
    (f"{TEXT}.maxLines", True),
    (f"{TEXT}.placeholder", "Your name"),
    (f"{TEXT}.placeholder.text", 7),
    # checkbox
    (f"{CHECKBOX}.optional", 1),
    (f"{CHECKBOX}.label", GONE),
    (f"{CHECKBOX}.label", None),
    (f"{CHECKBOX}.defaultValue", "lon"),
    (f"{CHECKBOX}.defaultValue.1", 7),
    (f"{CHECKBOX}.defaultValue.1", "rom"),
    (f"{CHECKBOX}.options", {"lon": "London"}),
    (f"{CHECKBOX}.options.2", "rom"),
    (f"{CHECKBOX}.options.1.value", GONE),
    (f"{CHECKBOX}.options.1.label", GONE),
    # dropdown, radio, singleSelect
    *[
        (f"{choice}.{field}", value)
        for choice in (DROPDOWN, RADIO, SELECT)
        for field, value in [
            ("optional", "no"),
            ("label", 7),
            ("defaultValue", 7),
            ("defaultValue", ["lon"]),
            ("defaultValue", "rom"),
            ("defaultValue", "London"),
            ("options", "lon"),
            ("options.1", 7),
            ("options.0.value", 7),
            ("options.0.label", 7),
            ("options.1.label", GONE),
        ]
    ],
    # dateTime
    (f"{DATE}.optional", "no"),
    (f"{DATE}.label", 7),
    (f"{DATE}.defaultValue", 7),
    (f"{DATE}.defaultValue", "tomorrow"),
    (f"{DATE}.defaultValue", "09:30"),
    (f"{DATE}.dateTimeFormat", 7),
    (f"{DATE}.dateTimeFormat", "yyyy-MM-dd'T"),
    (f"{DATE}.dateTimeFormat", "yyyy-nn"),
    (f"{DATE}.mode", "datetime"),
    (f"{DATE}.mode", ["date"]),
    (f"{DATE}.timezoneCode", 7),
    (f"{DATE}.timezoneCode", ["UTC"]),
    (f"{DATE}.timezoneCode", "Europe/Atlantis"),
    (f"{DATE}.timezoneCode", "Europe"),
    (f"{DATE}.timezoneCode", "../../etc/passwd"),
    (f"{DATE}.timezoneCode", "localtime"),
    (f"{DATE}.from", 7),
    (f"{DATE}.from", "01/31/2026"),
    (f"{DATE}.from", "2026-02-30"),
    (f"{DATE}.from", "2026-01-01T00:00"),
    (f"{DATE}.from", "2027-01-01"),
    (f"{DATE}.to", 7),
    (f"{DATE}.to", "2026-13-01"),
    # button
    (f"{CALL}.buttonText", 7),
    (f"{CALL}.disableAfterInteracted", "true"),
    (f"{CALL}.action", "call"),
    (f"{CALL}.action.actionType", GONE),
    (f"{CALL}.action.actionType", 7),
    (f"{CALL}.action.actionType", "apiCall"),
    # apiAction
    (f"{CALL}.action.url", "/calls"),
    (f"{CALL}.action.url", "myapp://calls"),
    (f"{CALL}.action.url", 7),
    (f"{CALL}.action.method", 7),
    (f"{CALL}.action.payload", "who=anna"),
    (f"{CALL}.action.headers", ["X-Shop: 7"]),
    (f"{CALL}.action.dataKey", 7),
    # urlNavigation and deepLinkAction
    (f"{PAGE}.action.url", GONE),
    (f"{PAGE}.action.url", 7),
    (f"{PAGE}.action.url", "myapp://orders/7"),
    (f"{PAGE}.action.actionType", GONE),
    (f"{APP}.action.url", GONE),
    (f"{APP}.action.url", 7),
    (f"{APP}.action.url", "javascript:alert(1)"),
    (f"{APP}.action.actionType", GONE),
    # around the elements
    ("interactiveData", []),
    ("interactiveData", None),
    ("interactiveData.title", 7),
    ("interactiveData.text", 7),
    ("interactiveData.goalCompletionText", 7),
    (SUBMIT, "Send"),
    (f"{SUBMIT}.elementType", GONE),
    (f"{SUBMIT}.elementType", "label"),
    (f"{SUBMIT}.elementId", GONE),
    (f"{SUBMIT}.action.actionType", GONE),
    (GOAL, "any"),
    (f"{GOAL}.type", "all"),
    (f"{GOAL}.type", 7),
    (f"{GOAL}.elementIds", "submit"),
    (f"{GOAL}.elementIds.0", 7),
    ("allowSenderInteraction", "true"),
    ("allowSenderInteraction", 1),
    # elements directly in the data
    ("formFields", {}),
    ("submitElement", {"elementType": "label", "elementId": "x"}, "submitElement.elementType"),
]

FAULTS_OF_A_CARD: list[tuple[Json, ...]] = [
    ("interactiveData", GONE),
    ("interactiveData", "New shoes"),
    ("interactiveData.text", 7),
    ("interactiveData.imageUrl", 7),
    ("interactiveData.cardActions", {}),
    (FIRST_CARD_ACTION, "Buy"),
    (f"{FIRST_CARD_ACTION}.elementType", "dropdown"),
    (f"{FIRST_CARD_ACTION}.elementId", "later", "interactiveData.cardActions.1.elementId"),
    (f"{FIRST_CARD_ACTION}.action.url", "buy.html"),
    (GOAL, []),
    ("allowSenderInteraction", None),
]

FAULTS_OF_A_SCHEDULER: list[tuple[Json, ...]] = [
    ("interactiveData", GONE),
    ("interactiveData", 7),
    ("interactiveData.title", 7),
    ("interactiveData.avatarUrl", 7),
    ("interactiveData.bufferTime", "a while"),
    ("interactiveData.bufferTime", True),
    ("interactiveData.bufferTime", -15),
    ("interactiveData.duration", "-30"),
    ("interactiveData.duration", 7.5),
    ("interactiveData.duration", ""),
    ("interactiveData.duration", "³"),
    ("interactiveData.duration", "٣"),
    ("interactiveData.icsFileUrl", 7),
    ("interactiveData.timezoneCode", "IST+5"),
    ("interactiveData.goalCompletionText", 7),
    ("interactiveData.dateRangeStart", "soon"),
    ("interactiveData.dateRangeStart", "2026-02-01"),
    ("interactiveData.dateRangeEnd", "2026-02-29"),
    ("interactiveData.availability", []),
    ("interactiveData.availability.funday", []),
    (MONDAY, {"from": "0900", "to": "1200"}),
    (f"{MONDAY}.0", "0900-1200"),
    (f"{MONDAY}.0.from", GONE),
    (f"{MONDAY}.0.from", "9:00"),
    (f"{MONDAY}.0.from", "1201"),
    (f"{MONDAY}.0.to", GONE),
    (f"{MONDAY}.0.to", "2500"),
    (f"{MONDAY}.0.to", 1200),
    ("interactiveData.scheduleElement", []),
    ("interactiveData.scheduleElement.elementType", "label"),
    (GOAL, []),
]

FAULTS_OF_A_CUSTOM_MESSAGE: list[tuple[Json, ...]] = [
    ("interactiveData", GONE),
    ("interactiveData", []),
    (GOAL, {"type": "some"}, f"{GOAL}.type"),
    ("allowSenderInteraction", "no"),
]


@pytest.mark.parametrize(
    ("message_type", "path", "value", "expected"),
    [
        pytest.param(message_type, path, value, *(expected or [path]), id=f"{message_type}-{path}")
        for message_type, faults in [
            ("form", FAULTS_OF_A_FORM),
            ("card", FAULTS_OF_A_CARD),
            ("scheduler", FAULTS_OF_A_SCHEDULER),
            ("customInteractive", FAULTS_OF_A_CUSTOM_MESSAGE),
        ]
        for path, value, *expected in faults
    ],
)
def test_one_fault_is_named_where_it_stands(
    message_type: str, path: str, value: Json, expected: str
) -> None:
    """One bad field is reported under its path, and nothing else is."""
    faults = find_faults(message_type, changed(message_type, path, value))

    assert set(faults) == {f"data.{expected}"}
    assert all(sentence.endswith(".") for sentence in faults[f"data.{expected}"])


def test_a_form_needs_a_form() -> None:
    """A form with neither `interactiveData` nor `formFields` is refused."""
    assert set(find_faults("form", {"text": "hello"})) == {"data.interactiveData"}


def test_form_fields_may_stand_directly_in_the_data() -> None:
    """`formFields` and the submit button directly under `data` are a form, checked there."""
    form = changed("form", GOAL, {})["interactiveData"]
    assert find_faults("form", form) == {}

    form["formFields"][0]["text"] = 7
    form["submitElement"]["elementType"] = "label"

    assert set(find_faults("form", form)) == {
        "data.formFields.0.text",
        "data.submitElement.elementType",
    }


TWIN = {"elementType": "button", "elementId": "twin"}
OTHER = {"elementType": "button", "elementId": "other"}


@pytest.mark.parametrize("message_type", ["form", "card", "scheduler"])
@pytest.mark.parametrize(
    ("twins", "path"),
    [
        ({"formFields": [TWIN, TWIN]}, "formFields.1"),
        ({"formFields": [TWIN], "submitElement": TWIN}, "submitElement"),
        ({"formFields": [TWIN], "scheduleElement": TWIN}, "scheduleElement"),
        (
            {"formFields": [OTHER], "submitElement": TWIN, "cardActions": [TWIN]},
            "cardActions.0",
        ),
        ({"formFields": [OTHER], "cardActions": [TWIN, TWIN]}, "cardActions.1"),
    ],
)
def test_an_element_id_is_used_once_in_a_message(
    message_type: str, twins: dict[str, Json], path: str
) -> None:
    """The second of two elements with one id is refused, anywhere in the message."""
    faults = find_faults(message_type, {"interactiveData": twins})

    assert set(faults) == {f"data.interactiveData.{path}.elementId"}


def test_both_places_of_a_form_share_their_element_ids() -> None:
    """An id of `interactiveData` is not free for `formFields` directly under `data`."""
    faults = find_faults("form", {"interactiveData": {"formFields": [TWIN]}, "formFields": [TWIN]})

    assert set(faults) == {"data.formFields.0.elementId"}


def test_messages_do_not_share_element_ids() -> None:
    """An id of one message is free in the next."""
    data = {"interactiveData": {"formFields": [TWIN]}}
    find_faults("form", data)

    assert find_faults("form", data) == {}


def test_every_weekday_is_known_in_any_case() -> None:
    """Hours may be given for each of the seven days, in any case."""
    days = ["monday", "Tuesday", "WEDNESDAY", "thursday", "Friday", "saturday", "sunday"]
    data: dict[str, Any] = {"interactiveData": {"availability": {day: [] for day in days}}}

    assert find_faults("scheduler", data) == {}


@pytest.mark.parametrize("minutes", [0, 45, "0", "45"])
def test_minutes_may_be_digits_in_a_string(minutes: Json) -> None:
    """A duration is a number or its digits, or absent."""
    data = {"interactiveData": {"bufferTime": minutes, "duration": minutes}}

    assert find_faults("scheduler", data) == {}


@pytest.mark.parametrize("goal", ["any", "anyAction", "anyOf", "oneOf", "allOf", "none"])
def test_all_spellings_of_a_goal_are_read(goal: str) -> None:
    """Each word that any client uses for an interaction goal is accepted."""
    assert find_faults("card", changed("card", GOAL, {"type": goal})) == {}


def form_with_date(**fields: Json) -> dict[str, Json]:
    """Return a form with one date picker."""
    picker = {"elementType": "dateTime", "elementId": "day", **fields}
    return {"formFields": [picker]}


@pytest.mark.parametrize(
    "fields",
    [
        {"mode": "date", "defaultValue": "2026-02-01"},
        {"mode": "date", "defaultValue": "2021-12-12T12:12"},
        {"mode": "time", "defaultValue": "09:30"},
        {"mode": "time", "defaultValue": "09:30:15.250+02:00"},
        {"mode": "time", "defaultValue": "2021-12-12T12:12"},
        {"mode": "dateTime", "defaultValue": "2021-12-12T12:12"},
        {"mode": "dateTime", "defaultValue": "2021-12-12T12:12:30Z"},
        {"defaultValue": "2026-02-01"},
        {"defaultValue": "09:30"},
        {"defaultValue": "2021-12-12T12:12"},
    ],
)
def test_a_picker_starts_from_a_value_of_its_mode(fields: dict[str, Json]) -> None:
    """A default with what the mode shows is accepted; without a mode, any is."""
    assert find_faults("form", form_with_date(**fields)) == {}


@pytest.mark.parametrize(
    "fields",
    [
        {"mode": "date", "defaultValue": "09:30"},
        {"mode": "date", "defaultValue": "2026-02-29"},
        {"mode": "date", "defaultValue": "20260201"},
        {"mode": "date", "defaultValue": ""},
        {"mode": "time", "defaultValue": "2026-02-01"},
        {"mode": "time", "defaultValue": "25:00"},
        {"mode": "time", "defaultValue": "9:30"},
        {"mode": "time", "defaultValue": "0930"},
        {"mode": "dateTime", "defaultValue": "2026-02-01"},
        {"mode": "dateTime", "defaultValue": "09:30"},
        {"mode": "dateTime", "defaultValue": "2026-02-29T09:30"},
        {"mode": "dateTime", "defaultValue": "2026-02-01 09:30"},
        {"defaultValue": "tomorrow"},
    ],
)
def test_a_picker_does_not_start_from_anything_else(fields: dict[str, Json]) -> None:
    """A default without what the mode shows is refused."""
    faults = find_faults("form", form_with_date(**fields))

    assert set(faults) == {"data.formFields.0.defaultValue"}


def test_a_range_may_be_a_single_moment() -> None:
    """Start and end may be the same, for days and for hours."""
    one_hour = changed("scheduler", f"{MONDAY}.0.to", "0900")
    one_day = changed("scheduler", "interactiveData.dateRangeEnd", "2026-01-01")

    assert find_faults("form", form_with_date(**{"from": "2026-01-01", "to": "2026-01-01"})) == {}
    assert find_faults("scheduler", one_hour) == {}
    assert find_faults("scheduler", one_day) == {}


def test_a_default_is_not_judged_by_faulty_options() -> None:
    """If an option is bad, only that is reported: the default may refer to it."""
    faults = find_faults("form", changed("form", f"{RADIO}.options.0.value", 7))

    assert set(faults) == {f"data.{RADIO}.options.0.value"}


def test_no_options_offer_no_default() -> None:
    """A default is refused if the options are given and empty."""
    faults = find_faults("form", changed("form", f"{DROPDOWN}.options", []))

    assert set(faults) == {f"data.{DROPDOWN}.defaultValue"}


def test_every_fault_is_reported_at_once() -> None:
    """A message with several faults is answered with all of them."""
    data = changed("form", f"{LABEL}.text", 7)
    data["interactiveData"]["formFields"][2]["options"] = "lon"
    data["allowSenderInteraction"] = "yes"

    assert find_faults("form", data) == {
        f"data.{LABEL}.text": ["This must be a string."],
        f"data.{CHECKBOX}.options": ["This must be a list."],
        "data.allowSenderInteraction": ["This must be true or false."],
    }


def test_an_element_of_unknown_type_still_needs_an_id_of_its_own() -> None:
    """The common fields of elements are checked even if the type is not known."""
    faults = find_faults("form", {"formFields": [TWIN, {**TWIN, "elementType": "sudoku"}]})

    assert set(faults) == {"data.formFields.1.elementType", "data.formFields.1.elementId"}


def test_the_number_of_faults_is_bounded() -> None:
    """A message full of faults is answered with the first hundred."""
    faults = find_faults("form", {"formFields": [7] * 5_000})

    assert list(faults) == [f"data.formFields.{index}" for index in range(100)]


def test_faults_of_one_field_count_too() -> None:
    """The bound applies to sentences, not to the fields that they are about."""
    faults = FaultList()
    for _ in range(5_000):
        faults.add("data", "This is odd.")

    assert len(faults.found["data"]) == MOST_FAULTS


@pytest.mark.parametrize("data", [None, [], "form", 7, True])
@pytest.mark.parametrize("message_type", EXAMPLES)
def test_data_that_is_no_object_is_a_fault(message_type: str, data: Json) -> None:
    """Any other value of `data` is refused under its own name."""
    assert set(find_faults(message_type, data)) == {"data"}


def paths_within(value: Json, path: str = "") -> Iterator[str]:
    """Yield every dotted path into a JSON value."""
    items: Iterable[tuple[str | int, Json]] = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, inner in items:
        within = f"{path}.{key}".removeprefix(".")
        yield within
        yield from paths_within(inner, within)


PLACES = [(kind, path) for kind, example in EXAMPLES.items() for path in paths_within(example)]
NAMES = sorted({path.rpartition(".")[2] for _, path in PLACES})
WORDS = ["label", "checkbox", "dateTime", "button", "apiAction", "urlNavigation", "date", "anyOf"]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


def json_values(
    scalars: st.SearchStrategy[Json], keys: st.SearchStrategy[str]
) -> st.SearchStrategy[Json]:
    """Return a strategy of JSON values of any depth, from some scalars and field names."""
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=6),
        max_leaves=30,
    )


ANY_JSON = json_values(SCALARS, st.text()) | json_values(
    SCALARS | st.sampled_from(WORDS), st.sampled_from(NAMES)
)


@settings(deadline=None)
@given(message_type=st.sampled_from(sorted(EXAMPLES)), data=ANY_JSON)
def test_no_data_is_too_odd(message_type: str, data: Json) -> None:
    """Any JSON value gets an answer: sentences under paths into the data."""
    faults = find_faults(message_type, data)

    assert {path.split(".")[0] for path in faults} <= {"data"}
    assert all(faults.values())


@settings(deadline=None)
@given(place=st.sampled_from(PLACES), value=ANY_JSON)
def test_no_value_is_too_odd_for_any_field(place: tuple[str, str], value: Json) -> None:
    """Any JSON value in any place of a message gets an answer."""
    message_type, path = place
    faults = find_faults(message_type, changed(message_type, path, value))

    assert {path.split(".")[0] for path in faults} <= {"data"}


def with_extras(value: Json, extras: dict[str, Json]) -> Json:
    """Return a copy with `extras` added to every object but the map of weekdays."""
    if isinstance(value, list):
        return [with_extras(each, extras) for each in value]
    if not isinstance(value, dict):
        return value
    fields = {
        name: each if name == "availability" else with_extras(each, extras)
        for name, each in value.items()
    }
    return {**extras, **fields}


@settings(deadline=None)
@given(
    message_type=st.sampled_from(sorted(EXAMPLES)),
    extras=st.dictionaries(st.text().map("x-{}".format), ANY_JSON, max_size=3),
)
def test_unknown_keys_are_nobodys_business(message_type: str, extras: dict[str, Json]) -> None:
    """A valid message is still valid with unknown keys in any of its objects."""
    assert find_faults(message_type, with_extras(EXAMPLES[message_type], extras)) == {}
