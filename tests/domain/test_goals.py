"""Goals of interactive messages, and the interactions that complete them."""

from typing import Any

import pytest

from hubbub.domain.interactions.read import SPELLINGS, Goal, is_completed, read_goal
from hubbub.domain.interactive_messages.messages import GOALS

A, B, C = "agree", "buy", "call"


@pytest.mark.parametrize(
    ("type_", "listed", "completing", "falling_short"),
    [
        ("any", [], [{A}, {A, B, C}], [set()]),
        ("any", [A], [{A}, {C}], [set()]),
        ("anyAction", [A], [{A}, {C}], [set()]),
        ("anyOf", [A, B], [{A}, {B}, {A, B}, {B, C}], [set(), {C}]),
        ("oneOf", [A, B], [{A}, {B}, {A, B}, {B, C}], [set(), {C}]),
        ("allOf", [A, B], [{A, B}, {A, B, C}], [set(), {A}, {A, C}]),
        ("anyOf", [], [{A}, {C}], [set()]),
        ("oneOf", [], [{A}, {C}], [set()]),
        ("allOf", [], [{A}, {C}], [set()]),
        ("none", [], [], [set(), {A}, {A, B, C}]),
        ("none", [A], [], [set(), {A}, {A, B, C}]),
    ],
)
def test_uses_that_complete_a_goal(
    type_: str, listed: list[str], completing: list[set[str]], falling_short: list[set[str]]
) -> None:
    """Any use, that of one listed element, of all of them, or none, by the goal's type."""
    goal = read_goal({"type": type_, "elementIds": listed})

    assert all(is_completed(goal, used) for used in completing)
    assert not any(is_completed(goal, used) for used in falling_short)


def test_every_type_that_may_be_sent_is_known() -> None:
    """Every type of goal that a message may have is evaluated here."""
    assert set(SPELLINGS) == set(GOALS)


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        {"elementIds": [A]},
        {"type": None},
        {"type": "never"},
        {"type": ["any"]},
        {"type": {}},
        "any",
        ["any"],
        1,
    ],
)
def test_invalid_goals_are_never_completed(value: Any) -> None:
    """Without a goal, or with a missing or unknown type, no use completes anything."""
    assert not is_completed(read_goal(value), {A, B, C})


def test_faulty_lists_are_passed_over() -> None:
    """Anything but texts among the listed elements, or anything but a list, is ignored."""
    assert read_goal({"type": "allOf", "elementIds": [A, 1, None, [B]]}) == Goal(
        "allOf", frozenset({A})
    )
    assert read_goal({"type": "any", "elementIds": A}) == Goal("any")
