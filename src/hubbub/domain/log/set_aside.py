"""Events that a consumer of the log has set aside: list them, and delete old ones."""

from functools import partial

from hubbub.kernel.each_app import for_each_app
from hubbub.kernel.pages import Page, PageRequest
from hubbub.outbox import set_aside
from hubbub.outbox.set_aside import SetAside
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Snapshot


async def list_set_aside(runtime: Runtime, app_id: str, page: PageRequest) -> Page[SetAside]:
    """Return a page of the app's events that were set aside, newest first."""

    async def read(snapshot: Snapshot) -> Page[SetAside]:
        events, total = await set_aside.list_set_aside(snapshot, page)
        return Page(events, total, page)

    return await runtime.database.read(app_id, read)


async def prune_set_aside(runtime: Runtime) -> None:
    """Delete the rows of all apps that are older than 14 days."""
    before = runtime.clock.now() - set_aside.KEPT_SECONDS
    find = partial(set_aside.list_apps_with_old, before=before)
    delete = partial(set_aside.delete_old_set_aside, before=before)
    await for_each_app(
        await runtime.database.read(INSTALLATION, find),
        lambda app_id: runtime.database.write(app_id, delete),
        name="prune_set_aside",
    )
