"""What a search compares: the normalised text of a message, and the index terms made of it.

The index cuts each word into terms of three characters. They lead to the messages that may hold a
text; the messages' own text decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec

from hubbub.kernel.text import fold
from hubbub.records.messages.model import ACTION, Message

LENGTH = 3
SCOPE_MARKS = "\ue000\ue001"
"""Characters of the terms that name an app or a conversation; no other terms have them."""
MOST_TERMS = 12
"""This many terms of a long text lead to few enough messages."""
# FTS5 splits terms at ASCII punctuation, so it is spelled with private-use characters.
_SPELLED: dict[int, str | None] = {
    code: chr(0xE100 + code) for code in range(128) if not chr(code).isalnum() and code != 0x20
}
_SPELLED |= {ord(character): None for character in SCOPE_MARKS}
# Invisible characters, and the dots that Turkish adds to an i or takes away.
_IGNORED = dict.fromkeys([0xAD, 0x307, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF]) | {0x131: "i"}
FIRST_WITHOUT_ALPHABET = "\u2e80"
"""Scripts from here on have thousands of characters, so one or two of them are selective."""


class SearchedData(msgspec.Struct):
    """The searched fields of a message's data; in custom data they may be of any type."""

    text: Any = None
    attachments: Any = None


_decode = msgspec.json.Decoder(SearchedData).decode


def normalise(text: str) -> str:
    """Return `text` as it is compared: case folded, each run of white space as one space."""
    folded = text.lower() if text.isascii() else fold(text).translate(_IGNORED)
    return " ".join(folded.split())


def searched_texts(message: Message) -> list[str]:
    """Return what a search compares, normalised: a message's text and the names of its files."""
    if message.category == ACTION or message.is_erased:
        return []
    data = _decode(message.data)
    found = [data.text]
    if isinstance(data.attachments, list):
        found += [each.get("name") for each in data.attachments if isinstance(each, dict)]
    texts = (normalise(text) for text in found if isinstance(text, str))
    return [text for text in texts if text]


def matches(message: Message, text: str) -> bool:
    """Return whether a search for `text`, which is normalised, finds a message."""
    data = message.data
    if text.isascii() and data.isascii():  # most messages are excluded without decoding their JSON
        lowered = data.lower()
        if any(word.isalnum() and word not in lowered for word in text.split()):
            return False
    return any(text in searched for searched in searched_texts(message))


def terms_of(texts: Sequence[str]) -> set[str]:
    """Return the terms of an entry: three characters from each place of each word.

    Those at the end of a word are shorter.
    """
    return {
        word[place : place + LENGTH]
        for text in texts
        for word in text.translate(_SPELLED).split()
        for place in range(len(word))
    }


@dataclass(frozen=True, slots=True)
class Entry:
    """The content of a message's index entry."""

    conversation: int
    terms: str
    """Separated by spaces."""


def make_entry(message: Message) -> Entry | None:
    """Return the entry of a message; None if it has no searched text."""
    texts = searched_texts(message)
    return Entry(message.conversation, " ".join(terms_of(texts))) if texts else None


@dataclass(frozen=True, slots=True)
class IndexKey:
    """What the entries of all messages that hold a text have in common."""

    terms: Sequence[str]
    prefixes: Sequence[str]
    """Words shorter than a term: each is the beginning of a term, maybe of very many."""
    is_common: bool
    """True if the text is a letter or two of an alphabet, which most messages hold."""


@lru_cache(maxsize=256)
def index_key_of(text: str) -> IndexKey:
    """Return the index key of a text, which is normalised."""
    words = text.translate(_SPELLED).split()
    terms = sorted(
        {word[place : place + LENGTH] for word in words for place in range(len(word) - LENGTH + 1)}
    )
    step = -(-len(terms) // MOST_TERMS) or 1
    return IndexKey(
        terms[::step],
        sorted({word for word in words if len(word) < LENGTH}),
        not terms and all(character < FIRST_WITHOUT_ALPHABET for character in text),
    )
