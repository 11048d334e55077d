"""Text from outside: folding for searches, and ids in their one spelling."""

import re
import unicodedata

from hubbub.kernel.errors import BadInput

ID_LENGTH = 100
MOST_WORDS = 50
_ID = re.compile(r"[a-z0-9_-]{1,100}")
_ANY_CASE_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
_APP_ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")

SYSTEM_UID = "app_system"
"""The uid of the app itself; nobody can be created under it."""


def normalise_id(text: str, field: str) -> str:
    """A uid, guid or role id in lower case.

    Raises:
        BadInput: it is empty, too long, or has other characters than `a-z 0-9 _ -`.
    """
    if not _ANY_CASE_ID.fullmatch(text):  # before it is lowered: the Kelvin sign becomes a k
        raise BadInput.field(
            field, f"The {field} must be 1 to {ID_LENGTH} characters of a-z, 0-9, _ and -."
        )
    return text.lower()


def is_id(text: str) -> bool:
    """Whether `text` is an id in its one spelling."""
    return _ID.fullmatch(text) is not None


def is_app_id(text: str) -> bool:
    """Whether `text` is a DNS label in lower case."""
    return _APP_ID.fullmatch(text) is not None


def fold(text: str) -> str:
    """`text` as it is compared when case is ignored, in any script."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def words(text: str) -> list[str]:
    """The places in folded `text` where a search by prefix may begin: each word with what follows.

    Bounded: fifty words, which is all that a name can have, of at most 100 characters.
    """
    folded = fold(text)
    kinds = [_kind(character) for character in folded]
    starts = [
        place
        for place, kind in enumerate(kinds)
        if place == 0 or (kind is not None and kind != kinds[place - 1])
    ]
    return list(dict.fromkeys(folded[start : start + ID_LENGTH] for start in starts[:MOST_WORDS]))


def _kind(character: str) -> str | None:
    """Part of a word of any script, with its marks; an underscore; or neither."""
    if character.isalnum() or unicodedata.category(character).startswith("M"):
        return "word"
    return character if character == "_" else None


def prefix_range(prefix: str) -> tuple[str, str]:
    """The bounds, lower included and upper excluded, of all text that begins with `prefix`."""
    return prefix, prefix + "\U0010ffff"
