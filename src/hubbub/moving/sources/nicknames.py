"""Makes ids of nicknames: their permitted characters, numbered where two are equal."""

from collections.abc import Iterable
from itertools import count

from hubbub.kernel.text import ID_LENGTH, SYSTEM_UID

_ALPHABET = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")


class Nicknames:
    """The ids of names, in the order in which the names come: the first one has it without number.

    `fallback` stands for names without any permitted character.
    """

    def __init__(self, fallback: str, taken: Iterable[str] = (SYSTEM_UID,)) -> None:
        self._fallback = fallback
        self._taken = set(taken)
        self._ids: dict[str, str] = {}
        self._latest: dict[str, int] = {}

    def of(self, name: str) -> str:
        """Return the id of a name: its permitted characters in lower case, numbered if need be."""
        found = self._ids.get(name)
        if found is None:
            found = self._ids[name] = self._free(fit_id(name) or self._fallback)
        return found

    def _free(self, wanted: str) -> str:
        """Return the first of `wanted`, `wanted-2`, `wanted-3` … that is free."""
        numbers = count(self._latest.get(wanted, 1))
        for number in numbers:
            ending = "" if number == 1 else f"-{number}"
            found = wanted[: ID_LENGTH - len(ending)] + ending
            if found not in self._taken:
                break
        self._latest[wanted] = number + 1  # or a million equal names would take hours
        self._taken.add(found)
        return found


def fit_id(name: str) -> str:
    """Return the permitted characters of a name in lower case; there may be none."""
    return "".join(letter for letter in name.lower() if letter in _ALPHABET)[:ID_LENGTH]
