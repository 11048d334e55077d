"""Date and time patterns of Unicode (LDML, UTS #35), such as `yyyy-MM-dd HH:mm`.

A pattern is a row of fields (a letter, repeated) and literal text. ASCII letters that are not
meant as fields stand in single quotes; a quote itself is written twice.
"""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hubbub.domain.interactive.checks import string
from hubbub.domain.interactive.faults import Place

ANY_WIDTH = sys.maxsize

MOST_LETTERS: Mapping[str, int] = {
    **dict.fromkeys("yYurgSA", ANY_WIDTH),
    **dict.fromkeys("Eec", 6),
    **dict.fromkeys("GUQqMLabBZXx", 5),
    **dict.fromkeys("zOvV", 4),
    "D": 3,
    **dict.fromkeys("wdhHKkms", 2),
    **dict.fromkeys("WF", 1),
}
"""How often the letter of each field may be repeated."""

PART = re.compile(r"''|'(?:[^']|'')*+'|([A-Za-z])\1*|[^A-Za-z']+")


class PatternError(ValueError):
    """A pattern that is not well formed; the message is a sentence for whoever wrote it."""


@dataclass(frozen=True, slots=True)
class Field:
    """A part of a date or time: `Field("M", 2)` is the month in two digits."""

    letter: str
    width: int


@dataclass(frozen=True, slots=True)
class Literal:
    """Text that stands for itself."""

    text: str


def read_pattern(pattern: str) -> tuple[Field | Literal, ...]:
    """The parts of a pattern, in their order.

    Raises:
        PatternError: it has an unknown letter, an open quote, or no field at all.
    """
    if pattern.count("'") % 2:
        raise PatternError("This pattern has a single quote that is not closed.")
    parts = tuple(_read_part(match[0]) for match in PART.finditer(pattern))
    if not any(isinstance(part, Field) for part in parts):
        raise PatternError("This pattern must show some part of a date or time.")
    return parts


def _read_part(text: str) -> Field | Literal:
    if text[0] == "'":
        return Literal(text[1:-1].replace("''", "'") or "'")
    if not (text[0].isascii() and text[0].isalpha()):
        return Literal(text)
    return _read_field(text[0], len(text))


def _read_field(letter: str, width: int) -> Field:
    if letter not in MOST_LETTERS:
        raise PatternError(
            f"`{letter}` is no letter of Unicode date patterns; text stands in single quotes."
        )
    if width > MOST_LETTERS[letter]:
        raise PatternError(f"`{letter}` may be repeated at most {MOST_LETTERS[letter]} times.")
    return Field(letter, width)


def date_pattern(value: Any, place: Place) -> None:
    """Check that `value` is a well-formed pattern."""
    string(value, place)
    if not isinstance(value, str):
        return
    try:
        read_pattern(value)
    except PatternError as error:
        place.report(str(error))
