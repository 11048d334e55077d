"""Check the place of uploaded files, and that a sample of them is there."""

import os
import random
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from hubbub.config import BadSetting, Settings
from hubbub.doctor.configuration import existing_part
from hubbub.doctor.finding import Finding, ok, wrong
from hubbub.files.hold import keeping_files
from hubbub.files.store import FileNotStored, folder_of_files, open_store, without_secrets
from hubbub.kernel.errors import Unavailable
from hubbub.records.attachments.store import list_files
from hubbub.records.totals.model import StoredApp
from hubbub.storage.interface import Inspection, Snapshot

CHECK = "files"
FILES_LOOKED_AT = 100
APPS_LOOKED_AT = 20


async def check_files(
    settings: Settings, inspection: Inspection, apps: Sequence[StoredApp]
) -> Finding:
    """Check that files can be read and written, and look for some that messages hold."""
    folder = folder_of_files(settings.files, settings.data)
    if folder is None:
        return await _check_remote(settings)
    if not os.access(existing_part(folder), os.R_OK | os.W_OK | os.X_OK):
        return wrong(CHECK, f"{folder} is not writable.", "Give it to the node's account: chown.")
    with keeping_files(existing_part(settings.data)):  # a node may be removing some
        held = await _sample_files(inspection, apps)
        missing = [path for path, size in held.items() if not _is_whole(folder / path, size)]
    if not missing:
        return ok(CHECK, f"{folder}: all of {len(held)} files that were looked at are there")
    return wrong(
        CHECK,
        f"{len(missing)} of {len(held)} files that messages hold are missing or not whole, such as"
        f" {folder / missing[0]}.",
        "Is --files right? Else copy them from a backup.",
    )


def _is_whole(path: Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size == size


async def _sample_files(inspection: Inspection, apps: Sequence[StoredApp]) -> dict[str, int]:
    """Return the paths of some files of some apps, with their sizes."""
    present = [app.id for app in apps if not app.is_archived]
    held: dict[str, int] = {}
    for app_id in random.sample(present, min(APPS_LOOKED_AT, len(present))):
        held |= await inspection.read(app_id, _sample_files_of_app)
    return held


async def _sample_files_of_app(snapshot: Snapshot) -> dict[str, int]:
    """Return files from a random one on, and from the first one on if these are few."""
    after = f"{random.randrange(16**4):04x}"  # noqa: S311  # no secret
    files = await list_files(snapshot, after, limit=FILES_LOOKED_AT)
    files += await list_files(snapshot, "", limit=FILES_LOOKED_AT - len(files))
    return {path: size for each in files for path, size in each.paths_in(snapshot.app_id).items()}


async def _check_remote(settings: Settings) -> Finding:
    place = without_secrets(settings.files)
    try:
        with closing(open_store(settings.files, settings.data)) as store:
            await store.read("hubbub-doctor/no-such-file", 0, 1)
    except FileNotStored:
        return ok(CHECK, f"{place} answers")
    except BadSetting as problem:
        return wrong(CHECK, str(problem), "Correct --files or HUBBUB_FILES_URL.")
    except Unavailable:
        pass
    return wrong(
        CHECK,
        f"{place} can't be read: uploads and downloads are answered with 503.",
        "Check the address, the bucket and the credentials; a line on stderr has the reason.",
    )
