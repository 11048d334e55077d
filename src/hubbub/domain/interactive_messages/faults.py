"""The path of a checked field, and the list of faults found so far."""

from dataclasses import dataclass, field

MOST_FAULTS = 100


@dataclass(slots=True)
class FaultList:
    """The faults of one message by path, and the element ids seen in it.

    Faults after the first `MOST_FAULTS` are dropped, which limits the size of the answer.
    """

    found: dict[str, list[str]] = field(default_factory=dict)
    count: int = 0
    element_ids: set[str] = field(default_factory=set)

    def add(self, path: str, sentence: str) -> None:
        """Add a sentence about the value at `path`."""
        if self.count >= MOST_FAULTS:
            return
        self.count += 1
        self.found.setdefault(path, []).append(sentence)

    def claim_element_id(self, element_id: str) -> bool:
        """Take an element id; return False if an earlier element has it."""
        is_free = element_id not in self.element_ids
        self.element_ids.add(element_id)
        return is_free


@dataclass(frozen=True, slots=True)
class FieldPath:
    """A dotted path into a message, such as `data.interactiveData.formFields.2`."""

    path: str
    faults: FaultList

    def at(self, key: str | int) -> "FieldPath":
        """Return the path of a field or list item below this one."""
        return FieldPath(f"{self.path}.{key}", self.faults)

    def report(self, sentence: str) -> None:
        """Add a sentence about the value at this path."""
        self.faults.add(self.path, sentence)
