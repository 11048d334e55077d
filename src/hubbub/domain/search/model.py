"""What of a message a search looks in, and when it finds something there.

Text is compared folded, so that case does not matter in any script, and with a single space for
each stretch of white space. An index of three characters each, taken from every place of every
word, leads to the messages that may hold a text; their own text then tells whether they do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from hubbub.domain.messages.model import ACTION, Message
from hubbub.kernel.text import fold

LENGTH = 3
MOST_ASKED = 12
"""So many terms of a long text lead to few enough messages."""
_decode = msgspec.json.Decoder().decode
# FTS5 takes ASCII's signs for gaps between terms: they are spelled as characters for private use.
_SPELLED = {
    code: chr(0xE100 + code) for code in range(128) if not chr(code).isalnum() and code != 0x20
}


def normalise(text: str) -> str:
    """`text` as it is compared."""
    return " ".join((text.lower() if text.isascii() else fold(text)).split())


def searched_text(message: Message) -> list[str]:
    """What a search looks in: the text of a message, and the names of its files."""
    if message.category == ACTION or message.is_erased:
        return []
    data: dict[str, Any] = _decode(message.data)
    found = [data.get("text")]
    attachments = data.get("attachments")
    if isinstance(attachments, list):
        found += [each.get("name") for each in attachments if isinstance(each, dict)]
    return [normalise(text) for text in found if isinstance(text, str) and text]


def holds(message: Message, key: str) -> bool:
    """Whether a search for `key`, which is normalised, finds a message."""
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


def asked_terms(key: str) -> tuple[list[str], list[str]]:
    """What every entry has whose text holds `key`, which is normalised: terms, and beginnings.

    What is shorter than a term is the beginning of one; it is asked for only when there is nothing
    longer, because very many terms may begin so.
    """
    words = key.translate(_SPELLED).split()
    terms = sorted(
        {word[place : place + LENGTH] for word in words for place in range(len(word) - LENGTH + 1)}
    )
    if not terms:
        return [], sorted(set(words))
    step = -(-len(terms) // MOST_ASKED)
    return terms[::step], []
