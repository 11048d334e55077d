"""The master key of a backed-up store, which is kept apart from it."""

from pathlib import Path

from hubbub.backup.manifest import KEY, BackupRefused
from hubbub.config import Settings
from hubbub.kernel.sealing import Sealer, parse_master_key
from hubbub.records.apps.store import find_key_mark
from hubbub.storage.interface import INSTALLATION
from hubbub.storage.sqlite.copy import Copy


def read_master_key(
    settings: Settings, named: Path | None = None, backed_up: str | None = None
) -> str:
    """Return the master key: that of the settings, or of the first of some places that has one.

    The file in the data folder is looked at first, then the one that the operator has named, then
    the key that is in the backup.

    Raises:
        BadMasterKey: it has no valid form.
        BackupRefused: there is none, or the named file does not exist.
    """
    if named is not None and not named.is_file():
        raise BackupRefused(f"There is no file {named} with the master key.")
    files = [path for path in (settings.data / KEY, named) if path is not None and path.exists()]
    key = settings.secret_key or (files[0].read_text("ascii", "replace") if files else backed_up)
    if not key:
        raise BackupRefused(
            "The master key of the store is needed, and is kept apart: name its file with --key,"
            " or set HUBBUB_SECRET_KEY."
        )
    parse_master_key(key)
    return key.strip()


def check_master_key(copy: Copy, key: str) -> None:
    """Check that a store was made with a master key.

    Raises:
        BackupRefused: it was made with another one.
    """
    mark = copy.read(INSTALLATION, find_key_mark)
    if mark not in (None, Sealer(parse_master_key(key)).mark):
        raise BackupRefused(
            f"The store was made with another master key. Give the {KEY} of its data folder"
            " with --key, or its HUBBUB_SECRET_KEY."
        )
