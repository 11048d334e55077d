"""From a stored interactive message to what it says of its own use.

Nothing is taken for granted: what is not as it should be is passed over.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from hubbub.domain.interactions.goals import Goal, read_goal
from hubbub.records.interactions.model import LONGEST_ELEMENT_ID

FORM, ANYTHING = "form", "customInteractive"
"""Types of interactive messages: one to submit, and one that is the app's own affair."""
LISTS, SINGLES = ("formFields", "cardActions"), ("submitElement", "scheduleElement")

Element = Mapping[str, Any]
_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class Interactive:
    """What an interactive message consists of, and who may use it for what."""

    type: str
    elements: Mapping[str, Element]
    """Those that can be used, by their ids."""
    submit: Element
    """The button that submits it; empty when there is none."""
    goal: Goal
    is_open_to_sender: bool

    @property
    def is_form(self) -> bool:
        return self.type == FORM

    @property
    def submit_ids(self) -> list[str]:
        """The id of the button that submits it, if there is one that can be used."""
        return [id_ for id_, each in self.elements.items() if each is self.submit]

    @property
    def is_submitted_once(self) -> bool:
        """Whether each user may submit it but once."""
        return self.submit.get("disableAfterInteracted") is True

    def has_element(self, element_id: str) -> bool:
        """Whether there is such an element; a custom message has whatever its app says."""
        return self.type == ANYTHING or element_id in self.elements


def read_interactive(type_: str, text: str) -> Interactive:
    """What stands in the `data` of a message of that type."""
    data = _decode(text)
    parts = _parts(type_, data)
    submits = [part.get("submitElement") for part in parts]
    return Interactive(
        type=type_,
        elements=dict(_elements(parts)),
        submit=next((each for each in submits if isinstance(each, Mapping)), {}),
        goal=read_goal(data.get("interactionGoal")),
        is_open_to_sender=data.get("allowSenderInteraction") is True,
    )


def _parts(type_: str, data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Where elements stand; a form may have them directly in its data."""
    if type_ == ANYTHING:
        return []
    places = [data.get("interactiveData"), *([data] if type_ == FORM else [])]
    return [place for place in places if isinstance(place, Mapping)]


def _elements(parts: list[Mapping[str, Any]]) -> Iterator[tuple[str, Element]]:
    for part in parts:
        lists = [part.get(name) for name in LISTS]
        found = [each for some in lists if isinstance(some, list) for each in some]
        found += [part.get(name) for name in SINGLES]
        for element in found:
            id_ = element.get("elementId") if isinstance(element, Mapping) else None
            if isinstance(id_, str) and _can_be_kept(id_):
                yield id_, element


def _can_be_kept(element_id: str) -> bool:
    """Whether an id can stand in a row."""
    return 0 < len(element_id) <= LONGEST_ELEMENT_ID and "\0" not in element_id
