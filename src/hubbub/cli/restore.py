"""`hubbub restore`: restore a backup into an empty data folder."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from hubbub.backup import restore as backups
from hubbub.backup.manifest import MANIFEST, BackupRefused
from hubbub.backup.repository.layout import REPOSITORY, choose_backup, open_repository
from hubbub.backup.repository.source import RepositorySource
from hubbub.cli.backup import missing_files
from hubbub.cli.columns import printable
from hubbub.cli.options import Data
from hubbub.cli.progress import progress_bar
from hubbub.cli.times import parse_time
from hubbub.config import load_settings
from hubbub.files.places import open_place
from hubbub.files.store import folder_of_files


def restore(
    source: Annotated[
        str,
        typer.Argument(
            help="The folder of a backup, or a place of backups: a folder, s3:// …",
            show_default=False,
        ),
    ],
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="TIME",
            help="Take the newest backup of this time or earlier, such as 2026-11-22T04:00; UTC"
            " if it has no offset.",
            show_default="the newest",
        ),
    ] = None,
    id_: Annotated[
        str | None, typer.Option("--id", help="Take the backup with this id.", show_default=False)
    ] = None,
    data: Data = None,
    key: Annotated[
        Path | None, typer.Option("--key", help="The file with the master key of the store.")
    ] = None,
) -> None:
    """Restore a backup into a new or empty data folder.

    Each checksum is compared. A folder that holds anything is refused: nothing is ever restored
    over a store. The master key comes from HUBBUB_SECRET_KEY, from secret.key in the data folder,
    from --key, or from the backup if it was made with --with-key.

    From a place with many backups (see hubbub backup --list) the newest one is taken, or that of
    --at or --id. What was written after it is not in it.

    \b
    Example:
      hubbub restore /backups/2026-11-22 --data /srv/new --key /safe/secret.key
      hubbub restore /backups/hubbub --at 2026-11-22T04:00 --data /srv/new --key /safe/secret.key
      hubbub serve --data /srv/new
    """  # noqa: D301
    settings = load_settings(data=data)
    backups.check_engine(settings)
    chosen = _source_of(source, id_, parse_time(at, "--at"))
    with progress_bar() as progress:
        manifest = backups.restore(backups.RestoreOrder(chosen, settings, progress, key))
    print(f"Restored to {settings.data}, as of {printable(manifest.taken_at)}: {manifest.counts}.")
    for line in missing_files(manifest):
        print(line)
    if manifest.has_files and settings.files:
        print(
            f"The uploaded files are in {settings.data / 'files'}, but HUBBUB_FILES_URL names"
            " another place: move them there before you start the node."
        )
    if not manifest.has_files:
        print("The backup has no uploaded files: give the node the --files that it had.")


def _source_of(address: str, id_: str | None, at: datetime | None) -> backups.BackupSource:
    if id_ is not None and at is not None:
        raise typer.BadParameter("it can't be given with --at", param_hint="--id")
    folder = folder_of_files(address, Path())
    if folder is None or (folder / REPOSITORY).exists():
        opened = open_repository(open_place(address))
        return RepositorySource(opened, choose_backup(opened, id_, at))
    if id_ is not None or at is not None:
        raise BackupRefused(
            f"{address} is one backup, or none, and no place of many: it has no {REPOSITORY}."
            f" One backup has a {MANIFEST}, and is restored without --at and --id."
        )
    return backups.FolderSource(Path(address))
