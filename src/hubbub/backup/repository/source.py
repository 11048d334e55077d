"""A backup in a place with others, to be restored."""

import os
from array import array
from contextlib import closing
from itertools import groupby
from pathlib import Path

from hubbub.backup.copying import Progress, sync, write_file
from hubbub.backup.manifest import DATABASE, KEY, BackupRefused
from hubbub.backup.manifest import FILES as RESTORED_FILES
from hubbub.backup.repository import maps
from hubbub.backup.repository.layout import BACKUPS, Backup, Opened, damaged, missing
from hubbub.backup.repository.packs import PackReader
from hubbub.backup.repository.uploads import read_list_of, read_upload
from hubbub.files.places import NotInPlace
from hubbub.storage.sqlite.copy import Copy

_ENTRIES = "entries"
_PAGE_BITS = 32
"""A page's number, in one that sorts by packs first."""


class RepositorySource:
    """One of the backups in a place."""

    def __init__(self, opened: Opened, backup: Backup) -> None:
        self._opened = opened
        self.description = backup

    def find_key(self) -> str | None:
        """Return the master key; None if it is not in the backup."""
        path = f"{BACKUPS}/{self.description.id}/{KEY}"
        if not self.description.has_master_key:
            return None
        try:
            return b"".join(self._opened.place.read(path)).decode("ascii", "replace")
        except NotInPlace:
            raise missing(self._opened.place, path) from None

    def put_into(self, folder: Path, progress: Progress) -> None:
        """Write the database and the files into a folder, each page and file checked.

        Raises:
            BackupRefused: the backup is damaged, or not whole.
        """
        self._put_database(folder, progress)
        paths = read_list_of(self._opened, self.description)
        for done, path in enumerate(paths, 1):
            write_file(folder, f"{RESTORED_FILES}/{path}", read_upload(self._opened, path))
            progress("files", done, max(done, self.description.counts.files))
        progress("check", 0, 0)
        with closing(Copy(folder / DATABASE)) as copy:
            faults = copy.find_faults()
        if faults:
            raise BackupRefused(f"The database of the backup is damaged: {'; '.join(faults)}.")

    def _put_database(self, folder: Path, progress: Progress) -> None:
        """Read each pack once, and write its pages to their places."""
        backup, entries = self.description, folder / _ENTRIES
        maps.put_together(self._opened, backup, entries)
        order = array(
            "Q",
            (
                each.pack << _PAGE_BITS | page
                for page, each in enumerate(maps.read_entries(entries))
            ),
        )
        done = 0
        opened = os.open(folder / DATABASE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(opened, "wb") as database, entries.open("rb") as map_:
            database.truncate(backup.pages * backup.page_bytes)
            for pack, found in groupby(sorted(order), key=lambda each: each >> _PAGE_BITS):
                reader = self._read_pack(pack)
                for page in (each & (1 << _PAGE_BITS) - 1 for each in found):
                    where = maps.entry_at(map_, page)
                    content = reader.page(where.frame, where.place, where.digest)
                    database.seek(page * backup.page_bytes)
                    database.write(content)
                    done += 1
                progress("pages", done, backup.pages)
        sync(folder / DATABASE)
        entries.unlink()

    def _read_pack(self, number: int) -> PackReader:
        backup = self.description
        if number >= len(backup.packs):
            raise damaged(self._opened.place, f"the map of {backup.id}")
        return PackReader(self._opened, backup.packs[number].name, backup.page_bytes)
