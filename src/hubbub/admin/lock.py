"""The lock on a data folder: one process, a node or a command, may use the database in it."""

import fcntl
import os
from pathlib import Path
from types import TracebackType

from hubbub.config import make_folder


class FolderLocked(Exception):
    """Another Hubbub process has locked the data folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"Another Hubbub runs on the data folder {folder}.")


class FolderLock:
    """Locks the folder until the block or the process ends, even if it is killed.

    Raises:
        BadSetting: the folder can't be made.
        FolderLocked: another process has locked it.
    """

    def __init__(self, folder: Path) -> None:
        make_folder(folder)
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
