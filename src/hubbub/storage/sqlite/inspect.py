"""A database file that is only read, to find out what is wrong with it."""

import time
from pathlib import Path
from typing import TypeVar

from hubbub.storage.interface import Health, Reading
from hubbub.storage.sqlite.copy import Copy

Result = TypeVar("Result")
LONGEST_LOG = 1024 * 1024 * 1024
MIB = 1024 * 1024


class SqliteInspection:
    """Reads the file beside the node that may serve it; changes nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = Copy(path)

    async def schema_version(self) -> int:
        return self._file.schema_version()

    async def read(self, app_id: str, reading: Reading[Result]) -> Result:
        return self._file.read(app_id, reading)

    async def check_health(self, seconds: float) -> Health:
        """Check all tables and indexes, as far as the time allows."""
        ends_at = time.monotonic() + seconds
        faults = self._file.find_faults(is_over=lambda: time.monotonic() > ends_at)
        size = f"SQLite, {self._path.stat().st_size / MIB:,.1f} MiB"
        if faults is None:
            return Health(f"{size}, no fault found in {seconds:.0f} s, not all of it was checked")
        if faults:
            return Health(size, [f"it is damaged: {'; '.join(faults)}"])
        return Health(f"{size}, no fault found", doubts=self._doubts())

    def _doubts(self) -> list[str]:
        log = self._path.with_name(f"{self._path.name}-wal")
        size = log.stat().st_size if log.exists() else 0
        if size < LONGEST_LOG:
            return []
        return [f"its write-ahead log has {size / MIB:,.0f} MiB: something has read for long"]

    async def read_clock(self) -> float | None:
        """Return None: the file has no clock of its own."""
        return None

    async def close(self) -> None:
        self._file.close()
