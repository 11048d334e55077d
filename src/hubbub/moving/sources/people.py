"""The users of a source: those that it describes, and those who only occur in messages."""

from collections.abc import Iterator
from typing import Any

from hubbub.moving.sources.interface import Row
from hubbub.moving.sources.rows import Rows, SourcePlace


class KnownPeople:
    """Knows each user of a reading by uid, so that each has exactly one row in the end."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._names: dict[str, str] = {}
        self._strangers: dict[str, tuple[SourcePlace, dict[str, Any]]] = {}

    def __contains__(self, uid: str) -> bool:
        return uid in self._names

    def name_of(self, uid: str) -> str:
        """Return the name of a user, or the uid of one who is not known."""
        return self._names.get(uid) or uid

    def described(self, place: SourcePlace, uid: str, name: str, **fields: Any) -> Iterator[Row]:
        """Yield the row of a user whom the source describes here; of a second description none."""
        if uid not in self._names or uid in self._strangers:
            self._strangers.pop(uid, None)
            self._names[uid] = name
            yield self._rows.user(place, uid, name, **fields)

    def met(self, place: SourcePlace, uid: str, name: str = "", **fields: Any) -> str:
        """Remember a user who occurs here, and return the uid; the first name counts."""
        if uid not in self._names:
            self._strangers[uid] = place, fields
        if not self._names.get(uid):
            self._names[uid] = name
        return uid

    def strangers(self) -> Iterator[Row]:
        """Yield the rows of those who occurred and were not described."""
        for uid, (place, fields) in self._strangers.items():
            yield self._rows.user(place, uid, self._names[uid], **fields)
        self._strangers.clear()
