"""Ask for an erasure, and carry it out in chunks that hold nobody up.

The first transaction ends all relations and records up to which message and event it reaches; the
chunks remove nothing newer, so an id may be taken again at once. A chunk that is done twice, after
a crash, removes nothing twice.
"""

from hubbub.domain.conversations import store as conversations_store
from hubbub.domain.erasure import store
from hubbub.domain.erasure.model import CONVERSATION, SENDER, Erasure
from hubbub.domain.messages import store as messages_store
from hubbub.domain.notifications.store import delete_contact_details
from hubbub.kernel.clock import Clock
from hubbub.outbox import take_numbers
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Snapshot, Transaction

CHUNK = 200


async def request_user_erasure(tx: Transaction, clock: Clock, uid: str) -> None:
    """End the user's conversations now; his messages, and theirs, go in chunks."""
    reached = await take_numbers(tx)
    numbers = await conversations_store.end_user_conversations(tx, uid)
    subjects = [(SENDER, uid), *((CONVERSATION, str(number)) for number in numbers)]
    erasures = [
        Erasure(tx.app_id, kind, subject, reached.message, reached.event)
        for kind, subject in subjects
    ]
    await store.insert_erasures(tx, erasures, clock.now())
    await delete_contact_details(tx, uid)


async def request_conversation_erasure(tx: Transaction, number: int, now: int) -> None:
    """End a conversation now: nobody finds it; what was said in it, and by whom, goes in chunks."""
    reached = await take_numbers(tx)
    await conversations_store.delete_conversation(tx, number)
    erasure = Erasure(tx.app_id, CONVERSATION, str(number), reached.message, reached.event)
    await store.insert_erasures(tx, [erasure], now)


async def erase_chunk(runtime: Runtime, erasure: Erasure) -> bool:
    """Remove the next rows of an erasure; True when it is done."""

    async def within(tx: Transaction) -> bool:
        rows = await _next_messages(tx, erasure)
        await messages_store.delete_messages(tx, rows)
        if len(rows) == CHUNK or await _erase_what_hangs_on(tx, erasure) == CHUNK:
            return False
        await store.delete_erasure(tx, erasure)
        return True

    return await runtime.database.write(erasure.app_id, within)


async def _next_messages(snapshot: Snapshot, erasure: Erasure) -> list[messages_store.Erasable]:
    upto = erasure.upto_message
    if erasure.kind == SENDER:
        return await messages_store.list_of_sender_to_groups(
            snapshot, erasure.subject, upto=upto, limit=CHUNK
        )
    return await messages_store.list_of_conversation(
        snapshot, int(erasure.subject), upto=upto, limit=CHUNK
    )


async def _erase_what_hangs_on(tx: Transaction, erasure: Erasure) -> int:
    """Remove rows that are no messages, of the first table that still has some; how many."""
    if erasure.kind == SENDER:
        return await store.delete_traces_of_user(tx, erasure, limit=CHUNK)
    return await store.delete_rows_of_conversation(tx, int(erasure.subject), limit=CHUNK)


async def erase_all(runtime: Runtime) -> None:
    """Carry out all erasures that are asked for, chunk by chunk."""
    while erasures := await _find_some(runtime):
        for erasure in erasures:
            while not await erase_chunk(runtime, erasure):
                pass


async def _find_some(runtime: Runtime) -> list[Erasure]:
    return await runtime.database.read(
        INSTALLATION, lambda snapshot: store.list_erasures(snapshot, limit=20)
    )
