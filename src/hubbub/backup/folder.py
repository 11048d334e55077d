"""The folder of a backup: written under another name, until it is complete."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hubbub.backup.copying import sync, sync_folders
from hubbub.backup.manifest import CHECKSUMS, DATABASE, FILES, KEY, MANIFEST, BackupRefused
from hubbub.files import unfinished
from hubbub.files.unfinished import TargetTaken, unfinished_folder

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
    try:
        with unfinished_folder(target, PARTS, what="backup") as folder:
            yield folder
            sync_folders(folder)
            folder.rename(target)
            sync(target.parent)
    except TargetTaken as taken:
        raise BackupRefused(str(taken)) from None


def prepare_folder(folder: Path) -> None:
    """Make a folder for its owner only, unless an earlier command has left it.

    Raises:
        BackupRefused: it is a link, another account's, or holds something else.
    """
    try:
        unfinished.prepare_folder(folder, PARTS)
    except TargetTaken as taken:
        raise BackupRefused(str(taken)) from None
