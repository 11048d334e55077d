"""The results of checks."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad it is."""

    OK = "ok"
    WARNING = "warning"
    """It works, but not for ever, or not for all."""
    WRONG = "wrong"
    """It does not work, or data is in danger."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check."""

    check: str
    state: Severity
    sentence: str
    remedy: str = ""
    """What to do."""


def ok(check: str, sentence: str) -> Finding:
    """Return a result without a fault."""
    return Finding(check, Severity.OK, sentence)


def warning(check: str, sentence: str, remedy: str) -> Finding:
    """Return something that the operator should look at."""
    return Finding(check, Severity.WARNING, sentence, remedy)


def wrong(check: str, sentence: str, remedy: str) -> Finding:
    """Return a fault."""
    return Finding(check, Severity.WRONG, sentence, remedy)
