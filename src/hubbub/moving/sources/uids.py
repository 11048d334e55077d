"""Ids for what other systems name with characters that ids of Hubbub do not have."""

import hashlib
import re
from typing import Any

from hubbub.kernel.text import ID_LENGTH, is_id
from hubbub.moving.sources.values import text_of

_OTHER = re.compile(r"[^a-z0-9_-]+")
_SHORTEST_MARK = 8
_MARK_OF_MUID = 12
_LONGEST_TIME = 40


class Uids:
    """Makes ids of names: another one for each name, and the same one in each reading.

    A name that is an id stays. Another one becomes its letters and digits with a mark, which
    follows from the name alone: `Anna Berg` is `anna_berg-` with eight hexadecimal digits.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def has(self, name: str) -> bool:
        """Return whether a name has an id already."""
        return any(self._names.get(candidate) == name for candidate in self._candidates(name))

    def of(self, name: str) -> str:
        """Return the id of a name."""
        for candidate in self._candidates(name):
            if self._names.setdefault(candidate, name) == name:
                return candidate
        raise AssertionError("two names have the same SHA-256")

    def _candidates(self, name: str) -> list[str]:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        stem = _OTHER.sub("_", name.lower()).strip("_") or "id"
        marked = [
            f"{stem[: ID_LENGTH - length - 1]}-{digest[:length]}"
            for length in (_SHORTEST_MARK, 16, 32, 64)
        ]
        return [name, *marked] if is_id(name) else marked


def muid_of(at: Any, *content: Any) -> str:
    """Return the id of a message of a system that has none: its time, and a mark of its content."""
    text = "\0".join(map(text_of, content))
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text_of(at)[:_LONGEST_TIME]}-{digest[:_MARK_OF_MUID]}"
