"""List the log of notifications, and delete its old entries in the background."""

from datetime import UTC, datetime
from functools import partial

from hubbub.kernel.each_app import for_each_app
from hubbub.kernel.pages import Slice, SliceRequest
from hubbub.records.apps import store as apps_store
from hubbub.records.notices.unread import delete_old_sums, delete_over, has_old_sums, has_over
from hubbub.records.notifications import logs as store
from hubbub.records.notifications.logs import Log, LogFilter
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

KEPT_MS = 14 * 86_400_000
CHUNK = 500


async def list_logs(
    runtime: Runtime, app_id: str, wanted: LogFilter, page: SliceRequest[str]
) -> Slice[Log]:
    """Return a slice of the app's log, in the order in which the entries ended."""
    return await runtime.database.read(
        app_id, lambda snapshot: store.list_logs(snapshot, wanted, page)
    )


async def prune_logs(runtime: Runtime) -> None:
    """Delete what is older than 14 days, in chunks.

    That is entries, the counts of a day, and how far a person was written to about a conversation.
    """
    before = runtime.clock.milliseconds() - KEPT_MS
    day = datetime.fromtimestamp(before / 1000, UTC).date().isoformat()
    app_ids = await runtime.database.read(INSTALLATION, apps_store.list_ids)
    prune = partial(_prune_app, runtime, before_ms=before, day=day)
    await for_each_app(app_ids, prune, name="prune_logs")


async def _prune_app(runtime: Runtime, app_id: str, before_ms: int, day: str) -> None:
    delete = partial(store.delete_old_logs, before_ms=before_ms, limit=CHUNK)
    has_old = partial(store.has_old_logs, before_ms=before_ms)
    while await runtime.database.read(app_id, has_old):
        await runtime.database.write(app_id, delete)
    if await runtime.database.read(app_id, partial(has_old_sums, day=day)):
        await runtime.database.write(app_id, partial(delete_old_sums, day=day))
    before = before_ms // 1000
    while await runtime.database.read(app_id, partial(has_over, before=before)):
        await runtime.database.write(app_id, partial(delete_over, before=before, limit=CHUNK))
