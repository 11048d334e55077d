"""Copy the rows of all tables, in the order of their keys, and compare both stores."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from hubbub.moving.copying.progress import CopyProgress, Show
from hubbub.storage.interface import Row
from hubbub.storage.tables import CopySource, CopyTarget, RowSum, StoredRows, StoredTable

MOST_ROWS = 2_000
LARGEST_BATCH = 4_000_000
"""So many rows, and characters, are in memory, and stored by one transaction."""


class StoresDiffer(Exception):
    """After the copy, rows of the two stores differ."""

    def __init__(self, tables: Sequence[str]) -> None:
        super().__init__(f"The copy differs from the original: {'; '.join(tables)}.")


@dataclass(slots=True)
class RowCopy:
    """Copies all tables of a store that doesn't change meanwhile."""

    source: CopySource
    target: CopyTarget
    tables: Sequence[StoredTable]
    progress: CopyProgress
    show: Show
    _sums: dict[str, RowSum] = field(default_factory=dict)
    """Of the source, by the name of the table."""
    _done: int = 0
    _total: int = 0

    async def run(self) -> int:
        """Copy what is not copied yet, and compare; return the number of rows.

        Raises:
            StoresDiffer: the rows of a table differ.
        """
        for table in self.tables:
            self._total += await self.source.count(table)
        if not await self._is_verified():
            for table in self.tables:
                await self._copy(table)
            await self._verify()
        return self._total

    async def _is_verified(self) -> bool:
        """Return whether all was compared before, and the source has not changed since.

        The rest of a copy changes a few rows of the target, so they are not compared again.
        """
        if not self.progress.verified:
            return False
        for table in self.tables:
            self._sums[table.name] = await self._sum(self.source, table, "compare")
        return self.progress.verified == self._encode_sums()

    async def _copy(self, table: StoredTable) -> None:
        if self.progress.is_copied(table):
            self._done += await self.target.count(table)
            return
        after = self.progress.find_key(table)
        if after:
            self._done += await self.target.count(table)
        checksum = RowSum()
        batch: list[Row] = []
        size = 0
        async for row in self.source.rows(table, after):
            checksum.add(row)
            batch.append(row)
            size += sum(len(value) for value in row if isinstance(value, str | bytes))
            if len(batch) >= MOST_ROWS or size >= LARGEST_BATCH:
                await self._store(table, batch, is_last=False)
                batch, size = [], 0
        await self._store(table, batch, is_last=True)
        if not after:
            self._sums[table.name] = checksum

    async def _store(self, table: StoredTable, batch: Sequence[Row], *, is_last: bool) -> None:
        await self.progress.insert(table, batch, is_last=is_last)
        self._done += len(batch)
        self.show("rows", self._done, self._total)
        await asyncio.sleep(0)  # SQLite never suspends: an interruption is noticed here

    async def _verify(self) -> None:
        self._done = 0
        different = [each for table in self.tables if (each := await self._compare(table))]
        if different:
            raise StoresDiffer(different)
        await self.progress.note_verified(self._encode_sums())

    async def _compare(self, table: StoredTable) -> str:
        """Compare a table; return how it differs, or "".

        The rows that an earlier command copied may have changed since: then all are copied again.
        """
        is_whole = table.name in self._sums
        if not is_whole:
            self._sums[table.name] = await self._sum(self.source, table)
        found = await self._sum(self.target, table, "compare")
        if found != self._sums[table.name] and self.progress.is_resumed:
            await self.progress.begin_again(table)
            self._done -= found.rows
            await self._copy(table)
            found = await self._sum(self.target, table)
        wanted = self._sums[table.name]
        if found == wanted:
            return ""
        return f"{table.name} has {found.rows:,} rows of {wanted.rows:,}, or other values"

    async def _sum(self, store: StoredRows, table: StoredTable, step: str = "") -> RowSum:
        checksum = RowSum()
        async for row in store.rows(table):
            checksum.add(row)
            if step and checksum.rows % MOST_ROWS == 0:
                self.show(step, self._done + checksum.rows, self._total)
                await asyncio.sleep(0)
        if step:
            self._done += checksum.rows
        return checksum

    def _encode_sums(self) -> str:
        return " ".join(f"{name}={self._sums[name]}" for name in sorted(self._sums))
