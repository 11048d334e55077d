"""Texts of messages: words of no language, a few in most of the messages.

Some words are in a known number of messages and no others, to be searched for.
"""

import random
from collections.abc import Sequence
from itertools import accumulate, islice

from bench.crowd import invented, spread

RARE_WORD, RARE_CHINESE, COMMON_WORD = "quillfeather", "鹬蚌", "harbour"
"""None of them occurs by chance: no name has their letters, no other text their characters."""
RARE_EVERY, COMMON_EVERY = 100_000, 100
LEAST_RARE = 10

WORDS, CHARACTERS, FIRST_CHARACTER = 20_000, 3_000, 0x4E00
DRAWN = 500_000
CHINESE_SHARE = 0.03
MEDIAN_WORDS, SPREAD, MOST_WORDS = 1.9, 0.8, 80
"""Half of the messages have up to the median of words; the spread is that of the logarithm."""


class Planting:
    """The searched words in each of `count` messages."""

    def __init__(self, count: int) -> None:
        self._rare = spread(max(LEAST_RARE, count // RARE_EVERY), count)

    def word_at(self, place: int) -> str | None:
        """Return the word of the message at that place, if it has one."""
        if place in self._rare:
            return RARE_WORD
        if place - 1 in self._rare:
            return RARE_CHINESE
        return COMMON_WORD if place % COMMON_EVERY == COMMON_EVERY // 2 else None


class Talker:
    """A source of the same texts each time: slices of a long row of random words."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._words = _draw(chance, [name.lower() for name in islice(invented(chance), WORDS)])
        self._characters = _draw(chance, [chr(FIRST_CHARACTER + n) for n in range(CHARACTERS)])

    def say(self, word: str | None = None) -> str:
        """Return a text: mostly a line, sometimes a paragraph; with the word in it."""
        chance = self._chance
        is_chinese = chance.random() < CHINESE_SHARE if word is None else not word.isascii()
        row, gap = (self._characters, "") if is_chinese else (self._words, " ")
        count = min(MOST_WORDS, 1 + int(chance.lognormvariate(MEDIAN_WORDS, SPREAD)))
        start = int(chance.random() * (DRAWN - MOST_WORDS))
        said = row[start : start + count]
        if word is not None:
            said.insert(count // 2, word)
        return gap.join(said)


def _draw(chance: random.Random, items: Sequence[str]) -> list[str]:
    """Return random items, with frequencies by Zipf's law."""
    weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(items))))
    return chance.choices(items, cum_weights=weights, k=DRAWN)
