"""Erase apps that have been archived for 30 days, with all their rows and files.

Tables are emptied one after the other, in chunks. The app's own row is deleted last, so that the
next run continues after a crash.
"""

import time
from collections.abc import Awaitable, Callable
from functools import partial

from hubbub.domain.erasure.erase import rest_after
from hubbub.domain.idempotency.prune import prune_app_keys
from hubbub.files.hold import removing_files
from hubbub.kernel.each_app import for_each_app
from hubbub.records.apps import store as apps_store
from hubbub.records.apps.model import ARCHIVED_SECONDS
from hubbub.records.erasure.store import delete_rows_of_app
from hubbub.records.operators.store import delete_operators_of_app
from hubbub.records.search.store import delete_entries_of_app
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Transaction
from hubbub.storage.migrations import tenant_tables

CHUNK = 500


async def erase_archived_apps(runtime: Runtime) -> None:
    """Erase every app that was archived at least 30 days ago; not while a backup copies files."""
    before = runtime.clock.now() - ARCHIVED_SECONDS
    apps = await runtime.database.read(
        INSTALLATION, lambda snapshot: apps_store.list_archived_apps(snapshot, before)
    )
    await for_each_app(apps, partial(_erase_app, runtime), name="erase_archived_apps")
    if apps:  # idempotency keys of management calls about these apps have expired by now
        await prune_app_keys(runtime, INSTALLATION)


async def _erase_app(runtime: Runtime, app_id: str) -> None:
    with removing_files(runtime.settings.data) as may_remove:
        if not may_remove:
            return
        await runtime.files.delete_folder(app_id)
    await _empty(runtime, app_id, delete_entries_of_app)
    for table in tenant_tables():
        await _empty(runtime, app_id, partial(delete_rows_of_app, table=table))
    await runtime.database.write(app_id, _delete_app)


async def _delete_app(tx: Transaction) -> None:
    await delete_operators_of_app(tx, tx.app_id)
    await apps_store.delete_app(tx)


async def _empty(runtime: Runtime, app_id: str, delete_rows: Callable[..., Awaitable[int]]) -> None:
    async def within(tx: Transaction) -> int:
        return await delete_rows(tx, limit=CHUNK)

    began = time.perf_counter()
    while await runtime.database.write(app_id, within) == CHUNK:
        await rest_after(runtime, began)
        began = time.perf_counter()
