"""Remove messages that disappear a while after they were sent, or after everybody read them.

A send does nothing for it: a conversation is looked at again when its oldest message is due, or
after the whole time, before any message that comes meanwhile can be due.
"""

from collections.abc import Sequence
from dataclasses import replace

from hubbub.domain.retention.old import is_whole_on_hold
from hubbub.domain.retention.remove import remove_messages
from hubbub.domain.retention.times import find_cutoff
from hubbub.kernel.clock import NEVER
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox import lock_counters
from hubbub.records.conversations.model import GROUP, Conversation
from hubbub.records.conversations.store import find_by_numbers
from hubbub.records.retention import store
from hubbub.records.retention.model import (
    SENT,
    Ageing,
    Kept,
    ReadUpTo,
    RetentionQueue,
    RetentionRule,
    kept_by,
)
from hubbub.records.retention.store import LATEST
from hubbub.records.settings.model import settings_of
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

CHUNK = 50
"""The messages that one transaction removes."""
LOOKED_AT = 20
"""The conversations that one transaction looks at, up to one in which something is removed."""
LEAST_PAUSE_MS = 1000
MOST_STEP_SECONDS = 60
"""New conversations are looked for so often at least."""
HELD_SECONDS = 3600
"""A conversation on hold is looked at so often, and when a hold is lifted."""


async def remove_disappearing(
    runtime: Runtime, tx: Transaction, queue: RetentionQueue
) -> RetentionQueue:
    """Remove messages of conversations that are due, and store when they are due next."""
    settings = settings_of((await lock_counters(tx)).settings)
    now_ms = runtime.clock.milliseconds()
    for rule in await store.list_due_rules(tx, now_ms, limit=LOOKED_AT):
        kept = kept_by(settings, rule)
        conversations = await find_by_numbers(tx, [rule.conversation])
        count = 0
        if not kept.disappear_after or not conversations:
            due_at = NEVER
        elif await is_whole_on_hold(tx, conversations[0]):
            due_at = now_ms + 1000 * HELD_SECONDS
        else:
            due_at, count = await _remove_in(runtime, tx, conversations[0], rule, kept)
        await store.store_rule(tx, replace(rule, due_at=due_at))
        if count:
            break
    return queue


async def _remove_in(
    runtime: Runtime, tx: Transaction, conversation: Conversation, rule: RetentionRule, kept: Kept
) -> tuple[int, int]:
    """Remove what is due in a conversation.

    Returns when something may be due next, in milliseconds, and how much was removed.
    """
    find = _find_sent if kept.disappear_from == SENT else _find_read
    found, later = await find(runtime, tx, conversation, rule, kept)
    removed = await remove_messages(
        tx, conversation, found, now=runtime.clock.now(), keeps_muids=True
    )
    now_ms = runtime.clock.milliseconds()
    if removed is None:
        return now_ms, 1
    if len(found) == CHUNK:
        return now_ms, CHUNK
    since_ms = now_ms if later is None else 1000 * later
    # A clock that was set ahead says that it is due, before the time has passed.
    return max(now_ms + LEAST_PAUSE_MS, since_ms + 1000 * kept.disappear_after), len(found)


Found = tuple[list[Ageing], int | None]
"""Messages to remove, and when the next one was sent or read that is not yet due."""


async def _find_sent(
    runtime: Runtime, tx: Transaction, conversation: Conversation, rule: RetentionRule, kept: Kept
) -> Found:
    cutoff = find_cutoff(runtime, kept.disappear_after)
    everything = ReadUpTo("", LATEST)
    found = await store.list_disappearing(
        tx,
        conversation.number,
        everything,
        after=rule.since_id,
        limit=CHUNK + 1,
    )
    due = [each for each in found if each.sent_at <= cutoff][:CHUNK]
    later = [each.sent_at for each in found if each.sent_at > cutoff]
    return due, min(later, default=None)


async def _find_read(
    runtime: Runtime, tx: Transaction, conversation: Conversation, rule: RetentionRule, kept: Kept
) -> Found:
    cutoff = find_cutoff(runtime, kept.disappear_after)
    read, later = await _list_read(tx, conversation, rule.since_id, cutoff)
    found: dict[int, Ageing] = {}
    for each in read:
        if len(found) < CHUNK:
            some = await store.list_disappearing(
                tx, conversation.number, each, after=rule.since_id, limit=CHUNK - len(found)
            )
            found |= {message.id: message for message in some}
    return list(found.values()), later


async def _list_read(
    tx: Transaction, conversation: Conversation, after: int, by: int
) -> tuple[Sequence[ReadUpTo], int | None]:
    """Return what everybody had read by a time whom it was sent to, and when they did next."""
    if conversation.kind == GROUP:
        return await store.list_read_by_all(tx, conversation.number, after=after, by=by)
    one, other = conversation.left_id, conversation.right_id
    read, later = await store.list_read_by_people(
        tx, conversation.number, [one, other], after=after, by=by
    )
    upto_one, upto_other = read.get(one, 0), read.get(other, 0)
    both = min(upto_one, upto_other)
    sent = [ReadUpTo(one, upto_other), ReadUpTo(other, upto_one), ReadUpTo(SYSTEM_UID, both)]
    return [each for each in sent if each.upto], later
