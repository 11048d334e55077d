"""The folder of a backup: written under another name, until it is complete."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hubbub.backup.copying import sync, sync_folders
from hubbub.backup.manifest import CHECKSUMS, DATABASE, FILES, KEY, MANIFEST, BackupRefused

UNFINISHED = ".unfinished"
PARTS = {DATABASE, f"{DATABASE}-journal", f"{DATABASE}-wal", f"{DATABASE}-shm", KEY, FILES} | {
    MANIFEST,
    CHECKSUMS,
}
"""What a folder may hold that an interrupted backup or restore has left."""


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
    prepare_folder(folder)
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


def prepare_folder(folder: Path) -> None:
    """Make a folder for its owner only, unless an earlier command has left it.

    Raises:
        BackupRefused: it is a link, another account's, or holds something else.
    """
    if not folder.is_symlink():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    is_own = not folder.is_symlink() and folder.stat().st_uid == os.getuid()
    if not is_own or {path.name for path in folder.iterdir()} - PARTS:
        raise BackupRefused(f"{folder} is not what an interrupted command left: move it away.")
    folder.chmod(0o700)


def empty_folder(folder: Path) -> None:
    """Delete everything in a folder."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise BackupRefused(f"Another backup is being written to {folder}.") from None
    finally:
        os.close(descriptor)
