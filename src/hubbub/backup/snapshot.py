"""A copy of the store as it is at the start of a backup: made, checked and described."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hubbub.backup.copying import Progress, sync
from hubbub.backup.manifest import KEY, BackupRefused, Counts
from hubbub.config import Settings
from hubbub.files.store import folder_of_files
from hubbub.kernel.clock import Clock
from hubbub.records.totals.model import StoredApp
from hubbub.records.totals.store import count_rows, list_apps
from hubbub.storage.errors import NoStore
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

    def check_store(self) -> None:
        """Check that the store can be backed up.

        Raises:
            BackupRefused: it is in PostgreSQL.
            NoStore: there is no store.
        """
        if self.settings.database_url:
            raise BackupRefused(_USE_PG_DUMP.format(key=self.settings.data / KEY))
        if not self.settings.sqlite_path.exists():
            raise NoStore(self.settings.data)

    def copy_database(self, path: Path) -> None:
        """Copy the database to a path, on disk.

        Raises:
            StoreUnusable: the store is not readable.
        """
        copy_database(self.settings.sqlite_path, path, partial(self.progress, "database"))
        sync(path)

    def check_database(self, path: Path) -> None:
        """Check the tables and indexes of the copy.

        Raises:
            BackupRefused: it is damaged.
        """
        self.progress("check", 0, 0)
        with closing(Copy(path)) as copy:
            faults = copy.find_faults()
        if faults:
            raise BackupRefused(
                f"The store is damaged, so this backup was not kept: {'; '.join(faults)}."
                " Keep the earlier backups, and see hubbub doctor."
            )


@dataclass(frozen=True, slots=True)
class StoreContents:
    """What a copy of the store holds."""

    schema_version: int
    apps: Sequence[StoredApp]
    counts: Counts


def read_contents(order: BackupOrder, copy: Copy) -> StoreContents:
    """Return what a copy of the store holds.

    Raises:
        NoStore: it has no tables.
        SchemaTooNew: a newer Hubbub has migrated the store.
    """
    schema = copy.schema_version()
    if not schema:
        raise NoStore(order.settings.data)
    plan_migrations(schema)  # refuses one that this version doesn't know
    apps = copy.read(INSTALLATION, list_apps)
    return StoreContents(schema, apps, _count(copy, apps))


def _count(copy: Copy, apps: Sequence[StoredApp]) -> Counts:
    found = [copy.read(app.id, count_rows) for app in apps if not app.is_archived]
    return Counts(
        apps=len(found),
        users=sum(each.users for each in found),
        groups=sum(each.groups for each in found),
        messages=sum(each.messages for each in found),
        files=sum(each.files for each in found),
    )
