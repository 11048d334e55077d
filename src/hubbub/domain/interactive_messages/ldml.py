"""Date and time patterns of Unicode (LDML, UTS #35), such as `yyyy-MM-dd HH:mm`.

A pattern is a sequence of fields (a repeated letter) and literal text. ASCII letters of literal
text are put in single quotes; a single quote itself is written twice.
"""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hubbub.domain.interactive_messages.checks import string
from hubbub.domain.interactive_messages.faults import FieldPath

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
"""The largest number of repetitions of each field letter."""

PART = re.compile(r"''|'(?:[^']|'')*+'|([A-Za-z])\1*|[^A-Za-z']+")


class PatternError(ValueError):
    """A pattern is not well-formed; the message is a sentence for its author."""


@dataclass(frozen=True, slots=True)
class PatternField:
    """A field of a date or time: `PatternField("M", 2)` is the month in two digits."""

    letter: str
    width: int


@dataclass(frozen=True, slots=True)
class PatternText:
    """Literal text of a pattern."""

    text: str


PatternPart = PatternField | PatternText


def read_pattern(pattern: str) -> tuple[PatternPart, ...]:
    """Return the parts of a pattern, in order.

    Raises:
        PatternError: the pattern has an unknown letter, an open quote, or no field.
    """
    if pattern.count("'") % 2:
        raise PatternError("This pattern has an unclosed single quote.")
    parts = tuple(_read_part(match[0]) for match in PART.finditer(pattern))
    if not any(isinstance(part, PatternField) for part in parts):
        raise PatternError("This pattern must show some part of a date or time.")
    return parts


def _read_part(text: str) -> PatternPart:
    if text[0] == "'":
        return PatternText(text[1:-1].replace("''", "'") or "'")
    if not (text[0].isascii() and text[0].isalpha()):
        return PatternText(text)
    return _read_field(text[0], len(text))


def _read_field(letter: str, width: int) -> PatternField:
    if letter not in MOST_LETTERS:
        raise PatternError(
            f"`{letter}` is not a letter of Unicode date patterns; put text in single quotes."
        )
    if width > MOST_LETTERS[letter]:
        raise PatternError(f"`{letter}` may be repeated at most {MOST_LETTERS[letter]} times.")
    return PatternField(letter, width)


def date_pattern(value: Any, path: FieldPath) -> None:
    """Check that `value` is a well-formed pattern."""
    string(value, path)
    if not isinstance(value, str):
        return
    try:
        read_pattern(value)
    except PatternError as error:
        path.report(str(error))
