"""The newest events of an app in memory, and under which keys each is told: for resumes."""

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from hubbub.outbox.audience import Key
from hubbub.outbox.log import LogEntry


@dataclass(frozen=True, slots=True)
class Told:
    """An event, and the keys under which it is told."""

    entry: LogEntry
    keys: tuple[Key, ...]


class Recent:
    """The events after a number, in order; the oldest are dropped when there are too many."""

    def __init__(self, after: int, *, most: int) -> None:
        self.after = after
        """Events after this number are here."""
        self._most = most
        self._events: deque[Told] = deque()
        self._by_key: dict[Key, deque[int]] = {}

    def add(self, told: Told) -> None:
        """Add the next event; numbers may be left out of events that nobody is told."""
        self._events.append(told)
        for key in told.keys:
            self._by_key.setdefault(key, deque()).append(told.entry.number)

    def prepend(self, after: int, older: Sequence[Told]) -> None:
        """Add the events between a number and those that are here already."""
        events = [*older, *self._events]
        self.after = after
        self._events.clear()
        self._by_key.clear()
        for told in events:
            self.add(told)

    def trim(self, newest: int) -> None:
        """Drop events that are too old, seen from the newest number of the log."""
        oldest = newest - self._most
        while self._events and self._events[0].entry.number <= oldest:
            self._drop()
        self.after = max(self.after, oldest)

    def _drop(self) -> None:
        told = self._events.popleft()
        for key in told.keys:
            numbers = self._by_key[key]
            numbers.popleft()
            if not numbers:
                del self._by_key[key]

    def list_after(self, number: int) -> Iterable[Told]:
        """Return all events after a number."""
        return islice(self._events, self._place(number), None)

    def find(self, keys: Iterable[Key], after: int, *, most: int) -> list[Told] | None:
        """Return the events after a number under any of the keys; None if there are too many."""
        numbers: set[int] = set()
        for key in keys:
            numbers.update(self._numbers_after(key, after))
            if len(numbers) > most:
                return None
        return [self._find(number) for number in sorted(numbers)]

    def _numbers_after(self, key: Key, after: int) -> list[int]:
        """Return the numbers under a key, from the newest down to a number."""
        found = []
        for number in reversed(self._by_key.get(key, ())):
            if number <= after:
                break
            found.append(number)
        return found

    def _find(self, number: int) -> Told:
        return self._events[self._place(number) - 1]

    def _place(self, number: int) -> int:
        """Return how many events have this number or a lower one."""
        return bisect_right(self._events, number, key=_number_of)


def _number_of(told: Told) -> int:
    return told.entry.number
