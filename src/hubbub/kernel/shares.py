"""Fair shares of a limit: apps keep things in memory, bounded in all, and none ousts the others."""

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

Value = TypeVar("Value")


def fair_share(sizes: Iterable[int], most: int) -> int:
    """Return the most that each may keep so that all together keep at most `most`.

    Those that keep less leave the rest to the others.
    """
    ascending, left = sorted(sizes), most
    for place, size in enumerate(ascending):
        share = left // (len(ascending) - place)
        if size > share:
            return share
        left -= size
    return most


class SharedEntries(Generic[Value]):
    """Values by key, each of one owner. If there are too many, those who have most lose the oldest.

    A fourth is made free at once, so that it costs little for each entry.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[Hashable, tuple[str, Value]] = {}
        self._keys: dict[str, dict[Hashable, None]] = {}
        """The keys of each owner, the oldest first."""

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Hashable) -> Value | None:
        """Return a value, or None."""
        found = self._values.get(key)
        return found[1] if found is not None else None

    def put(self, owner: str, key: Hashable, value: Value) -> None:
        """Keep a value."""
        if key in self._values:
            self.pop(key)
        elif len(self._values) >= self._most:
            self._make_room()
        self._values[key] = owner, value
        self._keys.setdefault(owner, {})[key] = None

    def pop(self, key: Hashable) -> None:
        """Remove a value, if it is there."""
        found = self._values.pop(key, None)
        if found is None:
            return
        keys = self._keys[found[0]]
        del keys[key]
        if not keys:
            del self._keys[found[0]]

    def pop_all(self, owner: str) -> None:
        """Remove all values of an owner."""
        for key in self._keys.pop(owner, ()):
            del self._values[key]

    def _make_room(self) -> None:
        share = fair_share(map(len, self._keys.values()), self._most * 3 // 4)
        for keys in list(self._keys.values()):
            for key in list(keys)[: max(0, len(keys) - share)]:
                self.pop(key)
