"""Make a backup of the embedded store with its files; a node may serve meanwhile."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from pathlib import Path

import hubbub
from hubbub.backup.copying import Progress, sync, write_file
from hubbub.backup.files import FileCopies, list_held_paths
from hubbub.backup.folder import new_folder
from hubbub.backup.manifest import (
    CHECKSUMS,
    DATABASE,
    FORMAT,
    KEY,
    MANIFEST,
    BackupRefused,
    Checksum,
    Counts,
    Manifest,
    digest_of,
)
from hubbub.backup.master_key import check_master_key, read_master_key
from hubbub.bootstrap import NoStore
from hubbub.config import Settings
from hubbub.files.hold import keeping_files
from hubbub.files.store import folder_of_files
from hubbub.kernel.clock import Clock
from hubbub.records.totals.model import StoredApp
from hubbub.records.totals.store import count_rows, list_apps
from hubbub.storage.interface import INSTALLATION
from hubbub.storage.migrations import plan_migrations
from hubbub.storage.sqlite.copy import Copy, copy_database

_USE_PG_DUMP = (
    "hubbub backup is for the embedded store. Back up PostgreSQL with pg_dump, and beside it the"
    " master key (HUBBUB_SECRET_KEY, or {key}) and the uploaded files: see docs/operating.md."
)


@dataclass(frozen=True, slots=True)
class BackupOrder:
    """What to back up, and how."""

    settings: Settings
    clock: Clock
    progress: Progress
    with_key: bool = False
    skip_missing: bool = False
    """Whether files that are missing are left out; otherwise there is no backup without them."""

    @property
    def files(self) -> Path | None:
        """Return the folder of the uploaded files; None if they are in a remote store."""
        return folder_of_files(self.settings.files, self.settings.data)


def back_up(order: BackupOrder, target: Path) -> Manifest:
    """Back up a store into a new folder; return the description of the backup.

    Raises:
        BackupRefused: the store can't be backed up, or not there.
        BadMasterKey: the master key has no valid form.
        NoStore: there is no store.
        SchemaTooNew: a newer Hubbub has migrated the store.
        StoreUnusable: the store is not readable.
    """
    settings = order.settings
    if settings.database_url:
        raise BackupRefused(_USE_PG_DUMP.format(key=settings.data / KEY))
    if not settings.sqlite_path.exists():
        raise NoStore(settings.data)
    with new_folder(target) as folder:
        taken_at = datetime.fromtimestamp(order.clock.now(), UTC)
        with keeping_files(settings.data):
            copy_database(
                settings.sqlite_path, folder / DATABASE, partial(order.progress, "database")
            )
            sync(folder / DATABASE)
            with closing(Copy(folder / DATABASE)) as copy:
                manifest = _write_contents(order, copy, folder)
        _check_database(order, folder / DATABASE)
        manifest.taken_at = taken_at.isoformat()
        write_file(folder, MANIFEST, [manifest.encode()])
    return manifest


def _write_contents(order: BackupOrder, copy: Copy, folder: Path) -> Manifest:
    """Write all but the database; return the description of the whole."""
    schema = copy.schema_version()
    if not schema:
        raise NoStore(order.settings.data)
    plan_migrations(schema)  # refuses one that this version doesn't know
    apps = copy.read(INSTALLATION, list_apps)
    counts = _count(copy, apps)
    copies = _copies_of_files(order, folder)
    checksums = chain(
        [Checksum(digest_of(folder / DATABASE), DATABASE)],
        _copy_key(order, copy, folder),
        _copy_files(copies, copy, apps, counts.files),
    )
    # The files are copied while their checksums are written, one after the other.
    lines = (str(checksum).encode() for checksum in checksums)
    digest = write_file(folder, CHECKSUMS, lines).digest
    counts.files = copies.copied if copies else 0
    return Manifest(
        format=FORMAT,
        hubbub=hubbub.__version__,
        schema_version=schema,
        counts=counts,
        has_files=order.files is not None,
        has_master_key=order.with_key,
        checksums=digest,
        missing_files=copies.missing if copies else [],
    )


def _count(copy: Copy, apps: Sequence[StoredApp]) -> Counts:
    found = [copy.read(app.id, count_rows) for app in apps if not app.is_archived]
    return Counts(
        apps=len(found),
        users=sum(each.users for each in found),
        groups=sum(each.groups for each in found),
        messages=sum(each.messages for each in found),
        files=sum(each.files for each in found),
    )


def _copy_key(order: BackupOrder, copy: Copy, folder: Path) -> Iterator[Checksum]:
    if order.with_key:
        key = read_master_key(order.settings)
        check_master_key(copy, key)
        yield write_file(folder, KEY, [f"{key}\n".encode()])


def _copies_of_files(order: BackupOrder, folder: Path) -> FileCopies | None:
    """Return what copies the files; None if they are in a remote store."""
    if order.files is None:
        return None
    return FileCopies(order.files, folder, order.skip_missing, order.progress)


def _copy_files(
    copies: FileCopies | None, copy: Copy, apps: Sequence[StoredApp], total: int
) -> Iterator[Checksum]:
    if copies is not None:
        held = chain.from_iterable(list_held_paths(copy, app) for app in apps)
        yield from copies.copy(held, total)


def _check_database(order: BackupOrder, path: Path) -> None:
    order.progress("check", 0, 0)
    with closing(Copy(path)) as copy:
        faults = copy.find_faults()
    if faults:
        raise BackupRefused(
            f"The store is damaged, so this backup was not kept: {'; '.join(faults)}."
            " Keep the earlier backups, and see hubbub doctor."
        )
