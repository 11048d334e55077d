"""Remove files that no message holds: of failed uploads, and of erased messages."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter

from hubbub.files.hold import removing_files
from hubbub.files.links import THUMBNAIL
from hubbub.kernel.each_app import for_each_app
from hubbub.records.attachments import store
from hubbub.records.attachments.model import path_of
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

MOST_AT_ONCE = 100


async def remove_leftovers(runtime: Runtime) -> None:
    """Remove all due files, in all apps; not while a backup copies files.

    An app whose files can't be removed is left until the next run.
    """
    failed: set[str] = set()
    while due := await _list_due(runtime, failed):
        with removing_files(runtime.settings.data) as may_remove:
            if not may_remove:
                return
            remove = partial(_remove_some, runtime, due)
            failed |= await for_each_app(due, remove, name="remove_leftovers")


async def _list_due(runtime: Runtime, left: Collection[str]) -> dict[str, list[str]]:
    """Return some of the due files by app."""
    now = runtime.clock.now()
    look = partial(store.list_leftovers, now=now, left=left, limit=MOST_AT_ONCE)
    found = sorted(await runtime.database.read(INSTALLATION, look))
    return {
        app_id: [file for _, file in files] for app_id, files in groupby(found, key=itemgetter(0))
    }


async def _remove_some(runtime: Runtime, due: Mapping[str, Sequence[str]], app_id: str) -> None:
    await remove_files(runtime, app_id, due[app_id])


async def remove_files(runtime: Runtime, app_id: str, files: Sequence[str]) -> None:
    """Remove due files: the content before the rows, so that an interruption loses no row."""
    paths = [path_of(app_id, file + end) for file in files for end in ("", THUMBNAIL)]
    await runtime.files.delete(paths)
    await runtime.database.write(app_id, lambda tx: store.delete_leftovers(tx, files))
