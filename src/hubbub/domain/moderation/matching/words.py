"""Find many words in a text at once, with an automaton: the time hardly depends on their number."""

import enum
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ahocorasick_rs import AhoCorasick, Implementation

from hubbub.domain.moderation.matching.folding import (
    LONGEST_RUN,
    Span,
    fold,
    fold_with_places,
    shorten_with_places,
    variants,
)

AT_ONCE = 200
"""So many characters are searched at once: what is found in them is one list in memory."""
_WITHOUT_SPACES = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "BOPOMOFO")
"""Scripts in which words follow each other without spaces, as names of characters begin."""


_Raw = tuple[int, int, int]
"""A term by its index, and where it begins and ends."""


class TooDense(Exception):
    """A text has more terms than may be looked at."""


class WordPlace(enum.Enum):
    """Where in a text a term must be."""

    WORD = "word"
    """Between the borders of words, but in scripts that write none."""
    ANYWHERE = "contains"
    WHOLE = "equals"
    """It is all of the text."""


@dataclass(frozen=True, slots=True)
class Found:
    """A term, by its index, in a variant of the text."""

    term: int
    text: str
    begin: int
    end: int
    visible: Span
    """Where the text is, without the white space around it."""

    def is_at(self, place: WordPlace) -> bool:
        """Return whether it is where it must be."""
        if place is WordPlace.ANYWHERE:
            return True
        if place is WordPlace.WHOLE:
            return self.begin <= self.visible[0] and self.end >= self.visible[1]
        return _is_border(self.text, self.begin) and _is_border(self.text, self.end)


class WordFinder:
    """Finds terms, which are folded, in texts."""

    def __init__(self, terms: Sequence[str]) -> None:
        """Build the automaton; a million characters take a third of a second."""
        self._count = len(terms)
        # Runs of other letters than those of terms change nothing, and these are found by the way.
        letters = sorted({letter for term in terms for letter in term if letter.isalpha()})
        runs = [letter * LONGEST_RUN for letter in letters]
        self._longest = max(map(len, terms), default=0)
        self._automaton = AhoCorasick(
            [*terms, *runs], implementation=Implementation.ContiguousNFA, store_patterns=False
        )

    def find(self, text: str, most: int | None = None) -> Iterator[Found]:
        """Yield the terms in a text as it was sent, some of them several times.

        Raises:
            TooDense: there are more than `most`.
        """
        folded = fold(text)
        found = self._search(folded, most)
        if not found:
            return
        if all(each[0] < self._count for each in found):
            visible = _visible(folded)
            yield from (Found(term, folded, begin, end, visible) for term, begin, end in found)
            return
        for variant in variants(folded):
            visible = _visible(variant)
            for term, begin, end in self._search(variant, most):
                if term < self._count:
                    yield Found(term, variant, begin, end, visible)

    def _search(self, text: str, most: int | None = None) -> list[_Raw]:
        if len(text) <= AT_ONCE and most is None:
            return self._automaton.find_matches_as_indexes(text, overlapping=True)
        found: list[_Raw] = []
        for piece in self._pieces(text):
            found += piece
            if most is not None and len(found) > most:
                raise TooDense
        return found

    def _pieces(self, text: str) -> Iterator[list[_Raw]]:
        """Yield what pieces of a text have; those overlap, so that no term is cut."""
        for start in range(0, len(text), AT_ONCE):
            piece = text[start : start + AT_ONCE + max(self._longest, LONGEST_RUN) - 1]
            found = self._automaton.find_matches_as_indexes(piece, overlapping=True)
            yield [
                (term, begin + start, end + start) for term, begin, end in found if begin < AT_ONCE
            ]

    def find_spans(self, text: str) -> Iterator[tuple[Found, Span]]:
        """Yield the terms in a text with where they are in the text as it was sent."""
        folded = fold_with_places(text)
        for letters in range(LONGEST_RUN, 0, -1):
            variant, begins, ends = shorten_with_places(folded, letters)
            visible = _visible(variant)
            for term, begin, end in self._search(variant):
                if term < self._count:
                    found = Found(term, variant, begin, end, visible)
                    yield found, (begins[begin], ends[end - 1])


def _visible(text: str) -> Span:
    return len(text) - len(text.lstrip()), len(text.rstrip())


def _is_border(text: str, at: int) -> bool:
    """Return whether a word may begin or end at a place of a folded text."""
    if not 0 < at < len(text):
        return True
    before, after = text[at - 1], text[at]
    if not (_is_of_word(before) and _is_of_word(after)):
        return True
    return not (before.isascii() and after.isascii()) and (
        _has_no_spaces(before) or _has_no_spaces(after)
    )


def _is_of_word(character: str) -> bool:
    if character.isascii():
        return character.isalnum() or character == "_"
    return character.isalnum() or unicodedata.category(character).startswith("M")


def _has_no_spaces(character: str) -> bool:
    return unicodedata.name(character, "").startswith(_WITHOUT_SPACES)
