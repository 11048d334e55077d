"""Ask for an erasure, and carry it out in chunks that hold nobody up.

The first transaction ends all relations and records up to which message and event it reaches; the
chunks remove nothing newer, so an id may be taken again at once. A chunk that is done twice, after
a crash, removes nothing twice.
"""

from collections.abc import Sequence

import structlog

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
from hubbub.records.conversations import store as conversations_store
from hubbub.records.erasure import store
from hubbub.records.erasure.model import (
    CONVERSATION,
    ENDED,
    HISTORY,
    OWN,
    SENDER,
    Erasure,
    place_of_own,
)
from hubbub.records.messages import store as messages_store
from hubbub.records.messages.events import MessagesDeleted
from hubbub.records.notifications.store import delete_contact_details
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Snapshot, Transaction

log = structlog.get_logger()

CHUNK = 200
MOST_AT_ONCE = 50


async def request_user_erasure(tx: Transaction, clock: Clock, uid: str) -> None:
    """End the user's conversations now; his messages, and theirs, go in chunks."""
    reached = await lock_counters(tx)
    # What an import wrote last stands under the number of the event that comes next.
    erasure = Erasure(tx.app_id, SENDER, uid, reached.message, next_event_number(tx))
    await store.insert_erasures(tx, [erasure], clock.now())
    await store.insert_erasures_of_conversations(tx, erasure, clock.now())
    await conversations_store.end_user_conversations(tx, uid)
    await delete_contact_details(tx, uid)


async def request_conversation_erasure(
    tx: Transaction, number: int, now: int, kind: str = CONVERSATION
) -> None:
    """End a conversation now: nobody finds it; what was said in it, and by whom, goes in chunks."""
    reached = await lock_counters(tx)
    await conversations_store.delete_conversation(tx, number)
    erasure = Erasure(tx.app_id, kind, str(number), reached.message, reached.event)
    await store.insert_erasures(tx, [erasure], now)


async def request_history_erasure(tx: Transaction, number: int, now: int) -> None:
    """Let all messages of a conversation go that there are; it goes on."""
    reached = await lock_counters(tx)
    erasure = Erasure(tx.app_id, HISTORY, str(number), reached.message, reached.event)
    await store.insert_erasures(tx, [erasure], now)


async def request_own_erasure(tx: Transaction, number: int, uid: str, now: int) -> None:
    """Let the messages go that somebody has sent to a conversation; the others' stay."""
    reached = await lock_counters(tx)
    erasure = Erasure(tx.app_id, OWN, f"{number}:{uid}", reached.message, reached.event)
    await store.insert_erasures(tx, [erasure], now)


async def erase_all(runtime: Runtime) -> None:
    """Carry out all erasures that are asked for, chunk by chunk; the apps take turns."""
    failed: set[str] = set()
    while await erase_of_each_app(runtime, failed):
        pass


async def erase_of_each_app(runtime: Runtime, failed: set[str]) -> bool:
    """Erase a chunk of each app but those that have `failed`; whether any had something left."""
    app_id, is_any = "", False
    while erasures := await find_erasures(runtime, after=app_id):
        app_id = erasures[0].app_id
        if app_id not in failed:
            is_any = True
            if not await _erase_next(runtime, erasures):
                failed.add(app_id)
    return is_any


async def _erase_next(runtime: Runtime, erasures: Sequence[Erasure]) -> bool:
    """Erase a chunk of an app; what can't be erased for a defect of ours keeps no other waiting."""
    try:
        await erase_chunk(runtime, erasures)
    except Unavailable:
        raise
    except Exception as defect:
        log.error("erasure_failed", app=erasures[0].app_id, exc_info=defect)
        return False
    return True


async def find_erasures(runtime: Runtime, *, after: str = "") -> list[Erasure]:
    """Some of the erasures of the next app, after that one, that has any left."""
    return await runtime.database.read(
        INSTALLATION, lambda snapshot: store.list_erasures(snapshot, after, limit=MOST_AT_ONCE)
    )


async def erase_chunk(runtime: Runtime, erasures: Sequence[Erasure]) -> None:
    """Remove the next rows of an app's erasures, `CHUNK` in all, in one transaction."""

    async def within(tx: Transaction) -> None:
        if any(erasure.kind in (SENDER, OWN) for erasure in erasures):
            await lock_counters(tx)  # what others see last, and count, changes with it
        left = CHUNK
        for erasure in erasures:
            left -= await _erase(tx, erasure, left, runtime.clock.now())
            if left == 0:
                return
            await store.delete_erasure(tx, erasure)

    await runtime.database.write(erasures[0].app_id, within)


async def _erase(tx: Transaction, erasure: Erasure, limit: int, now: int) -> int:
    """Remove up to `limit` rows of an erasure; fewer than that: it is done."""
    messages = await _next_messages(tx, erasure, limit)
    if erasure.kind == OWN:
        await _erase_own(tx, erasure, [each.id for each in messages], now)
        return len(messages)
    await _delete_messages(tx, erasure, messages)
    left = limit - len(messages)
    if left == 0 or erasure.kind == HISTORY:
        return len(messages)
    if erasure.kind == SENDER:
        return limit - left + await _delete_traces(tx, erasure, left)
    number = int(erasure.subject)
    return limit - left + await store.delete_rows_of_conversation(tx, number, limit=left)


async def _erase_own(
    tx: Transaction, erasure: Erasure, message_ids: Sequence[int], now: int
) -> None:
    """Leave the tombstones of messages, and tell of it: until now the others found them."""
    if message_ids:
        number, uid = place_of_own(erasure)
        await erase_messages(tx, message_ids)
        tx.announce(MessagesDeleted(list(message_ids), number, uid, now))


async def _delete_messages(
    tx: Transaction, erasure: Erasure, messages: Sequence[messages_store.Erasable]
) -> None:
    """Remove messages and what hangs on them; groups go on without those of a sender."""
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
    """Remove up to `limit` rows that a user left besides messages; how many there were."""
    uid, upto = erasure.subject, erasure.upto_event
    count = await erase_marks_of_user(tx, uid, upto=upto, limit=limit)
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
        number, uid = place_of_own(erasure)
        return await messages_store.list_of_sender_in(snapshot, number, uid, upto=upto, limit=limit)
    return await messages_store.list_of_conversation(
        snapshot, int(erasure.subject), upto=upto, limit=limit
    )
