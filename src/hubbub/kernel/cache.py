"""A memory of look-ups that forgets after a few seconds."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from hubbub.kernel.clock import Clock

Value = TypeVar("Value")

KEPT_SECONDS = 5.0
MOST_KEPT = 10_000


class ExpiringCache(Generic[Value]):
    """Values by key, each for at most `KEPT_SECONDS`; what is not found is not remembered."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._values: dict[Hashable, tuple[float, Value]] = {}
        self.version = 0
        """Grows with each thing forgotten; who looked something up before that must not put it."""

    def get(self, key: Hashable) -> Value | None:
        """The value, unless it is unknown or too old."""
        found = self._values.get(key)
        if found is None or found[0] < self._clock.monotonic():
            return None
        return found[1]

    def put(self, key: Hashable, value: Value, *, version: int) -> None:
        """Remember for a while what was looked up since `version`, if it can't be stale."""
        if version != self.version:
            return
        if len(self._values) >= MOST_KEPT:
            self._values.clear()
        self._values[key] = (self._clock.monotonic() + KEPT_SECONDS, value)

    def drop(self, key: Hashable) -> None:
        """Forget one value at once."""
        self.version += 1
        self._values.pop(key, None)

    def drop_where(self, is_stale: Callable[[Value], bool]) -> None:
        """Forget every value that `is_stale` tells."""
        self.version += 1
        for key in [key for key, (_, value) in self._values.items() if is_stale(value)]:
            del self._values[key]
