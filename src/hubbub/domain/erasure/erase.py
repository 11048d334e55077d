"""Request an erasure, and carry it out in small chunks in the background.

The request's transaction ends all relations, and stores the last message and event that it reaches.
Chunks delete nothing newer, so an id is free at once. A chunk may be repeated after a crash.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

import structlog

from hubbub.domain.erasure.scheduled import forget_scheduled_of_user, forget_scheduled_to_group
from hubbub.domain.messages.erase import (
    delete_search_entries,
    erase_belongings,
    erase_marks_of_user,
    erase_messages,
    replace_last_messages,
)
from hubbub.kernel.clock import Clock
from hubbub.kernel.errors import Unavailable
from hubbub.outbox import lock_counters, next_event_number
from hubbub.outbox.redact import has_events, redact_events
from hubbub.records.conversations import store as conversations_store
from hubbub.records.conversations.model import GROUP, USER, group_key
from hubbub.records.drafts import store as drafts_store
from hubbub.records.erasure import store
from hubbub.records.erasure.model import (
    CONVERSATION,
    ENDED,
    HISTORY,
    OWN,
    SENDER,
    TRACES,
    Erasure,
    OwnMessages,
)
from hubbub.records.groups.model import Group
from hubbub.records.messages import store as messages_store
from hubbub.records.messages.events import MessagesDeleted
from hubbub.records.moderated.held import delete_held_of_conversation, delete_held_of_user
from hubbub.records.notifications.logs import delete_logs_of_user, delete_some_of_messages
from hubbub.records.notifications.preference_store import delete_preferences_of
from hubbub.records.notifications.sending.digests import forget_unread
from hubbub.records.notifications.store import delete_contact_details
from hubbub.records.polls.store import delete_some_of_messages as delete_some_votes
from hubbub.records.reminders import store as reminders_store
from hubbub.records.webhooks import erased as bodies_store
from hubbub.records.webhooks.erased import Shown, delete_that_show, has_bodies
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Snapshot, Transaction

log = structlog.get_logger()

CHUNK = 10
"""The rows that one transaction erases; all other writes of the app wait for it."""
LOGS = 500
"""The entries of the log of notifications that one transaction deletes, about the next messages."""
VOTES = 500
"""The votes that one transaction deletes, in the next messages."""
REST, REST_BESIDE_WRITES = 1.0, 3.0
"""The pause after a chunk of each app, in times of what they took: requests are served between."""
LONGEST_REST = 5.0
"""A machine that was stopped meanwhile does not rest for as long as that."""
MOST_ERASURES = 50
SPAN = 200
"""The events that one transaction searches, and as many bodies or a few more."""


async def request_user_erasure(tx: Transaction, clock: Clock, uid: str) -> None:
    """End the user's conversations now, and request the erasure of these and of their messages."""
    reached = await lock_counters(tx)
    # Rows of the latest import have the number of the next event.
    erasure = Erasure(tx.app_id, SENDER, uid, reached.message, next_event_number(tx))
    await store.insert_erasure(tx, erasure, clock.now())
    await store.insert_erasures_of_conversations(tx, erasure, clock.now())
    traced = Shown("uid", uid).encode()
    await store.insert_erasure(tx, replace(erasure, kind=TRACES, subject=traced), clock.now())
    await conversations_store.end_user_conversations(tx, uid)
    await erase_belongings(tx, await delete_held_of_user(tx, uid))
    await delete_contact_details(tx, uid)
    await forget_unread(tx, uid)
    await forget_scheduled_of_user(tx, uid, clock.now())
    await reminders_store.delete_of_user(tx, uid)
    await drafts_store.delete_of_user(tx, uid)
    await drafts_store.delete_to_receiver(tx, USER, uid)
    await delete_preferences_of(tx, uid)


async def request_conversation_erasure(
    tx: Transaction, number: int, now: int, kind: str = CONVERSATION
) -> None:
    """Delete a conversation now, and request the erasure of its messages and participants."""
    await _request(tx, kind, str(number), now)
    await conversations_store.delete_conversation(tx, number)


