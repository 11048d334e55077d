"""Errors that a gateway answers: those that a test asks for next, and others at random."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

RESET = "reset"
"""Instead of an error: the connection is reset, and nothing was accepted."""
LOST = "lost"
"""The notification is accepted, and then the connection is reset."""
SILENCE = "silence"
"""There is no answer until the caller gives up."""


@dataclass(frozen=True, slots=True)
class Fault:
    """An error as the real provider answers it."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A call that was accepted, with the bytes that arrived."""

    path: str
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes


class Refused(Exception):
    """A call is not as it must be; carries the name of the error to answer."""

    def __init__(self, name: str, why: str = "") -> None:
        super().__init__(f"{name} {why}".strip())
        self.name = name


class Faults:
    """Chooses which calls fail, and how."""

    def __init__(self) -> None:
        self._next: deque[str] = deque()
        self._always = ""
        self._share = 0.0
        self._names: Sequence[str] = ()
        self._random = Random(0)

    def answer_next(self, *names: str) -> None:
        """Answer the next calls with these errors, in order."""
        self._next.extend(names)

    def answer_always(self, name: str) -> None:
        """Answer every call with this error, until it is set to an empty name."""
        self._always = name

    def answer_at_random(self, share: float, *names: str, seed: int = 0) -> None:
        """Answer a share of all calls, from 0 to 1, with one of these errors."""
        self._share, self._names, self._random = share, names, Random(seed)

    def choose(self) -> str:
        """Return the error for a call; empty if it is to be accepted."""
        if self._next:
            return self._next.popleft()
        if self._always:
            return self._always
        if self._names and self._random.random() < self._share:
            return self._random.choice(self._names)
        return ""
