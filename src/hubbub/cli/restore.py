"""`hubbub restore`: restore a backup into an empty data folder."""

from pathlib import Path
from typing import Annotated

import typer

from hubbub.backup import restore as backups
from hubbub.cli.backup import missing_files
from hubbub.cli.columns import printable
from hubbub.cli.options import Data
from hubbub.cli.progress import progress_bar
from hubbub.config import load_settings


def restore(
    folder: Annotated[Path, typer.Argument(help="The folder of the backup.")],
    data: Data = None,
    key: Annotated[
        Path | None, typer.Option("--key", help="The file with the master key of the store.")
    ] = None,
) -> None:
    """Restore a backup into a new or empty data folder.

    Each checksum is compared. A folder that holds anything is refused: nothing is ever restored
    over a store. The master key comes from HUBBUB_SECRET_KEY, from secret.key in the data folder,
    from --key, or from the backup if it was made with --with-key.

    \b
    Example:
      hubbub restore /backups/2026-11-22 --data /srv/new --key /safe/secret.key
      hubbub serve --data /srv/new
    """  # noqa: D301
    settings = load_settings(data=data)
    with progress_bar() as progress:
        manifest = backups.restore(backups.RestoreOrder(folder, settings, progress, key))
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
