"""Remove old messages: a run goes through the conversations of an app, part by part."""

from dataclasses import replace

from hubbub.domain.retention.remove import delete_muids, remove_messages
from hubbub.domain.retention.times import find_cutoff
from hubbub.kernel.clock import NEVER
from hubbub.outbox import lock_counters
from hubbub.records.conversations.model import GROUP, USER, Conversation
from hubbub.records.conversations.store import find_by_numbers
from hubbub.records.messages.model import IS_GROWING
from hubbub.records.retention import store
from hubbub.records.retention.model import (
    DAY_SECONDS,
    MUIDS,
    RetentionQueue,
    RetentionRun,
    kept_by,
)
from hubbub.records.settings.model import RETENTION_DAYS, AppSettings, settings_of
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

CHUNK = 100
"""The messages that one transaction removes; all other writes of the app wait for it."""
PER_CONVERSATION = 10
"""A conversation in which something is removed takes as long as so many further messages."""
LOOKED_AT = 200
"""The conversations that one transaction looks at without finding one with old messages."""
RUN_SECONDS = 3600
"""So long after the beginning of a run the next one begins."""
KEPT_RUNS = 100


async def begin_run(runtime: Runtime, tx: Transaction, queue: RetentionQueue) -> RetentionQueue:
    """Begin a run, unless all messages are kept for ever."""
    settings = settings_of((await lock_counters(tx)).settings)
    if not settings.limit(RETENTION_DAYS) and not await store.has_days(tx):
        return replace(queue, next_run_at=NEVER)
    began_at = runtime.clock.milliseconds()
    return replace(
        queue, began_at=began_at, at_conversation=MUIDS, at_sent_at=0, at_id=0, messages=0, files=0
    )


async def remove_old(runtime: Runtime, tx: Transaction, queue: RetentionQueue) -> RetentionQueue:
    """Remove the next old messages of the run; at its end store what it has removed."""
    settings = settings_of((await lock_counters(tx)).settings)
    if await store.is_held(tx):
        return await _end_run(runtime, tx, queue)
    days = settings.limit(RETENTION_DAYS)
    if queue.at_conversation == MUIDS:
        return await _remove_muids(runtime, tx, queue, days)
    left = CHUNK
    if queue.at_id:
        queue, left = await _remove_in(runtime, tx, queue, settings, left)
        if left <= 0:
            return queue
    found = await store.list_aged(
        tx, queue.at_conversation, limit=LOOKED_AT, only_with_days=not days
    )
    for each in found:
        own = days if each.days is None else each.days
        cutoff = find_cutoff(runtime, own * DAY_SECONDS)
        queue = _at(queue, each.conversation)
        if own and each.oldest is not None and each.oldest < cutoff:
            queue, left = await _remove_in(runtime, tx, queue, settings, left - PER_CONVERSATION)
            if left <= 0:
                return queue
    if len(found) < LOOKED_AT:
        return await _end_run(runtime, tx, queue)
    return _at(queue, found[-1].conversation + 1)


async def _remove_in(
    runtime: Runtime, tx: Transaction, queue: RetentionQueue, settings: AppSettings, left: int
) -> tuple[RetentionQueue, int]:
    """Remove the next old messages of the conversation at which the run is.

    Returns how far it is then, and how many more may be removed.
    """
    number, limit = queue.at_conversation, max(1, left)
    conversations = await find_by_numbers(tx, [number])
    if not conversations or await is_whole_on_hold(tx, conversations[0]):
        return _at(queue, number + 1), left
    days = kept_by(settings, await store.find_rule(tx, number)).days
    before = find_cutoff(runtime, days * DAY_SECONDS) if days else 0
    after = (queue.at_sent_at, queue.at_id)
    found = await store.list_ageing(tx, number, after, before=before, limit=limit)
    going = [each for each in found if not each.is_held and not each.traits & IS_GROWING]
    removed = await remove_messages(
        tx, conversations[0], going, now=runtime.clock.now(), keeps_muids=False
    )
    if removed is None:
        return queue, 0
    queue = replace(
        queue, messages=queue.messages + removed.messages, files=queue.files + removed.files
    )
    if len(found) < limit:
        return _at(queue, number + 1), left - len(found)
    return replace(queue, at_sent_at=found[-1].sent_at, at_id=found[-1].id), 0


async def is_whole_on_hold(tx: Transaction, conversation: Conversation) -> bool:
    """Return whether nothing of a conversation may be removed.

    On hold is the app, the group, or one of the two users. Of other members of a group, only what
    they sent is kept.
    """
    guid = conversation.left_id if conversation.kind == GROUP else ""
    uids = (conversation.left_id, conversation.right_id) if conversation.kind == USER else ()
    return await store.is_held(tx, guid=guid, uids=uids)


async def _remove_muids(
    runtime: Runtime, tx: Transaction, queue: RetentionQueue, days: int
) -> RetentionQueue:
    """Free the old muids of messages that are gone: nobody repeats a send after so long."""
    before = find_cutoff(runtime, days * DAY_SECONDS) if days else 0
    found = await store.list_ageing(tx, MUIDS, (0, 0), before=before, limit=CHUNK)
    await delete_muids(tx, found)
    return queue if len(found) == CHUNK else _at(queue, MUIDS + 1)


def _at(queue: RetentionQueue, conversation: int) -> RetentionQueue:
    return replace(queue, at_conversation=conversation, at_sent_at=0, at_id=0)


async def _end_run(runtime: Runtime, tx: Transaction, queue: RetentionQueue) -> RetentionQueue:
    if queue.messages:
        now = runtime.clock.milliseconds()
        run = RetentionRun(queue.began_at, max(now, queue.began_at), queue.messages, queue.files)
        await store.insert_run(tx, run, kept=KEPT_RUNS)
    next_run_at = queue.began_at + 1000 * RUN_SECONDS
    return replace(queue, began_at=0, next_run_at=next_run_at)
