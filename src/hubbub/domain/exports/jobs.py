"""Ask for exports, follow them, cancel and delete them; the file of one is kept for a week."""

from functools import partial

from hubbub.kernel.errors import BadInput
from hubbub.outbox import lock_counters
from hubbub.records.attachments.model import path_of
from hubbub.records.exports import store
from hubbub.records.exports.model import (
    KEPT_SECONDS,
    MOST_EXPORTS,
    ExportNotFound,
    ExportOrder,
    StoredExport,
    TooManyExports,
    encode_order,
)
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.groups.store import find_groups
from hubbub.records.imports.model import CANCELLED, WAITING
from hubbub.records.users.model import UidNotFound
from hubbub.records.users.store import find_user
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Transaction

CHUNK = 20


async def ask_for_export(runtime: Runtime, app_id: str, order: ExportOrder) -> StoredExport:
    """Store that chats are to be exported.

    Raises:
        BadInput: both a user and a group are named, or the times are in the wrong order.
        UidNotFound, GuidNotFound: the app has no such user or group.
        TooManyExports: the app has as many as it may have at once.
    """
    _check(order)
    now = runtime.clock.now()
    export = StoredExport(
        id=runtime.ids.hexadecimal(32),
        wanted=encode_order(order),
        state=WAITING,
        started_at=now,
        updated_at=now,
    )

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)  # one at a time: exports are counted, then added
        if order.user is not None and await find_user(tx, order.user) is None:
            raise UidNotFound(order.user)
        if order.group is not None and not await find_groups(tx, [order.group]):
            raise GuidNotFound(order.group)
        if len(await store.list_exports(tx)) >= MOST_EXPORTS:
            raise TooManyExports
        await store.insert_export(tx, export)

    await runtime.database.write(app_id, within)
    return export


def _check(order: ExportOrder) -> None:
    if order.user is not None and order.group is not None:
        raise BadInput.field("group", "Name a user or a group, not both.")
    if order.since is not None and order.until is not None and order.until <= order.since:
        raise BadInput.field("until", "The until must be after the since.")


async def find_export(runtime: Runtime, app_id: str, export_id: str) -> StoredExport:
    """Return an export.

    Raises:
        ExportNotFound: the app has none with this id.
    """
    export = await runtime.database.read(app_id, partial(store.find_export, export_id=export_id))
    if export is None:
        raise ExportNotFound(export_id)
    return export


async def list_exports(runtime: Runtime, app_id: str) -> list[StoredExport]:
    """Return the exports of an app, newest first."""
    return await runtime.database.read(app_id, store.list_exports)


async def delete_export(runtime: Runtime, app_id: str, export_id: str) -> StoredExport:
    """Cancel an export that waits or runs, or delete one that has ended, with its file.

    Raises:
        ExportNotFound: the app has none with this id.
    """
    export = await find_export(runtime, app_id, export_id)
    end = partial(store.end_export, export_id=export_id, state=CANCELLED, now=runtime.clock.now())
    if await runtime.database.write(app_id, end):
        return await find_export(runtime, app_id, export_id)
    await _delete(runtime, app_id, export)
    return export


async def prune_exports(runtime: Runtime) -> None:
    """Delete the exports of all apps that have ended a week ago, with their files."""
    before = runtime.clock.now() - KEPT_SECONDS
    list_some = partial(store.list_old, before=before, limit=CHUNK)
    while some := await runtime.database.read(INSTALLATION, list_some):
        for app_id, export in some:
            await _delete(runtime, app_id, export)


async def _delete(runtime: Runtime, app_id: str, export: StoredExport) -> None:
    """Delete the file first: a row without one is deleted again, a file without a row never."""
    await runtime.files.delete([path_of(app_id, export.id)])
    await runtime.database.write(app_id, partial(store.delete_export, export_id=export.id))
