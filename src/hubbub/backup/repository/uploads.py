"""The uploaded files of backups: each once in the place, with its digest behind its content."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from hubbub.backup.copying import AT_ONCE, Progress
from hubbub.backup.files import FileCounts, HeldPath
from hubbub.backup.manifest import BackupRefused
from hubbub.backup.repository.layout import (
    BACKUPS,
    DIGEST_BYTES,
    FILES,
    Backup,
    Opened,
    damaged,
    missing,
)
from hubbub.backup.repository.maps import decompressed
from hubbub.files.places import NotInPlace

_PATH = re.compile(r"[\w-]+/[\w-]+/[\w-]+", re.ASCII)


@dataclass(slots=True)
class Uploads:
    """Adds the files of a store to those in the place."""

    opened: Opened
    counts: FileCounts
    progress: Progress
    written: int = 0
    """How many bytes were written."""
    _folder: str = ""
    _there: dict[str, int] = field(default_factory=dict)

    def add(self, held: Iterable[HeldPath], total: int) -> Iterator[str]:
        """Copy those files that are not there; yield the paths of all. `total` is about how many.

        Raises:
            BackupRefused: one is missing, or not whole.
        """
        for done, each in enumerate(held, 1):
            if self._is_there(each) or self._copy(each):
                self.counts.take(each)
                yield each.path
            else:
                self.counts.leave_out(each)
            self.progress("files", done, max(done, total))

    def _is_there(self, held: HeldPath) -> bool:
        """Look among the names of one folder, which are few: the paths come in their order."""
        folder, _, name = held.path.rpartition("/")
        if folder != self._folder:
            found = self.opened.place.entries(f"{FILES}/{folder}")
            self._folder, self._there = folder, {each.name: each.size for each in found}
        return self._there.get(name) == held.size + DIGEST_BYTES

    def _copy(self, held: HeldPath) -> bool:
        if not held.is_whole_in(self.counts.source):
            return False
        pieces = self._with_digest(self.counts.source / held.path)
        self.opened.place.write(f"{FILES}/{held.path}", pieces)
        return True

    def _with_digest(self, path: Path) -> Iterator[bytes]:
        digest = self.opened.new_digest()
        with path.open("rb") as file:
            while piece := file.read(AT_ONCE):
                digest.update(piece)
                self.written += len(piece)
                yield piece
        self.written += DIGEST_BYTES
        yield digest.digest()


def read_upload(opened: Opened, path: str) -> Iterator[bytes]:
    """Yield the content of an uploaded file.

    Raises:
        BackupRefused: it is missing, or damaged, which is noticed at its end.
    """
    stored = f"{FILES}/{path}"
    digest, left = opened.new_digest(), b""
    try:
        for piece in opened.place.read(stored):
            left += piece
            content, left = left[:-DIGEST_BYTES], left[-DIGEST_BYTES:]
            digest.update(content)
            yield content
    except NotInPlace:
        raise missing(opened.place, stored) from None
    if digest.digest() != left:
        raise damaged(opened.place, stored)


def read_list_of(opened: Opened, backup: Backup) -> Iterator[str]:
    """Yield the paths of a backup's files, in the order of their parts.

    Raises:
        BackupRefused: the list is missing or damaged, or has a path that is not valid.
    """
    left = b""
    for piece in decompressed(opened, f"{BACKUPS}/{backup.id}/{FILES}", backup.files):
        *lines, left = (left + piece).split(b"\n")
        for line in lines:
            path = line.decode("ascii", "replace")
            if not _PATH.fullmatch(path):
                raise BackupRefused(
                    f"A list of files in {opened.place.name} has a path that is not valid:"
                    f" {path!r}."
                )
            yield path


def delete_unnamed(
    opened: Opened, named: Iterable[str], delete: Callable[[str, int], None]
) -> None:
    """Delete the files that are not among some paths, which come in order of their parts."""
    groups = groupby(named, key=lambda path: path.rpartition("/")[0])
    wanted, names = next(groups, (None, iter(())))
    for folder in _folders(opened):
        while wanted is not None and wanted.split("/") < folder.split("/"):
            wanted, names = next(groups, (None, iter(())))
        kept = {path.rpartition("/")[2] for path in names} if wanted == folder else set()
        for each in opened.place.entries(f"{FILES}/{folder}"):
            if not each.is_folder and each.name not in kept:
                delete(f"{FILES}/{folder}/{each.name}", each.size)


def _folders(opened: Opened) -> Iterator[str]:
    for app in sorted(e.name for e in opened.place.entries(FILES) if e.is_folder):
        found = opened.place.entries(f"{FILES}/{app}")
        yield from (f"{app}/{name}" for name in sorted(e.name for e in found if e.is_folder))
