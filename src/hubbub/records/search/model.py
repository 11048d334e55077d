"""What of a message a search looks in, and when it finds something there.

Text is compared folded, so that case does not matter in any script, and with a single space for
each stretch of white space. An index of three characters each, taken from every place of every
word, leads to the messages that may hold a text; their own text then tells whether they do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec

from hubbub.kernel.text import fold
from hubbub.records.messages.model import ACTION, Message

LENGTH = 3
PLACE_MARKS = "\ue000\ue001"
"""What terms begin with, or hold, that name a place to look in; no others have them."""
MOST_ASKED = 12
"""So many terms of a long text lead to few enough messages."""
# FTS5 takes ASCII's signs for gaps between terms: they are spelled as characters for private use.
_SPELLED: dict[int, str | None] = {
    code: chr(0xE100 + code) for code in range(128) if not chr(code).isalnum() and code != 0x20
}
_SPELLED |= {ord(character): None for character in PLACE_MARKS}
# What nobody sees, and the dots that Turkish gives to an i and takes away from one.
_UNSEEN = dict.fromkeys([0xAD, 0x307, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF]) | {0x131: "i"}
FIRST_WITHOUT_ALPHABET = "\u2e80"
"""Scripts from here on have thousands of characters, so that one or two of them tell much."""


class Searched(msgspec.Struct):
    """What of a message's data a search looks in; an app's own data may be anything."""

    text: Any = None
    attachments: Any = None


_decode = msgspec.json.Decoder(Searched).decode


def normalise(text: str) -> str:
    """`text` as it is compared."""
    folded = text.lower() if text.isascii() else fold(text).translate(_UNSEEN)
    return " ".join(folded.split())


def searched_text(message: Message) -> list[str]:
    """What a search looks in: the text of a message, and the names of its files."""
    if message.category == ACTION or message.is_erased:
        return []
    data = _decode(message.data)
    found = [data.text]
    if isinstance(data.attachments, list):
        found += [each.get("name") for each in data.attachments if isinstance(each, dict)]
    texts = (normalise(text) for text in found if isinstance(text, str))
    return [text for text in texts if text]


def holds(message: Message, key: str) -> bool:
    """Whether a search for `key`, which is normalised, finds a message."""
    data = message.data
    if key.isascii() and data.isascii():  # then its JSON tells quickly of most that it does not
        lowered = data.lower()
        if any(word.isalnum() and word not in lowered for word in key.split()):
            return False
    return any(key in text for text in searched_text(message))


def terms_of(texts: Sequence[str]) -> set[str]:
    """What an entry is found by; the last ones of a word are shorter."""
    return {
        word[place : place + LENGTH]
        for text in texts
        for word in text.translate(_SPELLED).split()
        for place in range(len(word))
    }


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index is to hold of a message."""

    conversation: int
    terms: str
    """With spaces between them."""


def make_entry(message: Message) -> Entry | None:
    """The entry of a message as it is now; None when there is nothing to look in."""
    texts = searched_text(message)
    return Entry(message.conversation, " ".join(terms_of(texts))) if texts else None


@dataclass(frozen=True, slots=True)
class IndexKey:
    """What every entry has whose text holds what is searched for."""

    terms: Sequence[str]
    beginnings: Sequence[str]
    """Of what is shorter than a term: very many terms may begin so."""
    is_common: bool
    """Whether much will hold it: it is a letter or two of an alphabet."""


@lru_cache(maxsize=256)
def key_of(text: str) -> IndexKey:
    """What to ask the index for; `text` is normalised."""
    words = text.translate(_SPELLED).split()
    terms = sorted(
        {word[place : place + LENGTH] for word in words for place in range(len(word) - LENGTH + 1)}
    )
    step = -(-len(terms) // MOST_ASKED) or 1
    return IndexKey(
        terms[::step],
        sorted({word for word in words if len(word) < LENGTH}),
        not terms and all(character < FIRST_WITHOUT_ALPHABET for character in text),
    )
