"""Decide when a user has completed the goal of an interactive message."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

ANY, ANY_OF, ALL_OF, NEVER = "any", "anyOf", "allOf", "none"

# The documents that clients were written from disagree on these words: all are accepted.
SPELLINGS: Mapping[str, str] = {
    "any": ANY,
    "anyAction": ANY,
    "anyOf": ANY_OF,
    "oneOf": ANY_OF,
    "allOf": ALL_OF,
    "none": NEVER,
}


@dataclass(frozen=True, slots=True)
class Goal:
    """The elements to use; if `listed` is empty any use completes it, except for NEVER."""

    kind: str = NEVER
    listed: frozenset[str] = frozenset()


def read_goal(value: Any) -> Goal:
    """Return the goal in a message; one that is missing or has no type is never completed."""
    if not isinstance(value, Mapping):
        return Goal()
    kind, listed = value.get("type"), value.get("elementIds")
    return Goal(
        SPELLINGS.get(kind, NEVER) if isinstance(kind, str) else NEVER,
        frozenset(each for each in listed if isinstance(each, str))
        if isinstance(listed, list)
        else frozenset(),
    )


def is_completed(goal: Goal, used: Collection[str]) -> bool:
    """Return whether the use of these elements completes the goal."""
    if not used or goal.kind == NEVER:
        return False
    if goal.kind == ANY or not goal.listed:
        return True
    if goal.kind == ANY_OF:
        return not goal.listed.isdisjoint(used)
    return goal.listed.issubset(used)
