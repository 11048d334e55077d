"""Restore a backup into an empty data folder."""

import shutil
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hubbub.admin.lock import FolderLock
from hubbub.backup.copying import Progress, copy_file, sync, sync_folders, write_file
from hubbub.backup.folder import prepare_folder
from hubbub.backup.manifest import (
    DATABASE,
    FILES,
    KEY,
    BackupRefused,
    Description,
    read_checksums,
    read_manifest,
)
from hubbub.backup.master_key import check_master_key, read_master_key
from hubbub.config import RESTORING, Settings
from hubbub.files.unfinished import empty_folder
from hubbub.storage.migrations import newest_version
from hubbub.storage.sqlite.copy import Copy, begin_epochs

ALLOWED = {"lock", KEY, RESTORING, "lost+found"}
"""What may be in the data folder already."""


class BackupSource(Protocol):
    """A complete backup."""

    @property
    def description(self) -> Description:
        """Return what it says of itself."""
        ...

    def find_key(self) -> str | None:
        """Return the master key; None if it is not in it."""
        ...

    def put_into(self, folder: Path, progress: Progress) -> None:
        """Write its database and files into a folder, all of them checked.

        Raises:
            BackupRefused: it is damaged, or not whole.
        """


@dataclass(frozen=True, slots=True)
class RestoreOrder:
    """What to restore, and how."""

    source: BackupSource
    settings: Settings
    progress: Progress
    key_file: Path | None = None


class FolderSource:
    """A backup in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        """Read its description.

        Raises:
            BackupRefused: the folder is no complete backup, or this version can't read it.
        """
        self._folder = folder
        self.description = read_manifest(folder)

    def find_key(self) -> str | None:
        path = self._folder / KEY
        return path.read_text("ascii", "replace") if path.exists() else None

    def put_into(self, folder: Path, progress: Progress) -> None:
        expected = list(read_checksums(self._folder))
        if [each.path for each in expected][:1] != [DATABASE]:
            raise BackupRefused(f"The backup in {self._folder} has no database.")
        for done, each in enumerate(expected, 1):
            source = self._folder / each.path
            if not source.is_file() or source.resolve() != self._folder.resolve() / each.path:
                raise BackupRefused(f"The backup is not whole: {source} is missing, or a link.")
            if copy_file(source, folder, each.path) != each:
                raise BackupRefused(f"The backup is damaged: {source} has another checksum.")
            progress("restore", done, len(expected))


def check_engine(settings: Settings) -> None:
    """Check that the settings are of the embedded store.

    Raises:
        BackupRefused: they are of PostgreSQL.
    """
    if settings.database_url:
        raise BackupRefused(
            "hubbub restore is for the embedded store. Restore PostgreSQL with pg_restore:"
            " see docs/operating.md."
        )


def restore(order: RestoreOrder) -> Description:
    """Restore a backup into the data folder of the settings; return the backup's description.

    The database gets its place last, so nothing serves a part of a backup.

    Raises:
        BackupRefused: the backup is not complete, or damaged, or the folder holds something.
        BadMasterKey: the master key has no valid form.
        FolderLocked: a node runs on the folder.
    """
    settings = order.settings
    check_engine(settings)
    manifest = order.source.description
    if manifest.schema_version > newest_version():
        raise BackupRefused(
            f"A newer Hubbub made the backup ({manifest.hubbub}, schema"
            f" {manifest.schema_version}); this one knows schemas up to {newest_version()}."
            " Restore it with that version."
        )
    key = read_master_key(settings, order.key_file, order.source.find_key())
    _check_empty(settings.data)  # before it is made, or locked
    with FolderLock(settings.data):
        _check_empty(settings.data)
        with _staging(settings.data / RESTORING) as folder:
            order.source.put_into(folder, order.progress)
            _settle_key(settings, key, folder)
            begin_epochs(folder / DATABASE, int(time.time()))
            _move_into_place(folder, settings.data)
    return manifest


@contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    """Make a folder for the block; a node does not start beside it without a database."""
    prepare_folder(folder)
    empty_folder(folder)  # of a restore that was killed
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check_empty(data: Path) -> None:
    if not data.is_dir():
        return
    found = sorted({path.name for path in data.iterdir()} - ALLOWED)
    if found:
        raise BackupRefused(
            f"{data} is not empty: it has {', '.join(found[:3])}. Name a new or empty folder with"
            " --data; nothing is ever restored over a store."
        )


def _settle_key(settings: Settings, key: str, folder: Path) -> None:
    """Check the master key, and store it unless the settings or the data folder have it."""
    with closing(Copy(folder / DATABASE)) as copy:
        check_master_key(copy, key)
    (folder / KEY).unlink(missing_ok=True)
    if not settings.secret_key and not (settings.data / KEY).exists():
        write_file(folder, KEY, [f"{key}\n".encode()])


def _move_into_place(folder: Path, data: Path) -> None:
    sync_folders(folder)
    for name in (FILES, KEY, DATABASE):
        if (folder / name).exists():
            (folder / name).rename(data / name)
            sync(data)
