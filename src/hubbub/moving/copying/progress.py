"""How far a copy has come: kept in the target, and shown."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hubbub.storage.tables import CopyTarget, StoredTable

Show = Callable[[str, int, int], None]
"""Is told the step under way, how much of it is done, and of how much."""

SOURCE, VERIFIED, INDEXING = " source", " verified", " indexing"
"""With a space, which the name of no table has."""
DONE = "done"


class CopyProgress:
    """What the target says of a copy into it."""

    def __init__(self, target: CopyTarget, noted: Mapping[str, str], *, is_resumed: bool) -> None:
        self._target = target
        self._noted = dict(noted)
        self.is_resumed = is_resumed
        """Whether an earlier command has copied a part, perhaps of rows that have changed since."""

    def is_copied(self, table: StoredTable) -> bool:
        """Return whether all rows of a table were copied."""
        return self._noted.get(table.name) == DONE

    def find_key(self, table: StoredTable) -> list[Any]:
        """Return the key of the last row that was copied; empty if none was."""
        noted = self._noted.get(table.name)
        return list(json.loads(noted)) if noted else []

    @property
    def verified(self) -> str | None:
        """Return the checksums with which the rows of both were equal; None if they never were."""
        return self._noted.get(VERIFIED)

    async def insert(
        self, table: StoredTable, rows: Sequence[Sequence[Any]], *, is_last: bool
    ) -> None:
        """Store rows, the next ones in the order of the table's key."""
        at = DONE if is_last else json.dumps(table.key_of(rows[-1]))
        await self._target.insert(table, rows, {table.name: at})
        self._noted[table.name] = at

    async def begin_again(self, table: StoredTable) -> None:
        """Empty a table, which is to be copied again."""
        noted = {table.name: "", VERIFIED: ""}
        await self._target.note(noted, emptied=table)
        self._noted |= noted

    async def note_verified(self, checksums: str) -> None:
        """Note that the rows of both stores are equal; what follows from them is made anew."""
        await self._note({VERIFIED: checksums, INDEXING: ""})

    @property
    def is_indexing(self) -> bool:
        """Return whether the messages that lack entries of the search index are marked."""
        return bool(self._noted.get(INDEXING))

    async def note_indexing(self) -> None:
        """Note that the messages that lack entries are marked."""
        await self._note({INDEXING: "begun"})

    async def _note(self, noted: Mapping[str, str]) -> None:
        await self._target.note(noted)
        self._noted |= noted
