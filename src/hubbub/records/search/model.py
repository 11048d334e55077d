"""What a search compares: the normalised text of a message; and what its index entry is made of.

The index cuts texts into terms of three characters (`trigrams.py`, `words.py`). They lead to the
messages that may hold a text; the messages' own text decides.
"""

import re
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from hubbub.kernel.errors import Unavailable
from hubbub.kernel.text import fold
from hubbub.records.messages.model import ACTION, Message

LENGTH = 3
"""The number of characters in a term."""
MOST_TERMS = 12
"""This many terms of a long text lead to few enough messages."""
# Invisible characters, and the dot that Turkish adds to an i; below, the i without one.
_IGNORED = re.compile("[\u00ad\u0307\u200b\u200c\u200d\u2060\ufeff]")
FIRST_WITHOUT_ALPHABET = "\u2e80"
"""Scripts from here on have thousands of characters, so one or two of them are selective."""


class SearchTookTooLong(Unavailable):
    """The time of a search was over before it had read any of its list."""

    def __init__(self) -> None:
        super().__init__(
            "The search took too long. Nothing was found in the time that it had.",
            dev_message="Search in one conversation, or for messages of a sender or of a time.",
            retry_after_seconds=5,
        )


@dataclass(frozen=True, slots=True)
class Scope:
    """An app, by its slot in the index, or one of its conversations."""

    slot: int
    conversation: int | None = None


class Searched(Protocol):
    """A message, or the columns of one, that is not erased."""

    @property
    def category(self) -> str: ...
    @property
    def data(self) -> str: ...


@dataclass(slots=True)
class IndexedText:
    """The columns of a message that its index entry is made of."""

    id: int
    conversation: int
    category: str
    data: str


class SearchedData(msgspec.Struct):
    """The searched fields of a message's data; in custom data they may be of any type."""

    text: Any = None
    attachments: Any = None


_decode = msgspec.json.Decoder(SearchedData).decode


def normalise(text: str) -> str:
    """Return `text` as it is compared: case folded, each run of white space as one space."""
    folded = text.lower() if text.isascii() else _IGNORED.sub("", fold(text)).replace("\u0131", "i")
    return " ".join(folded.split())


def searched_texts(message: Searched) -> list[str]:
    """Return what a search compares, normalised: a message's text and the names of its files."""
    if message.category == ACTION:
        return []
    data = _decode(message.data)
    found = [data.text]
    if isinstance(data.attachments, list):
        found += [each.get("name") for each in data.attachments if isinstance(each, dict)]
    texts = [normalise(text) for text in found if isinstance(text, str)]
    return [text for text in texts if text]


def matches(message: Message, text: str) -> bool:
    """Return whether a search for `text`, which is normalised, finds a message."""
    if message.is_erased:
        return False
    data = message.data
    if text.isascii() and data.isascii():  # most messages are excluded without decoding their JSON
        lowered = data.lower()
        if any(word.isalnum() and word not in lowered for word in text.split()):
            return False
    return any(text in searched for searched in searched_texts(message))


def is_common(text: str) -> bool:
    """Return whether a text, which is normalised, is a letter or two of an alphabet, or several.

    Most messages hold such a text.
    """
    words = text.split()
    return all(len(word) < LENGTH for word in words) and all(
        character < FIRST_WITHOUT_ALPHABET for character in text
    )
