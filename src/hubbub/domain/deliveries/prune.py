"""Delete old deliveries, and those of deleted webhooks, in chunks."""

from functools import partial

from hubbub.kernel.each_app import for_each_app
from hubbub.records.apps import store as apps_store
from hubbub.records.webhooks import old
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

CHUNK = 500


async def prune_deliveries(runtime: Runtime, *, chunk: int = CHUNK) -> None:
    """Delete deliveries that are older than the setting, and those of deleted webhooks."""
    before = runtime.clock.now() - round(runtime.settings.webhook_keep)
    app_ids = await runtime.database.read(INSTALLATION, apps_store.list_ids)
    prune = partial(_prune_app, runtime, before=before, chunk=chunk)
    await for_each_app(app_ids, prune, name="prune_deliveries")


async def _prune_app(runtime: Runtime, app_id: str, *, before: int, chunk: int) -> None:
    write = runtime.database.write
    found = await runtime.database.read(app_id, partial(old.list_old, before=before))
    for webhook, upto in found.items():
        delete = partial(old.delete_deliveries, webhook=webhook, before=upto, limit=chunk)
        while await write(app_id, delete) == chunk:
            pass
    delete_bodies = partial(old.delete_bodies, before=before, limit=chunk)
    while await runtime.database.read(app_id, partial(old.has_old_bodies, before=before)):
        await write(app_id, delete_bodies)
