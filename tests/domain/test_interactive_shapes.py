"""The shapes of interactive messages in the document have the fields that the server checks."""

from collections.abc import Iterable
from typing import Any

import pytest
from tests.contract import load_contract

from hubbub.domain.interactive_messages import checks, elements, messages

SCHEMAS: dict[str, Any] = load_contract().document["components"]["schemas"]
ELEMENTS = {kind: f"{kind[0].upper()}{kind[1:]}Element" for kind in elements.ELEMENTS}
ACTIONS = {kind: kind[0].upper() + kind[1:] for kind in elements.ACTIONS}
CONTENT = (("Form", messages.FORM), ("Card", messages.CARD), ("Scheduler", messages.SCHEDULER))


def assert_same_fields(name: str, check: checks.ObjectCheck, besides: Iterable[str] = ()) -> None:
    """Check that a shape has the fields of a table, and requires those that the table requires."""
    shape = SCHEMAS[name]
    shared = set(besides)

    assert set(shape["properties"]) - shared == {*check.required, *check.optional}
    assert set(shape["required"]) - shared == set(check.required)


@pytest.mark.parametrize("kind", elements.ELEMENTS)
def test_elements_are_documented(kind: str) -> None:
    """The shape of each element has the fields of its table."""
    assert_same_fields(ELEMENTS[kind], elements.ELEMENTS[kind], ("elementType", "elementId"))


@pytest.mark.parametrize("kind", elements.ACTIONS)
def test_actions_are_documented(kind: str) -> None:
    """The shape of each action has the fields of its table."""
    assert_same_fields(ACTIONS[kind], elements.ACTIONS[kind], ("actionType",))


@pytest.mark.parametrize(("name", "check"), CONTENT)
def test_contents_are_documented(name: str, check: checks.ObjectCheck) -> None:
    """Forms, cards and schedulers are documented with fields that the server checks."""
    checked = {*check.required, *check.optional}

    assert set(SCHEMAS[name]["properties"]) <= checked
    assert checked - set(SCHEMAS[name]["properties"]) <= set(messages.ELEMENT_FIELDS)


def test_goals_are_documented() -> None:
    """The types of an interaction goal are those that the server accepts."""
    type_ = SCHEMAS["InteractionGoal"]["properties"]["type"]

    assert set(type_["enum"]) == set(messages.GOALS)
