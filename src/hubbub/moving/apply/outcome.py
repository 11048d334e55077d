"""What becomes of the line of an import, and what is done with one whose item is stored already."""

import enum
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from hubbub.kernel.errors import BadInput, Refusal
from hubbub.moving.compare import find_differences, key_of
from hubbub.moving.lines import Line
from hubbub.storage.interface import Snapshot, Transaction

Given = TypeVar("Given", bound=Line)


class Conflicts(enum.Enum):
    """What is done with a line whose item is stored already."""

    COMPARE = "compare"
    """It is skipped if it says the same, else refused."""
    SKIP = "skip"
    UPDATE = "update"
    """What differs is replaced."""
    ERROR = "error"
    """It is refused."""


class LineResult(enum.Enum):
    """What became of a line."""

    IMPORTED = "imported"
    SKIPPED = "skipped"
    UPDATED = "updated"
    REFUSED = "refused"


class LineOutcome(msgspec.Struct, frozen=True):
    """What became of a line; of one that was refused, why."""

    result: LineResult
    error: str = ""


IMPORTED, SKIPPED, UPDATED = (
    LineOutcome(result) for result in (LineResult.IMPORTED, LineResult.SKIPPED, LineResult.UPDATED)
)


class Differs(BadInput):
    """What is stored differs from a line."""

    code = "ERR_IMPORT_DIFFERS"

    def __init__(self, names: list[str]) -> None:
        super().__init__(
            f"It is stored already, with another {', '.join(names)}.",
            dev_message="Give --on-conflict update to replace it, or skip to keep it.",
        )


def refused(refusal: Refusal) -> LineOutcome:
    """Return the outcome of a line that a verb refused."""
    details = [each for sentences in (refusal.details or {}).values() for each in sentences]
    said = " ".join([refusal.message, *details] if details else [refusal.message])
    return LineOutcome(LineResult.REFUSED, f"{refusal.code}: {said}")


def resolve(
    given: Line, stored: Line | None, exists: Refusal, conflicts: Conflicts
) -> LineOutcome | None:
    """Return the outcome of a line whose item exists; None if it is to be updated."""
    if conflicts is Conflicts.ERROR or stored is None:
        return refused(exists)
    if conflicts is Conflicts.SKIP:
        return SKIPPED
    names = find_differences(given, stored)
    if not names:
        return SKIPPED
    return None if conflicts is Conflicts.UPDATE else refused(Differs(names))


Find = Callable[[Snapshot, Sequence[Given]], Awaitable[Mapping[str, Line]]]
"""Returns the stored lines with the keys of given ones, by key."""
Update = Callable[[Transaction, Given, int], Awaitable[Refusal | None]]
"""Replaces what is stored by what a line says, or returns why it can't."""


async def settle(
    tx: Transaction,
    lines: Sequence[Given],
    outcomes: Sequence[object],
    conflicts: Conflicts,
    *,
    exists: tuple[type[Refusal], ...],
    find: Find[Given],
    update: Update[Given],
    now: int,
) -> list[LineOutcome]:
    """Return the outcomes of lines, of which those with a refusal `exists` are compared first."""
    clashing = [
        line for line, outcome in zip(lines, outcomes, strict=True) if isinstance(outcome, exists)
    ]
    stored = await find(tx, clashing) if clashing else {}
    settled: list[LineOutcome] = []
    for line, outcome in zip(lines, outcomes, strict=True):
        if not isinstance(outcome, Refusal):
            settled.append(IMPORTED)
        elif not isinstance(outcome, exists):
            settled.append(refused(outcome))
        else:
            settled.append(
                resolve(line, stored.get(key_of(line)), outcome, conflicts)
                or _updated(await update(tx, line, now))
            )
    return settled


def _updated(refusal: Refusal | None) -> LineOutcome:
    return UPDATED if refusal is None else refused(refusal)
