"""Fold text for comparison, so that words are found however they are spelt or disguised.

What is ignored: case, width, accents, invisible characters, kinds of white space, and which of
several letters that look alike was used. Each character is folded for itself, so the folded form of
a text is that of its characters, one after the other.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

Span = tuple[int, int]
"""Where something begins and ends in a text."""
Folded = tuple[str, list[int], list[int]]
"""A folded text, and where each of its characters begins and ends in the text as it was sent."""
LONGEST_RUN = 3
"""Longer runs of a letter are taken as so many, and also as two and as one."""

# Letters that look like Latin ones, from the confusables of Unicode's Technical Standard 39; in
# lower case, as folding comes before. Digits and symbols are left as they are: "101" is no "lol".
_LIKE_LATIN = {
    "a": "аɑα",
    "b": "ƅЬь",
    "c": "сϲᴄ",
    "d": "ԁđɗ",
    "e": "еҽɛє",
    "g": "ɡց",
    "h": "һհħ",
    "i": "іıɩιӏ",
    "j": "јϳ",
    "k": "кκқҟ",
    "l": "ɫłḷǀ",
    "m": "мᴍ",
    "n": "ոռɴ",
    "o": "оοօσøɵө",
    "p": "рρ",
    "q": "ԛգ",
    "r": "гᴦɼ",
    "s": "ѕꜱ",
    "t": "тτŧ",
    "u": "υսᴜʋ",
    "v": "ѵνᴠ",
    "w": "ԝաɯᴡѡ",
    "x": "хχ",
    "y": "уүγʏ",
    "z": "ᴢʐ",
}
_WHITE = "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u1680\u2028\u2029"
_INVISIBLE = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xE0000, 0xE0FFF),
)
_MARKS = (
    (0x0300, 0x036F),  # accents of Latin, Greek and Cyrillic
    (0x0483, 0x0489),
    (0x0591, 0x05BD),  # points of Hebrew
    (0x0640, 0x0640),  # the line that stretches Arabic words
    (0x064B, 0x065F),  # vowel signs of Arabic, which are usually left out
    (0x1AB0, 0x1AFF),
    (0x1DC0, 0x1DFF),
    (0x20D0, 0x20FF),
    (0xFE20, 0xFE2F),
)


def _removed() -> Iterator[int]:
    for first, last in (*_INVISIBLE, *_MARKS):
        yield from range(first, last + 1)


_TABLE = (
    {ord(like): letter for letter, likes in _LIKE_LATIN.items() for like in likes}
    | dict.fromkeys(map(ord, _WHITE), " ")
    | dict.fromkeys(_removed(), None)
)
_ASCII = {code: chr(code).lower() for code in range(128)} | {
    code: " " for code in map(ord, _WHITE) if code < 128
}
MOST_FOLDED = 20_000
"""So many characters are kept with their folded forms: those of the texts of a few scripts."""
_RUNS = re.compile(r"(.)\1{2,}", re.DOTALL)


class _Folded(dict[str, str]):
    """The folded forms of characters: to look one up takes a tenth of the time of folding it."""

    def __missing__(self, character: str) -> str:
        decomposed = unicodedata.normalize("NFKD", character).casefold()
        folded = unicodedata.normalize("NFKD", decomposed).translate(_TABLE)
        if len(self) < MOST_FOLDED:
            self[character] = folded
        return folded


_FOLDED = _Folded()


def fold(text: str) -> str:
    """Return a text in the form in which words are compared."""
    if text.isascii():
        return text.translate(_ASCII)
    return "".join(map(_FOLDED.__getitem__, text))


def fold_term(term: str) -> str:
    """Return a term of a list in the form in which it is looked for."""
    return shorten_runs(fold(term).strip(), LONGEST_RUN)


def variants(folded: str) -> list[str]:
    """Return a folded text with its long runs of letters taken as three, as two and as one."""
    runs = _runs_of(folded)
    return [_shortened(folded, runs, letters) for letters in range(LONGEST_RUN, 0, -1)]


def shorten_runs(folded: str, letters: int) -> str:
    """Return a folded text with its runs of three letters and more taken as so many."""
    return _shortened(folded, _runs_of(folded), letters)


def _runs_of(folded: str) -> list[Span]:
    return [run.span() for run in _RUNS.finditer(folded) if run[1].isalpha()]


def _shortened(folded: str, runs: Sequence[Span], letters: int) -> str:
    kept: list[str] = []
    at = 0
    for begin, end in runs:
        kept.append(folded[at : begin + letters])
        at = end
    return "".join((*kept, folded[at:]))


def fold_with_places(text: str) -> Folded:
    """Return a folded text, and for each of its characters where that is in `text`.

    What is ignored after a character, such as an accent, belongs to it.
    """
    folded: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        piece = fold(character)
        folded.append(piece)
        places += [place] * len(piece)
    following = [*places[1:], len(text)]
    ends = [max(begin + 1, after) for begin, after in zip(places, following, strict=False)]
    return "".join(folded), places, ends


def shorten_with_places(folded: Folded, letters: int) -> Folded:
    """Return what `shorten_runs` does; the last letter that stands for a run ends where it does."""
    text, begins, ends = folded
    kept: list[str] = []
    kept_begins: list[int] = []
    kept_ends: list[int] = []
    at = 0
    for run_begin, run_end in _runs_of(text):
        until = run_begin + letters
        kept.append(text[at:until])
        kept_begins += begins[at:until]
        kept_ends += ends[at:until]
        kept_ends[-1] = ends[run_end - 1]
        at = run_end
    return (
        "".join((*kept, text[at:])),
        [*kept_begins, *begins[at:]],
        [*kept_ends, *ends[at:]],
    )
