"""Parse a text by a date pattern: find the year, month and day that it names.

A pattern has no language: names of months and weekdays are read in English. A text is read once
from left to right, without backtracking: no pattern is slow.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hubbub.domain.interactive_messages.ldml import PatternField, PatternPart, PatternText
from hubbub.domain.interactive_messages.times import WEEKDAYS

YEAR, MONTH, DAY, DAY_OF_YEAR = "year", "month", "day", "day of year"

MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
ABBREVIATED = tuple(name[:3] for name in MONTHS)
LAST_SHORT_YEAR = 68
"""The last two-digit year that is read as 20xx, as in POSIX."""

MOST_DIGITS: Mapping[str, int] = {
    **dict.fromkeys("yYur", 4),
    **dict.fromkeys("MLdHhKkmsQqwec", 2),
    **dict.fromkeys("SWF", 1),
    "D": 3,
    "A": 8,
    "g": 7,
}
"""The digits read for each letter of a number; a wider field has as many digits as its width."""
BOUNDS: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys("yYur", (1, 9999)),
    **dict.fromkeys("ML", (1, 12)),
    **dict.fromkeys("Qq", (1, 4)),
    **dict.fromkeys("ec", (1, 7)),
    **dict.fromkeys("ms", (0, 59)),
    "d": (1, 31),
    "D": (1, 366),
    "w": (1, 53),
    "H": (0, 23),
    "h": (1, 12),
    "K": (0, 11),
    "k": (1, 24),
}
NAMED_FROM_WIDTH_3 = frozenset("MLQqec")
MEANING: Mapping[str, str] = {
    **dict.fromkeys("yYur", YEAR),
    **dict.fromkeys("ML", MONTH),
    "d": DAY,
    "D": DAY_OF_YEAR,
}

_NUMBER = re.compile(r"[0-9]+")
_WORD = re.compile(r"[^\W\d_]+")
_ERA = re.compile(r"(?i:Anno Domini|Before Christ|(?:Before )?Common Era|AD|BCE?|CE|[AB])")
_QUARTER = re.compile(r"(?i:[1-4](?:st|nd|rd|th) quarter|Q?[1-4])")
_TIME_OF_DAY = re.compile(r"(?i:midnight|noon|(?:in the |at )?(?:morning|afternoon|evening|night))")
_HALF = re.compile(r"[AaPp]\.?[Mm]\b\.?|(?i:noon|midnight)")
_OFFSET = re.compile(r"Z|(?:GMT|UTC)?[+-][0-9]{1,2}(?::?[0-9]{2}){0,2}+|GMT|UTC")
_ZONE = re.compile(r"[A-Za-z][\w/+:-]*+(?: [A-Za-z]++)*+")
TEXTS: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys("ab", _HALF),
    **dict.fromkeys("Qq", _QUARTER),
    **dict.fromkeys("ZOXx", _OFFSET),
    **dict.fromkeys("zvV", _ZONE),
    "G": _ERA,
    "B": _TIME_OF_DAY,
}
"""The texts that letters match that are not numbers; all other letters match a word."""


def read_by_pattern(parts: Sequence[PatternPart], text: str) -> dict[str, int] | None:
    """Return the year, month, day and day of the year in a text, as far as the pattern has them.

    None if the text does not match the pattern.
    """
    reading = _TextReading(text)
    for part, following in zip(parts, [*parts[1:], None], strict=True):
        if not reading.take(part, following):
            return None
    return reading.found if reading.position == len(text) else None


@dataclass(slots=True)
class _TextReading:
    """The position up to which a text was read, and the values found in it."""

    text: str
    position: int = 0
    found: dict[str, int] = field(default_factory=dict)

    def take(self, part: PatternPart, following: PatternPart | None) -> bool:
        """Read one part of the pattern; return whether the text has it there."""
        if isinstance(part, PatternText):
            is_match = self.text.startswith(part.text, self.position)
            self.position += len(part.text)
            return is_match
        if _is_number(part):
            return self._take_number(part, _most_digits(part, following))
        match = TEXTS.get(part.letter, _WORD).match(self.text, self.position)
        if match is None:
            return False
        self.position = match.end()
        return self._take_word(part, match[0].lower())

    def _take_number(self, part: PatternField, most: int) -> bool:
        match = _NUMBER.match(self.text, self.position, self.position + most)
        if match is None or match.end() - self.position < part.width:
            return False
        self.position = match.end()
        if part.letter not in BOUNDS:
            return True
        # Nine digits show that it is too large; converting thousands of them would take long.
        number = int(match[0].lstrip("0")[:9] or "0")
        if _is_short_year(part):
            number += 2000 if number <= LAST_SHORT_YEAR else 1900
        self._note(part, number)
        lowest, highest = BOUNDS[part.letter]
        return lowest <= number <= highest

    def _take_word(self, part: PatternField, word: str) -> bool:
        if part.letter in "Eec":
            return any(day.startswith(word) for day in WEEKDAYS)
        if part.letter not in "ML" or part.width > 4:
            return True
        known = ABBREVIATED if part.width == 3 else MONTHS
        if word not in known:
            return False
        self._note(part, known.index(word) + 1)
        return True

    def _note(self, part: PatternField, number: int) -> None:
        if part.letter in MEANING:
            self.found[MEANING[part.letter]] = number


def _is_number(part: PatternPart | None) -> bool:
    if not isinstance(part, PatternField) or part.letter not in MOST_DIGITS:
        return False
    return part.width < 3 or part.letter not in NAMED_FROM_WIDTH_3


def _most_digits(part: PatternField, following: PatternPart | None) -> int:
    """Return the most digits to read: the field's width where another number follows at once."""
    if _is_short_year(part) or _is_number(following):
        return part.width
    return max(part.width, MOST_DIGITS[part.letter])


def _is_short_year(part: PatternField) -> bool:
    return part.letter in "yY" and part.width == 2
