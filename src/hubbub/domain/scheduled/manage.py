"""List, change and cancel messages that are sent later, and send them now."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_actor
from hubbub.domain.messages.compose import with_checked_data
from hubbub.domain.messages.review import Render
from hubbub.domain.scheduled.prepare import prepare
from hubbub.domain.scheduled.schedule import check_repeat
from hubbub.domain.scheduled.send import follow_up, send_unchanged
from hubbub.kernel.pages import Page, PageRequest
from hubbub.records.messages.model import MessageView
from hubbub.records.scheduled import store
from hubbub.records.scheduled.model import (
    MESSAGES,
    PENDING,
    ScheduledMessage,
    ScheduledMessageNotFound,
    check_ahead,
    encode_draft,
)
from hubbub.records.scheduled.queues import open_queue
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


@dataclass(frozen=True, slots=True)
class ScheduledChange:
    """What is changed of a message that is sent later; None stays as it is."""

    send_at: int | None = None
    data: Mapping[str, Any] | None = None
    tags: tuple[str, ...] | None = None


async def get_scheduled(
    runtime: Runtime, app_id: str, actor: Actor, scheduled_id: str
) -> ScheduledMessage:
    """Return a message of the acting user, or any one for the app.

    Raises:
        UidNotFound: the acting user does not exist.
        ScheduledMessageNotFound: there is none, or it is somebody else's.
    """

    async def within(snapshot: Snapshot) -> ScheduledMessage:
        await access_actor(snapshot, actor)
        return _access(actor, scheduled_id, await store.find_scheduled(snapshot, scheduled_id))

    return await runtime.database.read(app_id, within)


async def list_own_scheduled(
    runtime: Runtime, app_id: str, actor: Actor, statuses: Collection[str], page: PageRequest
) -> Page[ScheduledMessage]:
    """Return a page of the acting user's messages, or of all for the app, by their times.

    Raises:
        UidNotFound: the acting user does not exist.
    """

    async def within(snapshot: Snapshot) -> Page[ScheduledMessage]:
        await access_actor(snapshot, actor)
        found = await store.list_scheduled(snapshot, actor.uid, statuses, page)
        return Page(found, await store.count_scheduled(snapshot, actor.uid, statuses), page)

    return await runtime.database.read(app_id, within)


async def change_scheduled(
    runtime: Runtime, app_id: str, actor: Actor, scheduled_id: str, change: ScheduledChange
) -> ScheduledMessage:
    """Change when a message is sent, or what it says; one that has failed waits again.

    Raises:
        UidNotFound, ScheduledMessageNotFound: as in `get_scheduled`.
        BadInput: the time has passed, lies too far ahead or does not fit, or the data is not valid.
    """
    now, now_ms = runtime.clock.now(), runtime.clock.milliseconds()
    if change.send_at is not None:
        check_ahead("sendAt", change.send_at, now)

    async def within(tx: Transaction) -> ScheduledMessage:
        await access_actor(tx, actor)
        if change.send_at is not None:
            await open_queue(tx, MESSAGES, 1000 * change.send_at, now=now_ms)
        locked = await store.lock_scheduled(tx, [scheduled_id])
        changed = _changed(_access(actor, scheduled_id, locked.get(scheduled_id)), change, now)
        await store.store_scheduled(tx, [changed])
        return changed

    return await runtime.database.write(app_id, within)


async def cancel_scheduled(runtime: Runtime, app_id: str, actor: Actor, scheduled_id: str) -> None:
    """Delete a message; it is not sent any more.

    Raises:
        UidNotFound, ScheduledMessageNotFound: as in `get_scheduled`; it may have been sent.
    """

    async def within(tx: Transaction) -> None:
        await access_actor(tx, actor)
        locked = await store.lock_scheduled(tx, [scheduled_id])
        _access(actor, scheduled_id, locked.get(scheduled_id))
        await store.delete_scheduled(tx, [scheduled_id])

    await runtime.database.write(app_id, within)


async def send_scheduled_now(
    runtime: Runtime, app_id: str, actor: Actor, scheduled_id: str, render: Render
) -> MessageView:
    """Send a message before its time, as its sender; one that is refused stays as it is.

    Raises:
        UidNotFound, ScheduledMessageNotFound: as in `get_scheduled`; it may have been sent.
        Refusal: it may not be sent.
    """
    scheduled = await get_scheduled(runtime, app_id, actor, scheduled_id)
    prepared = await prepare(runtime, app_id, scheduled, render)

    async def within(tx: Transaction) -> MessageView:
        [outcome] = await send_unchanged(tx, [prepared], runtime.clock.now(), only_due=False)
        if outcome.view is None:
            raise outcome.refusal or ScheduledMessageNotFound(scheduled_id)
        sent.append(outcome)
        return outcome.view

    sent: list[Any] = []
    view = await runtime.database.write(app_id, within)
    await follow_up(runtime, app_id, prepared, sent[-1])
    return view


def _access(actor: Actor, scheduled_id: str, found: ScheduledMessage | None) -> ScheduledMessage:
    if found is None or (actor.uid is not None and found.sender != actor.uid):
        raise ScheduledMessageNotFound(scheduled_id)
    return found


def _changed(scheduled: ScheduledMessage, change: ScheduledChange, now: int) -> ScheduledMessage:
    """Return a message with its changes."""
    draft = scheduled.read_draft()
    if change.data is not None:
        draft = with_checked_data(draft, change.data)
    if change.tags is not None:
        draft = msgspec.structs.replace(draft, tags=change.tags)
    changed = replace(
        scheduled,
        draft=encode_draft(draft),
        version=scheduled.version + 1,
        updated_at=now,
    )
    if change.send_at is None:
        return changed
    check_repeat(scheduled.repeat, scheduled.time_zone, change.send_at)
    return replace(
        changed,
        send_at=change.send_at,
        due_at=1000 * change.send_at,
        first_at=change.send_at,
        status=PENDING,
        code=None,
        reason=None,
        failed_at=None,
    )
