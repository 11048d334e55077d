"""Delete old events that all consumers have read, and memberships that ended before them."""

from collections.abc import Mapping
from functools import partial

from hubbub.domain.log.consumers import CONSUMERS
from hubbub.kernel.each_app import for_each_app
from hubbub.outbox.old import delete_events, find_deletable, find_start
from hubbub.records.apps import store as apps_store
from hubbub.records.members.store import delete_ended_memberships, has_ended_memberships
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Snapshot, Transaction

CHUNK = 500
"""The rows that one transaction deletes."""


async def prune_log(
    runtime: Runtime, consumers: Mapping[str, bool] = CONSUMERS, *, chunk: int = CHUNK
) -> None:
    """Delete the events of all apps that are older than the setting."""
    app_ids = await runtime.database.read(INSTALLATION, apps_store.list_ids)
    prune = partial(_prune_app, runtime, consumers=consumers, chunk=chunk)
    await for_each_app(app_ids, prune, name="prune_log")


async def _prune_app(
    runtime: Runtime, app_id: str, *, consumers: Mapping[str, bool], chunk: int
) -> None:
    read, write, now = runtime.database.read, runtime.database.write, runtime.clock.now()
    before = now - round(runtime.settings.events_keep)
    find = partial(find_deletable, before=before, consumers=consumers, now=now, limit=chunk)
    while upto := await read(app_id, find):
        await write(app_id, partial(delete_events, upto=upto))
    if await read(app_id, _has_past_memberships):
        while await write(app_id, partial(_delete_memberships, limit=chunk)) == chunk:
            pass


async def _has_past_memberships(snapshot: Snapshot) -> bool:
    return await has_ended_memberships(snapshot, await find_start(snapshot))


async def _delete_memberships(tx: Transaction, *, limit: int) -> int:
    return await delete_ended_memberships(tx, await find_start(tx), limit=limit)
