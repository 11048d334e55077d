"""Remove files that no message holds: of failed uploads, and of erased messages."""

from collections.abc import Sequence
from itertools import groupby

from hubbub.files.hold import removing_files
from hubbub.files.links import THUMBNAIL
from hubbub.records.attachments import store
from hubbub.records.attachments.model import path_of
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

MOST_AT_ONCE = 100


async def remove_leftovers(runtime: Runtime) -> None:
    """Remove all due files, in all apps; not while a backup copies files."""
    while due := await runtime.database.read(
        INSTALLATION,
        lambda snapshot: store.list_leftovers(
            snapshot, now=runtime.clock.now(), limit=MOST_AT_ONCE
        ),
    ):
        with removing_files(runtime.settings.data) as may_remove:
            if not may_remove:
                return
            for app_id, files in groupby(sorted(due), key=lambda each: each[0]):
                await remove_files(runtime, app_id, [file for _, file in files])


async def remove_files(runtime: Runtime, app_id: str, files: Sequence[str]) -> None:
    """Remove due files: the content before the rows, so that an interruption loses no row."""
    paths = [path_of(app_id, file + end) for file in files for end in ("", THUMBNAIL)]
    await runtime.files.delete(paths)
    await runtime.database.write(app_id, lambda tx: store.delete_leftovers(tx, files))
