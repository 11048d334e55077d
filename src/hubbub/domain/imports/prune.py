"""Delete the rows that imports refused, once nobody will mend them: they hold what people wrote."""

from functools import partial

from hubbub.kernel.each_app import for_each_app
from hubbub.records.apps import store as apps_store
from hubbub.records.imports import store
from hubbub.records.imports.model import REFUSALS_SECONDS
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

CHUNK = 500


async def prune_refusals(runtime: Runtime) -> None:
    """Delete the refused rows of imports that nobody has gone on with for 30 days."""
    app_ids = await runtime.database.read(INSTALLATION, apps_store.list_ids)
    await for_each_app(app_ids, partial(_prune_app, runtime), name="prune_refusals")


async def _prune_app(runtime: Runtime, app_id: str) -> None:
    before = runtime.clock.now() - REFUSALS_SECONDS
    old = await runtime.database.read(app_id, partial(store.list_with_refusals, before=before))
    for import_id in old:
        delete_some = partial(store.delete_refusals, import_id=import_id, limit=CHUNK)
        while await runtime.database.write(app_id, delete_some) == CHUNK:
            pass
