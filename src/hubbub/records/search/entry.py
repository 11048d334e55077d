"""The entry of a message in the index: for SQLite a text, for PostgreSQL terms of words."""

from dataclasses import dataclass
from typing import Protocol

from hubbub.records.search import trigrams, words
from hubbub.records.search.model import LENGTH, Searched, searched_texts

LEAST_SIZE = 10
"""To store an entry takes as long as this many terms, besides its own."""


class Indexed(Searched, Protocol):
    """A message, or the columns of one, that is not erased."""

    @property
    def conversation(self) -> int: ...


@dataclass(slots=True)
class IndexEntry:
    """The content of an entry, to which the scopes are added."""

    conversation: int
    text: str
    is_cut: bool
    """True if the text consists of terms."""

    @property
    def size(self) -> int:
        """About the number of its terms, with the time that storing it takes besides them."""
        terms = len(self.text) // (LENGTH + 1) if self.is_cut else len(self.text)
        return LEAST_SIZE + terms

    def text_in(self, slot: int) -> str:
        """Return what is stored of it for an app with this slot."""
        ending_of = words.ending_of if self.is_cut else trigrams.ending_of
        return self.text + ending_of(slot, self.conversation)


def make_entry(message: Indexed, *, is_cut: bool) -> IndexEntry | None:
    """Return the entry of a message; None if it has no searched text."""
    texts = searched_texts(message)
    if not texts:
        return None
    text = words.text_of(texts) if is_cut else trigrams.text_of(texts)
    return IndexEntry(message.conversation, text, is_cut)
