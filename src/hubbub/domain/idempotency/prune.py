"""Delete the rows of expired idempotency keys, in chunks."""

from functools import partial

from hubbub.kernel.each_app import for_each_app
from hubbub.records.apps import store as apps_store
from hubbub.records.idempotency import store
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

CHUNK = 500


async def prune_keys(runtime: Runtime) -> None:
    """Delete all rows of expired keys, in every app."""
    app_ids = [INSTALLATION, *await runtime.database.read(INSTALLATION, apps_store.list_ids)]
    await for_each_app(app_ids, partial(prune_app_keys, runtime), name="prune_keys")


async def prune_app_keys(runtime: Runtime, app_id: str) -> None:
    """Delete the rows of an app's expired keys; an empty `app_id` means management calls."""
    now = runtime.clock.now()
    if not await runtime.database.read(app_id, partial(store.has_expired_keys, now=now)):
        return
    delete_some = partial(store.delete_expired_keys, now=now, limit=CHUNK)
    while await runtime.database.write(app_id, delete_some) == CHUNK:
        pass
