"""The lock on a data folder: an embedded node, or a command, holds it while it has the store."""

import fcntl
import os
from pathlib import Path
from types import TracebackType


class FolderLocked(Exception):
    """Another process of ours has the data folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"Another Hubbub runs on the data folder {folder}.")


class FolderLock:
    """Holds the folder until it is closed or the process ends, however it ends.

    Raises:
        FolderLocked: another process holds it.
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
