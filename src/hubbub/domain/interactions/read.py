"""Read from a stored interactive message how it may be used, and what completes its goal.

The stored data is not trusted: holders of the wrong form are ignored.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from hubbub.records.interactions.model import LONGEST_ELEMENT_ID

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
FORM, ANYTHING = "form", "customInteractive"
"""Types of interactive messages: one to submit, and one with elements that only the app knows."""
LISTS, SINGLES = ("formFields", "cardActions"), ("submitElement", "scheduleElement")

Element = Mapping[str, Any]
_decode = msgspec.json.Decoder().decode


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


@dataclass(frozen=True, slots=True)
class Interactive:
    """The elements of an interactive message, its goal, and who may use it."""

    type: str
    elements: Mapping[str, Element]
    """The elements that can be used, by id."""
    submit: Element
    """The button that submits the message; empty if there is none."""
    goal: Goal
    is_open_to_sender: bool

    @property
    def is_form(self) -> bool:
        return self.type == FORM

    @property
    def submit_ids(self) -> list[str]:
        """Return the id of the submit button in a list, empty if none can be used."""
        return [id_ for id_, each in self.elements.items() if each is self.submit]

    @property
    def is_submitted_once(self) -> bool:
        """Return whether each user may submit the message only once."""
        return self.submit.get("disableAfterInteracted") is True

    def has_element(self, element_id: str) -> bool:
        """Return whether there is such an element; a custom message accepts any id."""
        return self.type == ANYTHING or element_id in self.elements


def read_interactive(type_: str, text: str) -> Interactive:
    """Return the parsed `data` of a message of that type."""
    data = _decode(text)
    holders = _find_holders(type_, data)
    submits = [holder.get("submitElement") for holder in holders]
    return Interactive(
        type=type_,
        elements=dict(_find_elements(holders)),
        submit=next((each for each in submits if isinstance(each, Mapping)), {}),
        goal=read_goal(data.get("interactionGoal")),
        is_open_to_sender=data.get("allowSenderInteraction") is True,
    )


def _find_holders(type_: str, data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the objects that hold elements; a form may have them directly in its data."""
    if type_ == ANYTHING:
        return []
    holders = [data.get("interactiveData"), *([data] if type_ == FORM else [])]
    return [holder for holder in holders if isinstance(holder, Mapping)]


def _find_elements(holders: list[Mapping[str, Any]]) -> Iterator[tuple[str, Element]]:
    for holder in holders:
        lists = [holder.get(name) for name in LISTS]
        found = [each for some in lists if isinstance(some, list) for each in some]
        found += [holder.get(name) for name in SINGLES]
        for element in found:
            id_ = element.get("elementId") if isinstance(element, Mapping) else None
            if isinstance(id_, str) and _is_storable(id_):
                yield id_, element


def _is_storable(element_id: str) -> bool:
    """Return whether an element id can be stored in a row."""
    return 0 < len(element_id) <= LONGEST_ELEMENT_ID and "\0" not in element_id
