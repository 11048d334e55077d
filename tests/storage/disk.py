"""A disk that fails on request: a file system for SQLite, in front of the real one."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from hubbub.storage.sqlite.connection import open_connection

NUMBERS = itertools.count(1)


class Disk(apsw.VFS):
    """Forwards everything, counts operations on the write-ahead log, and fails on request."""

    def __init__(self) -> None:
        self.name = f"disk-{next(NUMBERS)}"
        super().__init__(self.name, "")
        self.syncs = 0
        self.synced_bytes = 0
        """So much of the write-ahead log is safe if the machine fails."""
        self.is_synced = True
        self._faults: dict[str, int] = {}

    def connect(self, path: Path, *, read_only: bool = False) -> apsw.Connection:
        """Connect to a file on this disk, as the engine does."""
        return open_connection(path, read_only=read_only, vfs=self.name)

    @contextmanager
    def failing(self, call: str, code: int) -> Iterator[None]:
        """Make each `read`, `write` or `sync` fail with SQLite's `code` during a block."""
        self._faults[call] = code
        try:
            yield
        finally:
            del self._faults[call]

    def meet(self, call: str) -> None:
        """Fail if this call should fail now."""
        if call in self._faults:
            raise apsw.exception_for(self._faults[call])

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> "File":  # noqa: N802
        return File(self, name, flags)


class File(apsw.VFSFile):
    """A file on a `Disk`."""

    def __init__(self, disk: Disk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._disk = disk
        self._is_log = bool(flags[0] & apsw.SQLITE_OPEN_WAL)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        self._disk.meet("read")
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._disk.meet("write")
        super().xWrite(data, offset)
        if self._is_log:
            self._disk.is_synced = False

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._disk.meet("sync")
        super().xSync(flags)
        if self._is_log:
            self._disk.syncs += 1
            self._disk.synced_bytes = self.xFileSize()
            self._disk.is_synced = True
