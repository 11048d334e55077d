"""The uploaded files of a backup: all those that a message in its database holds."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from hubbub.backup.copying import Progress, copy_file
from hubbub.backup.manifest import FILES, BackupRefused, Checksum
from hubbub.files.links import THUMBNAIL
from hubbub.records.attachments.model import FileSizes
from hubbub.records.attachments.store import list_files
from hubbub.records.totals.model import StoredApp
from hubbub.storage.interface import Snapshot
from hubbub.storage.sqlite.copy import Copy

FILES_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class HeldPath:
    """A path in the file store that belongs to a file of some message."""

    path: str
    size: int
    app: StoredApp
    is_thumbnail: bool

    def is_whole_in(self, folder: Path) -> bool:
        """Return whether it is there, with all its bytes."""
        path = folder / self.path
        return path.is_file() and not path.is_symlink() and path.stat().st_size == self.size


def list_held_paths(copy: Copy, app: StoredApp) -> Iterator[HeldPath]:
    """Yield everything in the file store that a message of an app holds."""
    after = ""
    while found := copy.read(app.id, partial(_next_files, after=after)):
        for file in found:
            for path, size in file.paths_in(app.id).items():
                yield HeldPath(path, size, app, path.endswith(THUMBNAIL))
        after = found[-1].id


async def _next_files(snapshot: Snapshot, after: str) -> list[FileSizes]:
    return await list_files(snapshot, after, limit=FILES_AT_ONCE)


@dataclass(slots=True)
class FileCounts:
    """Counts the files of a backup, and those that are missing."""

    source: Path
    skip_missing: bool
    copied: int = 0
    """How many files are in it, without their thumbnails."""
    missing: list[str] = field(default_factory=list)
    """The paths that were left out."""

    def take(self, held: HeldPath) -> None:
        """Count a file that is in the backup."""
        self.copied += not held.is_thumbnail

    def leave_out(self, held: HeldPath) -> None:
        """Count a file that is missing.

        Raises:
            BackupRefused: files must not be missing.
        """
        if held.app.is_archived:  # the files of such an app are erased first
            return
        if not self.skip_missing:
            raise BackupRefused(
                f"A message holds the file {self.source / held.path}, which is missing or not"
                " whole. Is --files right? --skip-missing backs up all the others."
            )
        self.missing.append(held.path)


def copy_files(
    counts: FileCounts, target: Path, held: Iterator[HeldPath], total: int, progress: Progress
) -> Iterator[Checksum]:
    """Copy files into the folder of a backup; yield their checksums. `total` is about how many.

    Raises:
        BackupRefused: one is missing, or not whole.
    """
    for done, each in enumerate(held, 1):
        if each.is_whole_in(counts.source):
            yield copy_file(counts.source / each.path, target, f"{FILES}/{each.path}")
            counts.take(each)
        else:
            counts.leave_out(each)
        progress("files", done, max(done, total))