async def request_group_erasure(tx: Transaction, group: Group, now: int) -> None:
    """Delete a group's conversation now, and request the erasure of all that is left of both."""
    await request_conversation_erasure(tx, group.conversation, now)
    await erase_belongings(tx, await delete_held_of_conversation(tx, group_key(group.guid)))
    await _request(tx, TRACES, Shown("guid", group.guid).encode(), now)
    await forget_scheduled_to_group(tx, group.guid, now)
    await drafts_store.delete_to_receiver(tx, GROUP, group.guid)


async def request_history_erasure(tx: Transaction, number: int, now: int) -> None:
    """Request the erasure of all present messages of a conversation; the conversation stays."""
    await _request(tx, HISTORY, str(number), now)


async def request_own_erasure(tx: Transaction, number: int, uid: str, now: int) -> None:
    """Request the erasure of the messages that one user sent to a conversation."""
    await _request(tx, OWN, OwnMessages(number, uid).encode(), now)


async def _request(tx: Transaction, kind: str, subject: str, now: int) -> None:
    reached = await lock_counters(tx)
    erasure = Erasure(tx.app_id, kind, subject, reached.message, reached.event)
    await store.insert_erasure(tx, erasure, now)


async def erase_all(runtime: Runtime) -> None:
    """Carry out all requested erasures, a chunk of each app in turn."""
    failed: set[str] = set()
    began, was_any = time.perf_counter(), False
    while await erase_of_each_app(runtime, failed):
        was_any = True
        await rest_after(runtime, began)
        began = time.perf_counter()
    if was_any:
        runtime.database.forget_deleted()


async def rest_after(runtime: Runtime, began: float) -> None:
    """Pause after work that began at that time, in times of what it took."""
    took = time.perf_counter() - began
    await asyncio.sleep(seconds_to_rest(took, is_busy=runtime.batches.is_busy))


def seconds_to_rest(took: float, *, is_busy: bool) -> float:
    """Return how long erasures pause after work that took so many seconds."""
    return min(LONGEST_REST, took * (REST_BESIDE_WRITES if is_busy else REST))


async def erase_of_each_app(runtime: Runtime, failed: set[str]) -> bool:
    """Erase a chunk of each app that is not in `failed`; return whether there was any."""
    app_id, was_any = "", False
    while erasures := await find_erasures(runtime, after=app_id):
        app_id = erasures[0].app_id
        if app_id not in failed:
            was_any = True
            if not await _erase_next(runtime, erasures):
                failed.add(app_id)
    return was_any


async def _erase_next(runtime: Runtime, erasures: Sequence[Erasure]) -> bool:
    """Erase a chunk of an app; if that fails return False, so that it delays no other app.

    If the database is away for all apps, looking for the next one says so.
    """
    try:
        await erase_chunk(runtime, erasures)
    except Unavailable:
        return False
    except Exception as defect:
        log.error("erasure_failed", app=erasures[0].app_id, exc_info=defect)
        return False
    return True


async def find_erasures(runtime: Runtime, *, after: str = "") -> list[Erasure]:
    """Return erasures of one app: the first that has any after the id `after`."""
    return await runtime.database.read(
        INSTALLATION, lambda snapshot: store.list_erasures(snapshot, after, limit=MOST_ERASURES)
    )


async def erase_chunk(
    runtime: Runtime, erasures: Sequence[Erasure], *, limit: int = CHUNK, span: int = SPAN
) -> None:
    """Delete the next rows of an app's erasures, `limit` in all, in one transaction."""

    async def within(tx: Transaction) -> None:
        if any(erasure.kind in (SENDER, OWN) for erasure in erasures):
            await lock_counters(tx)  # last messages and counts change
        left = limit
        for erasure in erasures:
            if erasure.kind == TRACES:  # the last kind in their order
                traces = [each for each in erasures if each.kind == TRACES]
                await _erase_traces(tx, traces, runtime.clock.now(), span)
                return
            left -= await _erase(tx, erasure, left, runtime.clock.now())
            if left == 0:
                return
            await store.delete_erasure(tx, erasure)

    await runtime.database.write(erasures[0].app_id, within)


