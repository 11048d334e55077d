"""What is kept in memory, bounded in all: apps have fair shares of it, and none ousts the others.

`ExpiringCache` is for look-ups, whose entries expire after a few seconds.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Generic, TypeVar

from hubbub.kernel.clock import Clock

Value = TypeVar("Value")

KEPT_SECONDS = 5.0
MOST_KEPT = 10_000


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
        self._values: dict[Hashable, Value] = {}
        self._owners: dict[Hashable, str] = {}
        self.get: Callable[[Hashable], Value | None] = self._values.get
        """Returns a value, or None; each call looks up several, so nothing stands in between."""
        self._keys: dict[str, dict[Hashable, None]] = {}
        """The keys of each owner, the oldest first."""

    def __len__(self) -> int:
        return len(self._values)

    def put(self, owner: str, key: Hashable, value: Value) -> None:
        """Keep a value."""
        if key in self._values:
            self.pop(key)
        elif len(self._values) >= self._most:
            self._make_room()
        self._values[key], self._owners[key] = value, owner
        self._keys.setdefault(owner, {})[key] = None

    def pop(self, key: Hashable) -> None:
        """Remove a value, if it is there."""
        owner = self._owners.pop(key, None)
        if owner is None:
            return
        del self._values[key]
        keys = self._keys[owner]
        del keys[key]
        if not keys:
            del self._keys[owner]

    def pop_all(self, owner: str) -> None:
        """Remove all values of an owner."""
        for key in self._keys.pop(owner, ()):
            del self._values[key], self._owners[key]

    def _make_room(self) -> None:
        share = fair_share(map(len, self._keys.values()), self._most * 3 // 4)
        for keys in list(self._keys.values()):
            for key in list(keys)[: max(0, len(keys) - share)]:
                self.pop(key)


class ExpiringCache(Generic[Value]):
    """Values by key, each kept for at most `KEPT_SECONDS`; misses are not cached.

    The number of entries is limited. An app that fills the cache loses its own, and what an app
    drops concerns no other.
    """

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._values: SharedEntries[tuple[float, Value]] = SharedEntries(MOST_KEPT)
        self.version = 0
        """Grows with each drop; see `has_dropped`."""
        self._drops: dict[str, int] = {}
        """The version since the last drop of each app."""
        self._drops_before = 0
        """The version since the last drop of the apps that are forgotten there."""

    def get(self, key: Hashable) -> Value | None:
        """Return the value, or None if it is not cached or has expired."""
        found = self._values.get(key)
        if found is None or found[0] < self.clock.monotonic():
            return None
        return found[1]

    def expires_at(self, key: Hashable) -> float:
        """Return when an entry expires, in monotonic seconds; 0 if there is none."""
        found = self._values.get(key)
        return found[0] if found is not None else 0.0

    def put(self, key: Hashable, value: Value, *, app_id: str, version: int) -> None:
        """Cache a value that was looked up under `version`, unless its app dropped any since."""
        if not self.has_dropped(app_id, version):
            self._values.put(app_id, key, (self.clock.monotonic() + KEPT_SECONDS, value))

    def has_dropped(self, app_id: str, version: int) -> bool:
        """Return whether an app has dropped anything since `version`."""
        return self._drops.get(app_id, self._drops_before) > version

    def drop(self, key: Hashable, *, app_id: str) -> None:
        """Remove one value of an app."""
        self._note_drop(app_id)
        self._values.pop(key)

    def drop_all(self, app_id: str) -> None:
        """Remove every value of an app."""
        self._note_drop(app_id)
        self._values.pop_all(app_id)

    def _note_drop(self, app_id: str) -> None:
        self.version += 1
        if len(self._drops) >= MOST_KEPT:
            self._drops.clear()
            self._drops_before = self.version
        self._drops[app_id] = self.version


class DerivedCache(Generic[Value]):
    """Values that were made of entries of a cache; each expires with the first of these.

    Any drop of an app invalidates all of that app, since it is not known which it concerns.
    """

    def __init__(self, cache: ExpiringCache[Any]) -> None:
        self._cache = cache
        self._values: SharedEntries[tuple[str, int, float, Value]] = SharedEntries(MOST_KEPT)

    def get(self, key: Hashable) -> Value | None:
        """Return the value, or None if it is not cached or not valid any more."""
        found = self._values.get(key)
        if found is None:
            return None
        app_id, version, expires_at, value = found
        is_expired = expires_at < self._cache.clock.monotonic()
        if not is_expired and not self._cache.has_dropped(app_id, version):
            return value
        self._values.pop(key)
        return None

    def put(
        self,
        key: Hashable,
        value: Value,
        *,
        app_id: str,
        sources: Iterable[Hashable],
        version: int,
    ) -> None:
        """Cache a value that was made under `version` of the entries with the keys `sources`."""
        expires_at = min(map(self._cache.expires_at, sources))
        self._values.put(app_id, key, (app_id, version, expires_at, value))
