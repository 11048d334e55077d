"""Add a backup of the embedded store to a place; a node may serve meanwhile."""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import hubbub
from hubbub.backup.copying import AT_ONCE
from hubbub.backup.files import FileCounts, list_held_paths
from hubbub.backup.manifest import DATABASE, KEY, MANIFEST, BackupRefused
from hubbub.backup.master_key import check_master_key, read_master_key
from hubbub.backup.repository import layout, maps, pages, uploads
from hubbub.backup.repository.layout import BACKUPS, FORMAT, Backup, Opened, PartOfMap
from hubbub.backup.snapshot import BackupOrder, StoreContents, read_contents
from hubbub.files.hold import keeping_files
from hubbub.files.places import BackupPlace
from hubbub.files.unfinished import TargetTaken, unfinished_folder
from hubbub.storage.sqlite.copy import Copy

SCRATCH = "backing-up"
"""A folder in the data folder, while a backup is made."""
LIST = "files"
PARTS = {
    *(f"{DATABASE}{end}" for end in ("", "-journal", "-wal", "-shm")),
    LIST,
    pages.BASE,
    pages.ENTRIES,
    pages.RECORDS,
}


@dataclass(frozen=True, slots=True)
class AddedBackup:
    """A backup, and how many bytes were written for it."""

    backup: Backup
    written: int


def add_backup(order: BackupOrder, place: BackupPlace) -> AddedBackup:
    """Add a backup to a place.

    Raises:
        BackupRefused: the store can't be backed up, or not there.
        BadMasterKey: the master key has no valid form.
        NoStore: there is no store.
        PlaceInUse: backups are being pruned there.
        SchemaTooNew: a newer Hubbub has migrated the store.
        StoreUnusable: the store is not readable.
        Unavailable: the place can't be reached.
    """
    order.check_store()
    with place.lock(alone=False) as confirm, _scratch(order.settings.data) as scratch:
        opened = layout.make_repository(place)
        adding = _Adding(order, opened, scratch)
        backup = adding.run()
        confirm()
        adding.write(f"{BACKUPS}/{backup.id}/{MANIFEST}", [backup.encode()])
    return AddedBackup(backup, adding.written)


@contextmanager
def _scratch(data: Path) -> Iterator[Path]:
    """Make a folder for the block; what a killed one has left is emptied."""
    try:
        with unfinished_folder(data / SCRATCH, PARTS, what="backup") as folder:
            yield folder
            shutil.rmtree(folder)
    except TargetTaken as taken:
        raise BackupRefused(str(taken)) from None


class _Adding:
    def __init__(self, order: BackupOrder, opened: Opened, scratch: Path) -> None:
        self.written = 0
        self._order, self._opened, self._scratch = order, opened, scratch
        self._taken_at = datetime.fromtimestamp(order.clock.milliseconds() / 1000, UTC)
        self._id = layout.new_id(self._taken_at)

    def run(self) -> Backup:
        """Write everything but the manifest."""
        order, database = self._order, self._scratch / DATABASE
        with keeping_files(order.settings.data):
            order.copy_database(database)
            with closing(Copy(database)) as copy:
                found = read_contents(order, copy)
                self._write_key(copy)
                counts = self._add_files(copy, found)
        order.check_database(database)
        added = pages.add_pages(self._opened, self._id, database, self._scratch, order.progress)
        self.written += added.written
        return Backup(
            format=FORMAT,
            hubbub=hubbub.__version__,
            schema_version=found.schema_version,
            counts=found.counts,
            has_files=order.files is not None,
            has_master_key=order.with_key,
            taken_at=self._taken_at.isoformat(timespec="milliseconds"),
            missing_files=counts.missing if counts else [],
            id=self._id,
            page_bytes=added.page_bytes,
            pages=added.pages,
            map=[*added.map_before, self._write_map(added.records)],
            packs=added.packs,
            files=self._write_from(f"{BACKUPS}/{self._id}/{layout.FILES}", self._scratch / LIST),
        )

    def write(self, path: str, pieces: Iterable[bytes]) -> str:
        """Write a file; return its digest."""
        digest = self._opened.new_digest()

        def counted() -> Iterator[bytes]:
            for piece in pieces:
                digest.update(piece)
                self.written += len(piece)
                yield piece

        self._opened.place.write(path, counted())
        return digest.hexdigest()

    def _write_from(self, path: str, source: Path) -> str:
        return self.write(path, maps.compressed(_pieces_of(source)))

    def _write_map(self, records: int) -> PartOfMap:
        digest = self._write_from(f"{layout.MAPS}/{self._id}", self._scratch / pages.RECORDS)
        return PartOfMap(self._id, records, digest)

    def _write_key(self, copy: Copy) -> None:
        if self._order.with_key:
            key = read_master_key(self._order.settings)
            check_master_key(copy, key)
            self.write(f"{BACKUPS}/{self._id}/{KEY}", [f"{key}\n".encode()])

    def _add_files(self, copy: Copy, found: StoreContents) -> FileCounts | None:
        """Add the files; write their list into the scratch folder."""
        order = self._order
        with (self._scratch / LIST).open("wb") as listed:
            if order.files is None:
                found.counts.files = 0
                return None
            counts = FileCounts(order.files, order.skip_missing)
            adding = uploads.Uploads(self._opened, counts, order.progress)
            held = chain.from_iterable(list_held_paths(copy, app) for app in found.apps)
            for path in adding.add(held, found.counts.files):
                listed.write(f"{path}\n".encode())
        found.counts.files = counts.copied
        self.written += adding.written
        return counts


def _pieces_of(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(AT_ONCE):
            yield piece