async def _erase(tx: Transaction, erasure: Erasure, limit: int, now: int) -> int:
    """Delete up to `limit` rows of an erasure; return their number. Fewer: the erasure is done."""
    messages = await _next_messages(tx, erasure, limit)
    polls = [each.id for each in messages]
    if await delete_some_votes(tx, polls, limit=VOTES) == VOTES:
        return limit  # the next chunk goes on with them
    if await delete_some_of_messages(tx, [each.id for each in messages], limit=LOGS) == LOGS:
        return limit  # a message to a large group has thousands: the next chunk goes on with them
    if erasure.kind == OWN:
        await _erase_own(tx, erasure, [each.id for each in messages], now)
        return len(messages)
    await _delete_messages(tx, erasure, messages)
    left = limit - len(messages)
    if left == 0 or erasure.kind == HISTORY:
        return len(messages)
    if erasure.kind == SENDER:
        return len(messages) + await _delete_traces(tx, erasure, left)
    return len(messages) + await store.delete_rows_of_conversation(tx, erasure, limit=left)


async def _erase_own(
    tx: Transaction, erasure: Erasure, message_ids: Sequence[int], now: int
) -> None:
    """Turn messages into tombstones and announce it: other users could read them until now."""
    if message_ids:
        own = OwnMessages.decode(erasure.subject)
        await erase_messages(tx, message_ids)
        tx.announce(MessagesDeleted(list(message_ids), own.conversation, own.uid, now))


async def _delete_messages(
    tx: Transaction, erasure: Erasure, messages: Sequence[messages_store.Erasable]
) -> None:
    """Delete messages and their belongings, and update the last messages of a sender's groups."""
    ids = [each.id for each in messages]
    found = await messages_store.find_stored(tx, ids if erasure.kind == SENDER else ())
    await erase_belongings(tx, ids)
    if erasure.kind in (ENDED, HISTORY):
        await messages_store.delete_all_but_muids(tx, messages)
    else:
        await messages_store.delete_messages(tx, messages)
    await delete_search_entries(tx, ids)
    await replace_last_messages(tx, list(found.values()))


async def _delete_traces(tx: Transaction, erasure: Erasure, limit: int) -> int:
    """Delete up to `limit` rows that a user left besides messages; return their number."""
    uid, upto = erasure.subject, erasure.upto_event
    count = await erase_marks_of_user(tx, uid, upto=upto, limit=limit)
    if count < limit:
        count += await bodies_store.delete_of_user(tx, uid, upto=upto, limit=limit - count)
    if count < limit:
        upto = erasure.upto_message
        count += await delete_logs_of_user(tx, uid, upto=upto, limit=limit - count)
    if count == limit:
        return limit
    return count + await store.delete_traces_of_user(tx, erasure, limit=limit - count)


async def _next_messages(
    snapshot: Snapshot, erasure: Erasure, limit: int
) -> list[messages_store.Erasable]:
    upto = erasure.upto_message
    if erasure.kind == SENDER:
        return await messages_store.list_of_sender_to_groups(
            snapshot, erasure.subject, upto=upto, limit=limit
        )
    if erasure.kind == OWN:
        own = OwnMessages.decode(erasure.subject)
        return await messages_store.list_of_sender_in(
            snapshot, own.conversation, own.uid, upto=upto, limit=limit
        )
    return await messages_store.list_of_conversation(
        snapshot, int(erasure.subject), upto=upto, limit=limit
    )


async def _erase_traces(tx: Transaction, erasures: Sequence[Erasure], now: int, span: int) -> None:
    """Erase what is left in the log, and in what webhooks are to be sent, in the next span.

    Nothing says which events and bodies these are, so that it costs nothing to write them. They are
    searched from the newest to the oldest, for many erasures at once: those that have come equally
    far go on together. A span that is searched again is found as it was left.
    """
    upto = max(each.upto_event for each in erasures)
    after = max(upto - span, 0)
    searching = [each for each in erasures if each.upto_event > after]
    erased: dict[Shown, int] = {}
    for each in searching:
        shown = Shown.decode(each.subject)
        erased[shown] = max(each.upto_event, erased.get(shown, 0))
    uids = {each.id: last for each, last in erased.items() if each.field == "uid"}
    await redact_events(tx, after, upto, uids)
    await delete_that_show(tx, after, upto, erased)
    is_left = await has_events(tx, after) or await has_bodies(tx, after)
    for each in searching:
        await store.delete_erasure(tx, each)
        if is_left:
            await store.insert_erasure(tx, replace(each, upto_event=after), now)
