"""Erase apps that have been archived for 30 days, with all that they held.

It goes table by table, in chunks; the app's own row goes last, so a crash in between is made up
for by going on.
"""

from collections.abc import Awaitable, Callable
from functools import partial

from hubbub.domain.idempotency.prune import prune_keys_of
from hubbub.records.apps import store as apps_store
from hubbub.records.apps.model import ARCHIVED_SECONDS
from hubbub.records.erasure.store import delete_rows_of_app
from hubbub.records.search.store import delete_entries_of_app
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Transaction
from hubbub.storage.migrations import tenant_tables

CHUNK = 500


async def erase_archived_apps(runtime: Runtime) -> None:
    """Erase every app whose 30 days are over."""
    before = runtime.clock.now() - ARCHIVED_SECONDS
    apps = await runtime.database.read(
        INSTALLATION, lambda snapshot: apps_store.list_archived_apps(snapshot, before)
    )
    for app_id in apps:
        await runtime.files.delete_folder(app_id)
        await _empty(runtime, app_id, delete_entries_of_app)
        for table in tenant_tables():
            await _empty(runtime, app_id, partial(delete_rows_of_app, table=table))
        await runtime.database.write(app_id, apps_store.delete_app)
    if apps:  # management calls about them are older than what is kept of any call
        await prune_keys_of(runtime, INSTALLATION)


async def _empty(runtime: Runtime, app_id: str, delete_some: Callable[..., Awaitable[int]]) -> None:
    async def within(tx: Transaction) -> int:
        return await delete_some(tx, limit=CHUNK)

    while await runtime.database.write(app_id, within) == CHUNK:
        pass
