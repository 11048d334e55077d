"""Ask for an erasure, and carry it out in chunks that hold nobody up.

The first transaction ends all relations and records up to which message and event it reaches; the
chunks remove nothing newer, so an id may be taken again at once. A chunk that is done twice, after
a crash, removes nothing twice.
"""

from collections.abc import Collection
from dataclasses import dataclass

from hubbub.domain.conversations import store as conversations_store
from hubbub.domain.messages import store as messages_store
from hubbub.domain.notifications.store import delete_contact_details
from hubbub.kernel.clock import Clock
from hubbub.outbox import take_numbers
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)

SENDER, CONVERSATION = "sender", "conversation"
CHUNK = 200


@dataclass(frozen=True, slots=True)
class Erasure:
    """Work that is left: messages of a sender or a conversation, up to a message id."""

    app_id: str
    kind: str
    subject: str
    upto_message: int
    upto_event: int


async def request_user_erasure(tx: Transaction, clock: Clock, uid: str) -> None:
    """End the user's conversations now; his messages, and theirs, go in chunks."""
    reached = await take_numbers(tx)
    erasure = {
        "upto_message": reached.message,
        "upto_event": reached.event,
        "requested_at": clock.now(),
    }
    numbers = await conversations_store.end_user_conversations(tx, uid)
    subjects = [(SENDER, uid), *((CONVERSATION, str(number)) for number in numbers)]
    rows = [{**erasure, "kind": kind, "subject": subject} for kind, subject in subjects]
    await delete_contact_details(tx, uid)
    await tx.run_many(SQL.insert_erasure, rows)


async def find_erasures(runtime: Runtime, limit: int = 20) -> list[Erasure]:
    """Some of the work that is left."""

    async def within(snapshot: Snapshot) -> list[Erasure]:
        return [Erasure(*row) for row in await snapshot.fetch(SQL.list_erasures, limit=limit)]

    return await runtime.database.read(INSTALLATION, within)


async def find_erased_senders(snapshot: Snapshot, uids: Collection[str]) -> dict[str, int]:
    """Up to which message each former holder of those uids is being erased."""
    if not uids:
        return {}
    rows = await snapshot.fetch(SQL.find_erased_senders, uids=list(uids))
    return {row[0]: row[1] for row in rows}


async def erase_chunk(runtime: Runtime, erasure: Erasure) -> bool:
    """Remove the next messages of an erasure; True when it is done."""

    async def within(tx: Transaction) -> bool:
        rows = await _next_messages(tx, erasure)
        await messages_store.delete_messages(tx, rows)
        if len(rows) == CHUNK:
            return False
        await tx.run(
            SQL.delete_erasure,
            kind=erasure.kind,
            subject=erasure.subject,
            upto_event=erasure.upto_event,
        )
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


async def erase_all(runtime: Runtime) -> None:
    """Carry out all erasures that are asked for, chunk by chunk."""
    while erasures := await find_erasures(runtime):
        for erasure in erasures:
            while not await erase_chunk(runtime, erasure):
                pass
