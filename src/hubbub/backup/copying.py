"""Copies of files that are on disk once they are made, with checksums."""

import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from hubbub.backup.manifest import Checksum

Progress = Callable[[str, int, int], None]
"""Is told the step under way, how much of it is done, and of how much; 0: it is not known."""

AT_ONCE = 1024 * 1024


def copy_file(source: Path, folder: Path, path: str) -> Checksum:
    """Copy a file to a path in a folder; return the checksum of what was copied.

    Raises:
        OSError: there is no such file, it is a link, or the disk is full.
    """
    # Not through links: in a backup that others made, one might lead anywhere.
    with os.fdopen(os.open(source, os.O_RDONLY | os.O_NOFOLLOW), "rb") as original:
        return write_file(folder, path, iter(lambda: original.read(AT_ONCE), b""))


def write_file(folder: Path, path: str, pieces: Iterable[bytes]) -> Checksum:
    """Write a new file that only its owner may read; return its checksum."""
    digest = hashlib.sha256()
    target = folder / path
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        for piece in pieces:
            digest.update(piece)
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return Checksum(digest.hexdigest(), path)


def sync_folders(folder: Path) -> None:
    """Have the names of all files in a folder and below it on disk."""
    for path, _, _ in os.walk(folder):
        sync(Path(path))


def sync(path: Path) -> None:
    """Have a file's content, or the names in a folder, on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
