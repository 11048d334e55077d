"""Delete messages that could not be sent, 30 days later."""

from functools import partial

from hubbub.kernel.each_app import for_each_app
from hubbub.records.apps.store import list_ids
from hubbub.records.scheduled.model import KEPT_SECONDS
from hubbub.records.scheduled.store import delete_scheduled, list_failed
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

CHUNK = 200


async def prune_scheduled(runtime: Runtime) -> None:
    """Delete the old messages of all apps that have failed."""
    app_ids = await runtime.database.read(INSTALLATION, list_ids)
    await for_each_app(app_ids, partial(_prune_app, runtime), name="prune_scheduled")


async def _prune_app(runtime: Runtime, app_id: str) -> None:
    before = runtime.clock.now() - KEPT_SECONDS
    list_some = partial(list_failed, before=before, limit=CHUNK)
    while some := await runtime.database.read(app_id, list_some):
        await runtime.database.write(app_id, partial(delete_scheduled, ids=some))
