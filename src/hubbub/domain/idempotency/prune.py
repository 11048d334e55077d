"""Remove the keys that were kept for long enough, in chunks."""

from hubbub.kernel.pages import PageRequest
from hubbub.records.apps import store as apps_store
from hubbub.records.idempotency import store
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Snapshot, Transaction

CHUNK = 500
ALL = PageRequest(1, 1_000_000)


async def prune_keys(runtime: Runtime) -> None:
    """Remove all rows of keys that are free again, in every app."""
    for app_id in [INSTALLATION, *await _list_apps(runtime)]:
        await prune_keys_of(runtime, app_id)


async def _list_apps(runtime: Runtime) -> list[str]:
    apps, _ = await runtime.database.read(
        INSTALLATION, lambda snapshot: apps_store.list_apps(snapshot, "", ALL)
    )
    return [app.id for app in apps]


async def prune_keys_of(runtime: Runtime, app_id: str) -> None:
    """Remove the rows of an app's keys that are free again; empty: of management calls."""
    now = runtime.clock.now()

    async def look(snapshot: Snapshot) -> bool:
        return await store.has_expired(snapshot, now)

    async def within(tx: Transaction) -> int:
        return await store.delete_expired(tx, now, limit=CHUNK)

    if not await runtime.database.read(app_id, look):
        return
    while await runtime.database.write(app_id, within) == CHUNK:
        pass
