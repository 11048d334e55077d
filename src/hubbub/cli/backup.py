"""`hubbub backup`: back up the embedded store with its files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from hubbub.backup.make import back_up
from hubbub.backup.manifest import KEY, MANIFEST, Description
from hubbub.backup.repository.add import add_backup
from hubbub.backup.repository.layout import Backup, open_repository
from hubbub.backup.repository.prune import prune
from hubbub.backup.snapshot import BackupOrder
from hubbub.cli.columns import print_columns, printable
from hubbub.cli.options import AsJson, Data, DatabaseUrl, Files
from hubbub.cli.progress import progress_bar
from hubbub.config import Settings, load_settings
from hubbub.files.places import open_place
from hubbub.files.store import without_secrets
from hubbub.kernel.clock import SystemClock

SHOWN = 10
"""How many of the missing files are printed."""
MIB = 1024 * 1024


def backup(
    folder: Annotated[
        Path | None,
        typer.Argument(help="A new folder for a whole backup, made by it.", show_default=False),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="PLACE",
            help="A folder, s3://, gcs:// or azblob:// with backups; one is added.",
            show_default=False,
        ),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the backups in the place.")] = False,
    prune_: Annotated[
        bool, typer.Option("--prune", help="Remove the oldest backups from the place.")
    ] = False,
    keep: Annotated[
        int | None,
        typer.Option("--keep", min=1, help="How many --prune keeps.", show_default=False),
    ] = None,
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
    """Back up the store and its files, also while a node serves.

    Everything that was answered before the command is in the backup. The database is checked after
    it was copied, everything has checksums, and a backup exists only once all of it is on disk.

    With a folder, it is a whole backup in that new folder. With --to, it is added to a place that
    keeps many: only what has changed since the last one is written, and each can be restored by
    itself. The place is a folder or a bucket, for one store. While the backup runs, the data folder
    needs room for a copy of the database.

    The master key is not in it, unless --with-key is given: keep a copy of secret.key elsewhere. A
    restore needs it. Files in S3, Google or Azure are not in it either.

    \b
    Examples:
      hubbub backup /backups/$(date +%F)
      hubbub restore /backups/2026-11-22 --data /srv/new --key /safe/secret.key
    \b
    Every night, of which a month is kept:
      hubbub backup --to /backups/hubbub
      hubbub backup --to /backups/hubbub --prune --keep 30
      hubbub backup --to /backups/hubbub --list
      hubbub restore /backups/hubbub --at 2026-11-22T04:00 --data /srv/new
    """  # noqa: D301
    _check_options(folder, to, list_=list_, prune_=prune_, keep=keep)
    if list_ or prune_:
        assert to is not None
        _list(to, as_json=as_json) if list_ else _prune(to, keep or 1, as_json=as_json)
        return
    settings = load_settings(data=data, database_url=database, files=files)
    with progress_bar() as progress:
        order = BackupOrder(settings, SystemClock(), progress, with_key, skip_missing)
        made, said = _make(order, folder, to)
    if as_json:
        print(msgspec.json.encode(made).decode())
        return
    print(said)
    for sentence in _what_else(settings, made):
        print(sentence)


def _check_options(
    folder: Path | None, to: str | None, *, list_: bool, prune_: bool, keep: int | None
) -> None:
    if (folder is None) == (to is None):
        raise typer.BadParameter("name a new folder, or with --to a place of backups")
    if to is None and (list_ or prune_):
        raise typer.BadParameter("it needs --to", param_hint="--list" if list_ else "--prune")
    if list_ and prune_:
        raise typer.BadParameter("it can't be given with --list", param_hint="--prune")
    if prune_ != (keep is not None):
        raise typer.BadParameter("--prune and --keep belong together", param_hint="--keep")


def _make(order: BackupOrder, folder: Path | None, to: str | None) -> tuple[Description, str]:
    """Make a backup; return its description, and a sentence about it."""
    if folder is not None:
        made = back_up(order, folder)
        return made, f"Backed up to {folder}: {made.counts}."
    assert to is not None
    added = add_backup(order, place := open_place(to))
    written = f"{added.written / MIB:,.1f} MiB were written"
    return added.backup, (
        f"Backed up to {printable(place.name)} as {added.backup.id}: {added.backup.counts}."
        f" {written}."
    )


def _list(to: str, *, as_json: bool) -> None:
    backups = open_repository(open_place(to)).list_backups()
    if as_json:
        print(msgspec.json.encode([_row(each) for each in backups]).decode())
        return
    print_columns(
        ("ID", "TAKEN AT", "USERS", "MESSAGES", "FILES", "DATABASE"),
        *(
            (
                each.id,
                each.taken_at,
                f"{each.counts.users:,}",
                f"{each.counts.messages:,}",
                f"{each.counts.files:,}",
                f"{each.pages * each.page_bytes / MIB:,.1f} MiB",
            )
            for each in backups
        ),
    )


def _row(backup: Backup) -> dict[str, object]:
    counts = backup.counts
    return {
        "id": backup.id,
        "takenAt": backup.taken_at,
        "hubbub": backup.hubbub,
        "users": counts.users,
        "messages": counts.messages,
        "files": counts.files,
        "databaseBytes": backup.pages * backup.page_bytes,
        "hasMasterKey": backup.has_master_key,
    }


def _prune(to: str, keep: int, *, as_json: bool) -> None:
    place = open_place(to)
    with progress_bar() as progress:
        pruned = prune(place, keep, progress)
    if as_json:
        print(msgspec.json.encode(pruned).decode())
        return
    print(
        f"Removed {len(pruned.removed):,} of {len(pruned.removed) + len(pruned.kept):,} backups"
        f" from {printable(place.name)}; {pruned.freed_bytes / MIB:,.1f} MiB were freed."
    )


def _what_else(settings: Settings, manifest: Description) -> Iterator[str]:
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


def missing_files(manifest: Description) -> Iterator[str]:
    """Yield the paths that a backup lacks; only the first ones if they are many."""
    missing = manifest.missing_files
    if missing:
        yield f"Not in it: files that messages hold, but that are missing ({len(missing):,}):"
        yield from (f"  {printable(path)}" for path in missing[:SHOWN])
    if len(missing) > SHOWN:
        yield f"  and {len(missing) - SHOWN:,} more, which {MANIFEST} names"
