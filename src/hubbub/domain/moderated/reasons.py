"""Create, change, delete and find the reasons to flag messages."""

from dataclasses import replace

from hubbub.kernel.pages import Page, PageRequest
from hubbub.outbox import lock_counters
from hubbub.records.moderated import store
from hubbub.records.moderated.model import (
    MOST_REASONS,
    FlagReason,
    ReasonAlreadyExists,
    ReasonNotFound,
    TooManyReasons,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


async def create_reason(
    runtime: Runtime, app_id: str, reason_id: str, name: str, description: str | None
) -> FlagReason:
    """Create a reason.

    Raises:
        ReasonAlreadyExists: the id is taken.
        TooManyReasons: the app has as many as it may have.
    """
    now = runtime.clock.now()
    created = FlagReason(reason_id, name, description or None, now, now)

    async def within(tx: Transaction) -> FlagReason:
        await lock_counters(tx)  # one at a time: reasons are counted, then added
        if await store.find_reason(tx, reason_id) is not None:
            raise ReasonAlreadyExists(reason_id)
        if await store.count_reasons(tx) >= MOST_REASONS:
            raise TooManyReasons
        await store.insert_reason(tx, created)
        return created

    return await runtime.database.write(app_id, within)


async def update_reason(
    runtime: Runtime, app_id: str, reason_id: str, name: str | None, description: str | None
) -> FlagReason:
    """Change a reason; what is None stays, and an empty description is removed.

    Raises:
        ReasonNotFound: the app does not have it.
    """

    async def within(tx: Transaction) -> FlagReason:
        await lock_counters(tx)
        before = await access_reason(tx, reason_id)
        after = replace(
            before,
            name=before.name if name is None else name,
            description=before.description if description is None else description or None,
            updated_at=runtime.clock.now(),
        )
        await store.update_reason(tx, after)
        return after

    return await runtime.database.write(app_id, within)


async def delete_reason(runtime: Runtime, app_id: str, reason_id: str) -> None:
    """Delete a reason; flags that name it stay.

    Raises:
        ReasonNotFound: the app does not have it.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        if not await store.delete_reason(tx, reason_id):
            raise ReasonNotFound(reason_id)

    await runtime.database.write(app_id, within)


async def access_reason(snapshot: Snapshot, reason_id: str) -> FlagReason:
    """Return a reason.

    Raises:
        ReasonNotFound: the app does not have it.
    """
    found = await store.find_reason(snapshot, reason_id)
    if found is None:
        raise ReasonNotFound(reason_id)
    return found


async def get_reason(runtime: Runtime, app_id: str, reason_id: str) -> FlagReason:
    """Return a reason.

    Raises:
        ReasonNotFound: the app does not have it.
    """
    return await runtime.database.read(app_id, lambda snapshot: access_reason(snapshot, reason_id))


async def list_reasons(runtime: Runtime, app_id: str, request: PageRequest) -> Page[FlagReason]:
    """Return a page of the app's reasons, newest first."""

    async def within(snapshot: Snapshot) -> Page[FlagReason]:
        total = await store.count_reasons(snapshot)
        return Page(await store.list_reasons(snapshot, request), total, request)

    return await runtime.database.read(app_id, within)
