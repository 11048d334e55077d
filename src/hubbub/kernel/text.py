"""Text of clients: ids in canonical form, and case folding for searches."""

import re
import unicodedata

from hubbub.kernel.errors import BadInput

ID_LENGTH = 100
MOST_WORDS = 50
_ID = re.compile(r"[a-z0-9_-]{1,100}")
_ANY_CASE_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
_APP_ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")

SYSTEM_UID = "app_system"
"""The uid of the app itself; no user can be created with it."""
MASK = "•••"
"""Stands for a secret in answers; in a change it keeps the secret."""
NO_STORED_SECRET = f"{MASK} stands for a stored secret, and none is stored."


def normalise_id(text: str, field: str) -> str:
    """Return a uid, guid or role id in lower case.

    Raises:
        BadInput: it is empty, too long, or has characters other than `a-z 0-9 _ -`.
    """
    if not _ANY_CASE_ID.fullmatch(text):  # before lower(), which turns the Kelvin sign into a k
        raise BadInput.field(
            field, f"The {field} must be 1 to {ID_LENGTH} characters of a-z, 0-9, _ and -."
        )
    return text.lower()


def is_id(text: str) -> bool:
    """Return whether `text` is an id in canonical form."""
    return _ID.fullmatch(text) is not None


def is_app_id(text: str) -> bool:
    """Return whether `text` is a DNS label in lower case."""
    return _APP_ID.fullmatch(text) is not None


def fold(text: str) -> str:
    """Return `text` in the form in which it is compared without case, in any script."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def words(text: str) -> list[str]:
    """Return each word of folded `text` together with the text after it, for searches by prefix.

    At most fifty, which is all that a name can have, each cut at 100 characters.
    """
    folded = fold(text)
    kinds = [_character_kind(character) for character in folded]
    starts = [
        index
        for index, kind in enumerate(kinds)
        if index == 0 or (kind is not None and kind != kinds[index - 1])
    ]
    return list(dict.fromkeys(folded[start : start + ID_LENGTH] for start in starts[:MOST_WORDS]))


def _character_kind(character: str) -> str | None:
    """Return "word" for a letter, digit or mark of any script, "_" for itself, else None."""
    if character.isalnum() or unicodedata.category(character).startswith("M"):
        return "word"
    return character if character == "_" else None


def prefix_range(prefix: str) -> tuple[str, str]:
    """Return the bounds of all text that begins with `prefix`: lower included, upper not."""
    return prefix, prefix + "\U0010ffff"
