"""The folder of a backup: written under another name, until it is complete."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hubbub.backup.copying import sync, sync_folders
from hubbub.backup.manifest import BackupRefused

UNFINISHED = ".unfinished"


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Make a folder for the block to write into; it is named `target` after the block, on disk.

    If the block fails, nothing is left; if the process is killed, a folder with another name.

    Raises:
        BackupRefused: `target` exists, or another process makes it.
    """
    target = target.absolute()
    if target.exists() or target.is_symlink():
        raise BackupRefused(f"{target} exists. Name a new folder for the backup.")
    folder = target.with_name(target.name + UNFINISHED)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(folder):
        empty_folder(folder)  # of a backup that was killed
        try:
            yield folder
            sync_folders(folder)
            folder.rename(target)
            sync(target.parent)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise


def empty_folder(folder: Path) -> None:
    """Delete everything in a folder."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise BackupRefused(f"Another backup is being written to {folder}.") from None
    finally:
        os.close(descriptor)
