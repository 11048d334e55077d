"""What was true when, in a run in which the server is killed again and again."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

GRACE_SECONDS = 5.0
"""A call that was under way when something changed arrives within so long."""

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Moment:
    """A time, and the life of the server in which it lies."""

    at: float
    life: int


@dataclass(slots=True)
class Lives:
    """Counts the lives of a server: even numbers while it runs, odd ones while it is down."""

    number: int = 0

    def now(self) -> Moment:
        """Return the present moment."""
        return Moment(time.monotonic(), self.number)


@dataclass(slots=True)
class Span(Generic[Value]):
    """How long something had a value: its beginning and end were asked for, and answered."""

    value: Value
    asked: Moment
    answered: Moment | None = None
    end_asked: Moment | None = None
    end_answered: Moment | None = None

    def has_held_since(self, moment: Moment) -> bool:
        """Return whether it was certainly so from a moment until now."""
        is_begun = self.answered is not None and self.answered.at <= moment.at
        return is_begun and self.end_asked is None

    def may_hold_for(self, call: Moment) -> bool:
        """Return whether it may have been so when a call that came then was decided on.

        A server that was started after the end of the span can't have decided by it.
        """
        if call.at < self.asked.at:
            return False
        end = self.end_answered
        return end is None or (end.life >= call.life - 1 and call.at - end.at <= GRACE_SECONDS)


@dataclass(slots=True)
class Track(Generic[Value]):
    """The values of one thing, one after the other."""

    lives: Lives
    spans: list[Span[Value]] = field(default_factory=list)

    @property
    def value(self) -> Value:
        """Return the present value."""
        return self.spans[-1].value

    @contextmanager
    def changing(self, value: Value) -> Iterator[None]:
        """Have another value; the block asks for it, until it is answered."""
        asked = self.lives.now()
        old = self.spans[-1:]
        for each in old:
            each.end_asked = asked
        new = Span(value, asked)
        self.spans.append(new)
        yield
        new.answered = self.lives.now()
        for each in old:
            each.end_answered = new.answered

    def has_been(self, value: Value, since: Moment) -> bool:
        """Return whether it certainly had a value from a moment until now."""
        last = self.spans[-1]
        return last.value == value and last.has_held_since(since)

    def may_be(self, value: Value, call: Moment) -> bool:
        """Return whether it may have had a value when a call that came then was decided on."""
        return any(each.value == value and each.may_hold_for(call) for each in self.spans)
