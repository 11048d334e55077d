"""The shapes of lists of words, patterns and sentences."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from hubbub.domain.moderation.built_in.lists import BUILT_IN_LISTS
from hubbub.domain.moderation.keywords.manage import GivenTerms, ListChange
from hubbub.domain.moderation.keywords.terms import split_terms
from hubbub.http.documented import documented_as
from hubbub.records.moderation.keywords.model import MOST_TERMS, KeywordList
from hubbub.records.moderation.rules.model import SENTENCES, revision_id
from hubbub.rest.moderation.wire.rules import ModerationId
from hubbub.rest.wire.shapes import Name, Shape, ShortText

ListCategory = Literal["word", "pattern", "sentence-similarity"]
Terms = Annotated[list[str], Meta(max_length=MOST_TERMS)]
StoredTerms = Annotated[msgspec.Raw, documented_as(list[str])]
"""The terms as they are stored: a list may have ten thousand."""


class KeywordListShape(Shape, kw_only=True):
    """A list of words, patterns or sentences."""

    id: str
    name: str
    description: str | None = None
    category: ListCategory
    is_csv: bool = msgspec.field(name="isCSV")
    search_terms: StoredTerms
    created_at: int
    updated_at: int
    revision_id: str
    active: bool
    default: bool = False


class GivenList(Shape, kw_only=True):
    """The fields of a list; those that are absent keep their values."""

    id: ModerationId | None = None
    name: Name | None = None
    description: ShortText | None = None
    category: ListCategory | None = None
    search_terms: str | Terms | None = None
    disallowed_sentences: str | Terms | None = None

    def change(self, file: GivenTerms | None) -> ListChange:
        """Return the fields that are given, with the terms of a file if there is one."""
        return ListChange(
            category=self.category,
            name=self.name,
            description=self.description,
            terms=file or self._terms(),
        )

    def _terms(self) -> GivenTerms | None:
        if self.disallowed_sentences is not None and self.category in (None, SENTENCES):
            return _given("disallowedSentences", self.disallowed_sentences)
        if self.search_terms is not None:
            return _given("searchTerms", self.search_terms)
        return None


def _given(field: str, terms: str | list[str]) -> GivenTerms:
    def read(category: str) -> list[str]:
        if isinstance(terms, str):
            return split_terms(terms, category)
        return [term for term in (each.strip() for each in terms) if term]

    return GivenTerms(field, read)


def list_shape(app_id: str, stored: KeywordList) -> KeywordListShape:
    """Return a list on the wire."""
    return KeywordListShape(
        id=stored.id,
        name=stored.name,
        description=stored.description,
        category=stored.category,  # type: ignore[arg-type]  # one of these, as stored
        is_csv=stored.is_csv,
        search_terms=msgspec.Raw(stored.terms.encode()),
        created_at=stored.created_at,
        updated_at=stored.updated_at,
        revision_id=revision_id(app_id, stored.id, stored.revision),
        active=True,
        default=stored.id in BUILT_IN_LISTS,
    )
