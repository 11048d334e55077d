"""Make a backup of the embedded store with its files; a node may serve meanwhile."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import hubbub
from hubbub.backup.copying import write_file
from hubbub.backup.files import FileCounts, copy_files, list_held_paths
from hubbub.backup.folder import new_folder
from hubbub.backup.manifest import (
    CHECKSUMS,
    DATABASE,
    FORMAT,
    KEY,
    MANIFEST,
    Checksum,
    Manifest,
    digest_of,
)
from hubbub.backup.master_key import check_master_key, read_master_key
from hubbub.backup.snapshot import BackupOrder, StoreContents, read_contents
from hubbub.files.hold import keeping_files
from hubbub.storage.sqlite.copy import Copy


def back_up(order: BackupOrder, target: Path) -> Manifest:
    """Back up a store into a new folder; return the description of the backup.

    Raises:
        BackupRefused: the store can't be backed up, or not there.
        BadMasterKey: the master key has no valid form.
        NoStore: there is no store.
        SchemaTooNew: a newer Hubbub has migrated the store.
        StoreUnusable: the store is not readable.
    """
    order.check_store()
    with new_folder(target) as folder:
        taken_at = datetime.fromtimestamp(order.clock.now(), UTC)
        with keeping_files(order.settings.data):
            order.copy_database(folder / DATABASE)
            with closing(Copy(folder / DATABASE)) as copy:
                manifest = _write_contents(order, copy, folder)
        order.check_database(folder / DATABASE)
        manifest.taken_at = taken_at.isoformat()
        write_file(folder, MANIFEST, [manifest.encode()])
    return manifest


def _write_contents(order: BackupOrder, copy: Copy, folder: Path) -> Manifest:
    """Write all but the database; return the description of the whole."""
    found = read_contents(order, copy)
    counts = FileCounts(order.files, order.skip_missing) if order.files else None
    checksums = chain(
        [Checksum(digest_of(folder / DATABASE), DATABASE)],
        _copy_key(order, copy, folder),
        _copy_files(order, counts, copy, folder, found),
    )
    # The files are copied while their checksums are written, one after the other.
    lines = (str(checksum).encode() for checksum in checksums)
    digest = write_file(folder, CHECKSUMS, lines).digest
    found.counts.files = counts.copied if counts else 0
    return Manifest(
        format=FORMAT,
        hubbub=hubbub.__version__,
        schema_version=found.schema_version,
        counts=found.counts,
        has_files=order.files is not None,
        has_master_key=order.with_key,
        checksums=digest,
        missing_files=counts.missing if counts else [],
    )


def _copy_key(order: BackupOrder, copy: Copy, folder: Path) -> Iterator[Checksum]:
    if order.with_key:
        key = read_master_key(order.settings)
        check_master_key(copy, key)
        yield write_file(folder, KEY, [f"{key}\n".encode()])


def _copy_files(
    order: BackupOrder, counts: FileCounts | None, copy: Copy, folder: Path, found: StoreContents
) -> Iterator[Checksum]:
    if counts is not None:
        held = chain.from_iterable(list_held_paths(copy, app) for app in found.apps)
        yield from copy_files(counts, folder, held, found.counts.files, order.progress)
