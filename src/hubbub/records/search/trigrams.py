"""Trigrams of a text, which SQLite cuts itself: three characters from each place, spaces included.

An entry is the text followed by characters that name its app and conversation. So the last two
characters of a text begin trigrams, too, and a key that is shorter than a trigram begins one.
"""

import re
from collections.abc import Sequence

from hubbub.records.search.model import LENGTH, MOST_TERMS, Scope
from hubbub.storage.dialect import Terms

SLOTS, NUMBERS, SIZE = 0xF0000, 0x100000, 0xFFFE
"""The private-use planes of Unicode that name apps and conversations, and their size."""
BETWEEN_TEXTS = "\n\n"
"""Normalised texts have no line feed."""
# Characters that would name a scope, and those that SQLite replaces in texts, but not in terms.
_REPLACED = re.compile("[\ufffe\uffff\U000f0000-\U0010ffff]")


def scope_term(scope: Scope) -> str:
    """Return the trigram that all entries of an app or a conversation have.

    Very large numbers share trigrams: an entry's rowid tells the app, its message the conversation.
    """
    app = chr(SLOTS + scope.slot % SIZE)
    return app * LENGTH if scope.conversation is None else app + _digits(scope.conversation)


def _digits(conversation: int) -> str:
    return chr(NUMBERS + conversation // SIZE % SIZE) + chr(NUMBERS + conversation % SIZE)


def text_of(texts: Sequence[str]) -> str:
    """Return the text of an entry, to be followed by `ending_of`."""
    return _replace(BETWEEN_TEXTS.join(texts))


def ending_of(slot: int, conversation: int) -> str:
    """Return what follows the text of an entry: the trigrams of its app and its conversation.

    They overlap in a character: "aaa" and "axy" are "aaaxy".
    """
    return chr(SLOTS + slot % SIZE) * LENGTH + _digits(conversation)


def condition_of(text: str, scopes: Sequence[Scope]) -> Terms:
    """Return what entries in any of `scopes` have that hold a text."""
    text = _replace(text)
    terms = sorted({text[place : place + LENGTH] for place in range(len(text) - LENGTH + 1)})
    return Terms(
        all_of=terms[:: -(-len(terms) // MOST_TERMS) or 1],
        beginnings=() if terms else (text,),
        any_of=[scope_term(scope) for scope in scopes],
    )


def _replace(text: str) -> str:
    return text if text.isascii() else _REPLACED.sub("\ufffd", text)
