"""The log of notifications: make entries about an event, list them, delete old ones."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from typing import Any

import msgspec

from hubbub.kernel.each_app import for_each_app
from hubbub.kernel.ids import Ids
from hubbub.kernel.pages import Slice, SliceRequest
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.apps import store as apps_store
from hubbub.records.conversations.model import USER
from hubbub.records.notifications import logs as store
from hubbub.records.notifications.logs import (
    NONE_WAIT,
    Log,
    LogFilter,
    NotificationEntry,
    OperatorLogFilter,
    insert_logs,
)
from hubbub.records.notifications.model import Reason
from hubbub.records.notifications.sending.digests import (
    delete_old_sums,
    delete_over,
    has_old_sums,
    has_over,
)
from hubbub.records.notifications.sending.model import About
from hubbub.records.notifications.sending.people import list_present, list_standing
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Snapshot, Transaction

KEPT_MS = 14 * 86_400_000
CHUNK = 500
LOOKED_THROUGH = 20_000
"""So many entries are looked through at once for those that no index finds."""
PUSH = "push"
"""The channel; the others are those of `records/notifications/sending/model.py`."""


def logged(about: About, uid: str, channel: str, **fields: Any) -> NotificationEntry:
    """Return an entry of the log about an event, with further fields."""
    return NotificationEntry(
        uid=uid,
        channel=channel,
        trigger=about.trigger,
        message_id=about.message_id or None,
        message_sent_at_ms=about.sent_at or None,
        message_category=about.category or None,
        message_type=about.type or None,
        sender=about.sender or None,
        receiver=about.receiver or None,
        receiver_type=about.receiver_type or None,
        reaction_id=about.reaction_id or None,
        reaction_sender=about.reaction_sender or None,
        reaction_receiver=about.reaction_receiver or None,
        **fields,
    )


def refused(
    channel: str, uid: str, about: About, reason: Reason, now_ms: int, **fields: Any
) -> NotificationEntry:
    """Return an entry about a person to whom nothing is sent on a channel."""
    return logged(
        about,
        uid,
        channel,
        started_at_ms=now_ms,
        ended_at_ms=now_ms,
        is_triggered=False,
        reason=reason,
        **fields,
    )


def people_of(about: About) -> set[str]:
    """Return the users whom the log names in entries about an event, besides whom it was for."""
    receiver = about.receiver if about.receiver_type == USER else ""
    named = {about.sender, receiver, about.reaction_sender, about.reaction_receiver}
    return named - {"", SYSTEM_UID}


async def insert_entries(
    tx: Transaction,
    ids: Ids,
    entries: Sequence[NotificationEntry],
    waiting: Mapping[str, NotificationEntry] = NONE_WAIT,
) -> None:
    """Insert entries, without those about people, and texts of messages, that are erased.

    Those that are `waiting` have ids by which their outcomes take their place.
    """
    if not entries and not waiting:
        return
    named = [_people_of(each) for each in entries]
    named_waiting = {id_: _people_of(each) for id_, each in waiting.items()}
    known = set(await list_standing(tx, set(chain(*named, *named_waiting.values()))))
    texts = {each.message_id for each in entries if each.message_id and each.payload is not None}
    present = await list_present(tx, texts) if texts else set()
    kept = [
        each if each.message_id in present else msgspec.structs.replace(each, payload=None)
        for each, uids in zip(entries, named, strict=True)
        if known.issuperset(uids)
    ]
    still = {id_: each for id_, each in waiting.items() if known.issuperset(named_waiting[id_])}
    await insert_logs(tx, ids, kept, still)


def _people_of(entry: NotificationEntry) -> list[str]:
    receiver = entry.receiver if entry.receiver_type == USER else None
    named = (entry.uid, entry.sender, receiver, entry.reaction_sender, entry.reaction_receiver)
    return [uid for uid in named if uid and uid != SYSTEM_UID]


async def list_logs(
    runtime: Runtime, app_id: str, wanted: LogFilter, page: SliceRequest[str]
) -> Slice[Log]:
    """Return a slice of the app's log, in the order in which the entries ended."""
    return await runtime.database.read(
        app_id, lambda snapshot: store.list_logs(snapshot, wanted, page)
    )


async def list_latest(
    runtime: Runtime, app_id: str, wanted: OperatorLogFilter, before: str | None, *, limit: int
) -> tuple[Sequence[Log], str | None]:
    """Return entries before one, newest first, and the id before which older ones may be.

    Those about a message or a person an index finds; for all others so many entries are looked
    through at once that it takes as long in a log of millions.
    """

    async def within(snapshot: Snapshot) -> tuple[Sequence[Log], str | None]:
        behind = None
        if wanted.message_id is None and wanted.uid is None:
            behind = await store.find_log_behind(snapshot, before, LOOKED_THROUGH)
        request = SliceRequest(limit=limit, is_before=True, cursor=before)
        found = await store.list_logs(snapshot, replace(wanted, from_id=behind), request)
        items = found.items[::-1]
        return items, items[-1].id if found.has_older else behind

    return await runtime.database.read(app_id, within)


async def prune_logs(runtime: Runtime, *, chunk: int = CHUNK) -> None:
    """Delete what is older than 14 days, in chunks.

    That is entries, the counts of a day, and how far a person was written to about a conversation.
    """
    before = runtime.clock.milliseconds() - KEPT_MS
    day = datetime.fromtimestamp(before / 1000, UTC).date().isoformat()
    app_ids = await runtime.database.read(INSTALLATION, apps_store.list_ids)
    prune = partial(_prune_app, runtime, before_ms=before, day=day, chunk=chunk)
    await for_each_app(app_ids, prune, name="prune_logs")


async def _prune_app(
    runtime: Runtime, app_id: str, *, before_ms: int, day: str, chunk: int
) -> None:
    delete = partial(store.delete_old_logs, before_ms=before_ms, limit=chunk)
    has_old = partial(store.has_old_logs, before_ms=before_ms)
    while await runtime.database.read(app_id, has_old):
        await runtime.database.write(app_id, delete)
    if await runtime.database.read(app_id, partial(has_old_sums, day=day)):
        await runtime.database.write(app_id, partial(delete_old_sums, day=day))
    before = before_ms // 1000
    while await runtime.database.read(app_id, partial(has_over, before=before)):
        await runtime.database.write(app_id, partial(delete_over, before=before, limit=chunk))
