"""Lists of words, patterns and sentences: their limits, and the errors about them."""

import msgspec

from hubbub.kernel.errors import Conflict, Forbidden, LimitReached, NotFound
from hubbub.records.moderation.rules.model import PATTERN, SENTENCES, WORD

MOST_LISTS = 25
"""The most lists of an app, besides those that the product brings along."""
MOST_TERMS = 10_000
LONGEST_TERM = 100
LARGEST_CSV = 2**20
"""The most bytes of a file."""
MOST_CHARACTERS = 2**21
"""The most characters in all lists of an app: what is compiled of them is kept in memory."""
LIST_CATEGORIES = (WORD, PATTERN, SENTENCES)


class KeywordNotFound(NotFound):
    """The app has no such list."""

    code = "ERR_KEYWORD_NOT_FOUND"

    def __init__(self, list_id: str) -> None:
        super().__init__(f"The list with id {list_id} does not exist.")


class KeywordAlreadyExists(Conflict):
    """The app has a list with that id."""

    code = "ERR_KEYWORD_ALREADY_EXISTS"

    def __init__(self, list_id: str) -> None:
        super().__init__(f"A list with id {list_id} exists already.")


class KeywordInUse(Conflict):
    """A rule refers to the list."""

    code = "ERR_KEYWORD_IN_USE"

    def __init__(self, list_id: str, rules: list[str]) -> None:
        super().__init__(
            f"The list with id {list_id} is used by rules.",
            details={"keywordId": [f"The rule {each} refers to it." for each in rules]},
            dev_message="Take the list out of these rules first.",
        )


class KeywordDeleteDenied(Forbidden):
    """The list is one of those that every app has."""

    code = "ERR_KEYWORD_DELETE_DENIED"

    def __init__(self, list_id: str) -> None:
        super().__init__(f"The list with id {list_id} is one of those that every app has.")


class TooManyLists(LimitReached):
    """The app has as many lists as it may have."""

    def __init__(self) -> None:
        super().__init__(
            f"The app has {MOST_LISTS} lists already.",
            details={"id": [f"The limit is {MOST_LISTS} per app, without the built-in ones."]},
        )


class ListsTooLong(LimitReached):
    """The lists of the app would have too many characters together."""

    def __init__(self) -> None:
        super().__init__(
            f"The lists of an app may have {MOST_CHARACTERS:,} characters together.",
            details={"searchTerms": [f"The limit is {MOST_CHARACTERS:,} in all lists of the app."]},
        )


class KeywordList(msgspec.Struct, frozen=True):
    """A row of `moderation_lists`; `terms` is JSON text. Times in seconds."""

    id: str
    revision: int
    number: int
    category: str
    name: str
    description: str | None
    is_csv: bool
    terms: str
    length: int
    created_at: int
    updated_at: int

    def read(self) -> list[str]:
        """Return its words, patterns or sentences."""
        return _decode(self.terms)


_decode = msgspec.json.Decoder(list[str]).decode
_encode = msgspec.json.Encoder().encode


def encode_terms(terms: list[str]) -> str:
    """Return terms as they are stored."""
    return _encode(terms).decode()
