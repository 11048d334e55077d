"""Where a check stands in a message, and the list of what has been found wrong so far."""

from dataclasses import dataclass, field

MOST_FAULTS = 100


@dataclass(slots=True)
class Faults:
    """What is wrong with one message, by path, and the element ids it has used.

    Faults after the first `MOST_FAULTS` are dropped, so that no message makes the answer long.
    """

    found: dict[str, list[str]] = field(default_factory=dict)
    count: int = 0
    element_ids: set[str] = field(default_factory=set)

    def add(self, path: str, sentence: str) -> None:
        """Keep one sentence about what stands at `path`."""
        if self.count >= MOST_FAULTS:
            return
        self.count += 1
        self.found.setdefault(path, []).append(sentence)

    def claim_element_id(self, element_id: str) -> bool:
        """Whether no element looked at before has this id; it is taken from now on."""
        is_free = element_id not in self.element_ids
        self.element_ids.add(element_id)
        return is_free


@dataclass(frozen=True, slots=True)
class Place:
    """A dotted path into the message, such as `data.interactiveData.formFields.2`."""

    path: str
    faults: Faults

    def at(self, key: str | int) -> "Place":
        """The place of a field or list item inside this one."""
        return Place(f"{self.path}.{key}", self.faults)

    def report(self, sentence: str) -> None:
        """Say what is wrong here."""
        self.faults.add(self.path, sentence)
