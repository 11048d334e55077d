"""What a scenario is, and what became of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.stage import Stage

FASTEST = 1_000.0


class Broken(Exception):
    """A promise is broken: what was expected, and what came instead."""

    def __init__(self, expected: str, came: str) -> None:
        super().__init__(f"expected {expected}, came {came}")
        self.expected, self.came = expected, came


class NoDriver(Exception):
    """The command is no driver: it can't be started, or speaks otherwise."""


Script = Callable[["Stage"], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A script that checks one promise."""

    name: str
    sentence: str
    section: str
    """The heading of docs/reference/client.md below which the promise stands."""
    promise: str
    """Its words there."""
    needs: frozenset[str]
    speed: float
    """How fast the client's clock runs, at most."""
    script: Script


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a scenario."""

    scenario: Scenario
    lacks: frozenset[str] = frozenset()
    """The capabilities for whose lack it was skipped."""
    broken: Broken | None = None
    trace: list[str] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """Return the verdict in a word."""
        if self.lacks:
            return "skipped"
        return "passed" if self.broken is None else "failed"


DECLARED: list[Scenario] = []
"""All scenarios, as their modules were imported; `conformance.scenarios` has them in order."""


def scenario(
    section: str, promise: str, *needs: str, speed: float = 4.0
) -> Callable[[Script], Script]:
    """Declare a script: its name and its docstring's first line are those of the scenario.

    At a speed of 4 the client waits 2.5 s for `connected`, more than a busy machine needs.
    """

    def declare(script: Script) -> Script:
        name = script.__name__.replace("_", "-")
        [sentence, *_] = (script.__doc__ or "").splitlines()
        declared = Scenario(name, sentence, section, promise, frozenset(needs), speed, script)
        DECLARED.append(declared)
        return script

    return declare
