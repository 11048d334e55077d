"""A cache of look-ups whose entries expire after a few seconds."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Generic, TypeVar

from hubbub.kernel.clock import Clock
from hubbub.kernel.shares import SharedEntries

Value = TypeVar("Value")

KEPT_SECONDS = 5.0
MOST_KEPT = 10_000


class ExpiringCache(Generic[Value]):
    """Values by key, each kept for at most `KEPT_SECONDS`; misses are not cached.

    The number of entries is limited. An app that fills the cache loses its own.
    """

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._values: SharedEntries[tuple[float, Value]] = SharedEntries(MOST_KEPT)
        self.version = 0
        """Grows with each drop; look-ups that began under an older version are not cached."""

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
        """Cache a value that was looked up under `version`, unless something was dropped since."""
        if version == self.version:
            self._values.put(app_id, key, (self.clock.monotonic() + KEPT_SECONDS, value))

    def drop(self, key: Hashable) -> None:
        """Remove one value."""
        self.version += 1
        self._values.pop(key)

    def drop_where(self, is_stale: Callable[[Value], bool]) -> None:
        """Remove every value for which `is_stale` returns true."""
        self.version += 1
        for key in [key for key, (_, value) in self._values.items() if is_stale(value)]:
            self._values.pop(key)


class DerivedCache(Generic[Value]):
    """Values that were made of entries of a cache; each expires with the first of these.

    Any drop from that cache invalidates all of them, since it is not known whom it concerns.
    """

    def __init__(self, cache: ExpiringCache[Any]) -> None:
        self._cache = cache
        self._values: SharedEntries[tuple[int, float, Value]] = SharedEntries(MOST_KEPT)

    def get(self, key: Hashable) -> Value | None:
        """Return the value, or None if it is not cached or not valid any more."""
        found = self._values.get(key)
        if found is None:
            return None
        version, expires_at, value = found
        if version == self._cache.version and expires_at >= self._cache.clock.monotonic():
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
        self._values.put(app_id, key, (version, expires_at, value))
