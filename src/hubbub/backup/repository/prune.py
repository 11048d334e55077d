"""Remove old backups from a place, and what no other one needs."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import merge
from itertools import groupby

from hubbub.backup.copying import Progress
from hubbub.backup.repository.layout import (
    MAPS,
    PACKS,
    Backup,
    Opened,
    open_repository,
    paths_beside,
)
from hubbub.backup.repository.uploads import delete_unnamed, read_list_of
from hubbub.files.places import BackupPlace


@dataclass(slots=True)
class Pruned:
    """What was kept and removed."""

    kept: list[str]
    removed: list[str]
    files: int = 0
    """How many files of the place were deleted, and how many bytes they had."""
    freed_bytes: int = 0


def prune(place: BackupPlace, keep: int, progress: Progress) -> Pruned:
    """Keep the newest backups; remove the others, and what only they, or killed ones, have needed.

    Raises:
        BackupRefused: there are no backups, or a description or list of one of those is damaged.
        PlaceInUse: a backup is running.
        Unavailable: the place can't be reached.
    """
    opened = open_repository(place)  # before a lock is made
    with place.lock(alone=True) as confirm:
        backups = opened.list_backups()
        _Pruning(opened, progress).check(backups[-keep:])
        kept = [each.id for each in backups[-keep:]]
        removed = [each.id for each in backups[:-keep]]
        pruned = Pruned(kept, removed)
        pruning = _Pruning(opened, progress, pruned)
        confirm()
        # The manifest of a backup goes first: without it, the rest is no backup.
        for id_ in (each for each in opened.list_ids() if each not in kept):
            pruning.delete_backup(id_)
        pruning.delete_others(backups[-keep:])
    return pruned


@dataclass(slots=True)
class _Pruning:
    _opened: Opened
    _progress: Progress
    _pruned: Pruned = field(default_factory=lambda: Pruned([], []))

    def check(self, kept: list[Backup]) -> None:
        """Read the lists of the backups to be kept, before anything is deleted."""
        for _ in self._files_of(kept):
            pass

    def delete_backup(self, id_: str) -> None:
        """Delete what a backup has for itself, but the part of the map, which others may need."""
        for path in paths_beside(id_):
            self._opened.place.delete(path)

    def delete_others(self, kept: list[Backup]) -> None:
        """Delete the packs, maps and files that no backup names."""
        packs = {pack.name for backup in kept for pack in backup.packs if pack.used}
        parts = {part.name for backup in kept for part in backup.map}
        for folder, named in ((PACKS, packs), (MAPS, parts)):
            for each in list(self._opened.place.entries(folder)):
                if each.name not in named and not each.is_folder:
                    self._delete(f"{folder}/{each.name}", each.size)
        delete_unnamed(self._opened, self._files_of(kept), self._delete)

    def _delete(self, path: str, size: int) -> None:
        self._opened.place.delete(path)
        self._pruned.files += 1
        self._pruned.freed_bytes += size
        self._progress("prune", self._pruned.files, 0)

    def _files_of(self, kept: list[Backup]) -> Iterator[str]:
        """Yield the paths of all files of some backups, in the order of their parts."""
        lists = [read_list_of(self._opened, each) for each in kept]
        return (path for path, _ in groupby(merge(*lists, key=lambda path: path.split("/"))))
