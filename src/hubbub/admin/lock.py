"""The lock on a data folder: one process, a node or a command, may use the database in it."""

import fcntl
import os
from pathlib import Path
from types import TracebackType


class FolderLocked(Exception):
    """Another Hubbub process has locked the data folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"Another Hubbub runs on the data folder {folder}.")


class FolderLock:
    """Locks the folder until the block or the process ends, even if it is killed.

    Raises:
        FolderLocked: another process has locked it.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = (folder / "lock").open("a")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise FolderLocked(folder) from None
        self._file.truncate(0)
        self._file.write(f"{os.getpid()}\n")
        self._file.flush()

    def __enter__(self) -> "FolderLock":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()
