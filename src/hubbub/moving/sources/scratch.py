"""Facts of messages that later rows need, kept on disk: memory stays constant."""

from types import TracebackType
from typing import Any, Self

import apsw
import msgspec

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode
_SETUP = (
    "PRAGMA journal_mode = OFF",
    "PRAGMA synchronous = OFF",
    "CREATE TABLE facts (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID",
    "BEGIN",
)


class KnownMessage(msgspec.Struct, frozen=True):
    """A message that came before: who sent it, and in which conversation."""

    id: str
    sender: str
    conversation: str


class Scratch:
    """Values by key, in a temporary file that is gone when it is closed."""

    def __init__(self) -> None:
        self._database = apsw.Connection("")  # no name: SQLite removes the file
        for statement in _SETUP:
            self._database.execute(statement).fetchall()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._database.close()

    def put(self, key: str, value: Any) -> None:
        """Keep a value of JSON; an earlier one with this key is gone."""
        row = (key.encode("utf-8", "surrogatepass"), _encode(value))
        self._database.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", row)

    def put_message(self, id_: str, sender: str, parent: str, conversation: str = "") -> None:
        """Keep who sent a message, to which one it replies, if to any, and where."""
        self.put(f"message {id_}", (sender, parent, conversation))

    def find_message(self, id_: str, *, as_parent: bool = False) -> KnownMessage | None:
        """Return a message; as the parent of a reply the one that begins its thread.

        None if it did not come before, or is in a circle of replies.
        """
        found = self.get(f"message {id_}") if id_ else None
        if found and as_parent and found[1] and found[1] != id_:
            id_, found = found[1], self.get(f"message {found[1]}")
            found = None if found and found[1] else found
        return None if found is None else KnownMessage(id_, found[0], found[2])

    def get(self, key: str) -> Any:
        """Return the value with a key, or None."""
        row = (key.encode("utf-8", "surrogatepass"),)
        found = self._database.execute("SELECT value FROM facts WHERE key = ?", row).fetchone()
        return None if found is None else _decode(found[0])
