"""`hubbub backup`: back up the embedded store with its files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from hubbub.backup.make import BackupOrder, back_up
from hubbub.backup.manifest import KEY, MANIFEST, Manifest
from hubbub.cli.columns import printable
from hubbub.cli.options import AsJson, Data, DatabaseUrl, Files
from hubbub.cli.progress import progress_bar
from hubbub.config import Settings, load_settings
from hubbub.files.store import without_secrets
from hubbub.kernel.clock import SystemClock

SHOWN = 10
"""How many of the missing files are printed."""


def backup(
    folder: Annotated[Path, typer.Argument(help="A new folder, made by the backup.")],
    with_key: Annotated[
        bool, typer.Option("--with-key", help="Put the master key into the backup, too.")
    ] = False,
    skip_missing: Annotated[
        bool, typer.Option("--skip-missing", help="Leave out files that are missing.")
    ] = False,
    data: Data = None,
    database: DatabaseUrl = None,
    files: Files = None,
    as_json: AsJson = False,
) -> None:
    """Back up the store and its files into a new folder, also while a node serves.

    Everything that was answered before the command is in the backup. It has checksums, the database
    is checked after it was written, and the folder appears only once all of it is on disk.

    The master key is not in it, unless --with-key is given: keep a copy of secret.key elsewhere. A
    restore needs it. Files in S3, Google or Azure are not in it either.

    \b
    Examples:
      hubbub backup /backups/$(date +%F)
      hubbub restore /backups/2026-11-22 --data /srv/new --key /safe/secret.key
    """  # noqa: D301
    settings = load_settings(data=data, database_url=database, files=files)
    with progress_bar() as progress:
        order = BackupOrder(settings, SystemClock(), progress, with_key, skip_missing)
        manifest = back_up(order, folder)
    if as_json:
        print(msgspec.json.encode(manifest).decode())
        return
    print(f"Backed up to {folder}: {manifest.counts}.")
    for sentence in _what_else(settings, manifest):
        print(sentence)


def _what_else(settings: Settings, manifest: Manifest) -> Iterator[str]:
    """Yield what must be kept beside the backup, in sentences."""
    if manifest.has_master_key:
        yield "The master key is in it: whoever has the backup can open every secret of the store."
    elif settings.secret_key:
        yield "Not in it: the master key in HUBBUB_SECRET_KEY. Keep it apart: a restore needs it."
    else:
        path = settings.data.resolve() / KEY
        yield f"Not in it: the master key. Keep a copy of {path} apart: a restore needs it."
    yield from missing_files(manifest)
    if not manifest.has_files:
        yield f"Not in it: the uploaded files, which are in {without_secrets(settings.files)}."


def missing_files(manifest: Manifest) -> Iterator[str]:
    """Yield the paths that a backup lacks; only the first ones if they are many."""
    missing = manifest.missing_files
    if missing:
        yield f"Not in it: files that messages hold, but that are missing ({len(missing):,}):"
        yield from (f"  {printable(path)}" for path in missing[:SHOWN])
    if len(missing) > SHOWN:
        yield f"  and {len(missing) - SHOWN:,} more, which {MANIFEST} names"
