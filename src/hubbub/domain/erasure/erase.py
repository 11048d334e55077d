"""Ask for an erasure, and carry it out in chunks that hold nobody up.

The first transaction ends all relations and records up to which message and event it reaches; the
chunks remove nothing newer, so an id may be taken again at once. A chunk that is done twice, after
a crash, removes nothing twice.
"""

from dataclasses import dataclass

import msgspec

from hubbub.kernel.clock import Clock
from hubbub.outbox import take_numbers
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)

SENDER, CONVERSATION = "sender", "conversation"
CHUNK = 200
_decode_tags = msgspec.json.Decoder(list[str]).decode


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
    numbers = await take_numbers(tx)
    erasure = {
        "upto_message": numbers.message,
        "upto_event": numbers.event,
        "requested_at": clock.now(),
    }
    rows = [{**erasure, "kind": SENDER, "subject": uid, "conversation": None}]
    for number, _ in await tx.fetch(SQL.list_conversations_of, uid=uid):
        rows.append(
            {**erasure, "kind": CONVERSATION, "subject": str(number), "conversation": number}
        )
        await tx.run(SQL.delete_conversation, number=number)
        await tx.run(SQL.delete_participants, number=number)
    await tx.run(SQL.delete_contact_details, uid=uid)
    await tx.run_many(SQL.insert_erasure, rows)


async def find_erasures(runtime: Runtime, limit: int = 20) -> list[Erasure]:
    """Some of the work that is left."""

    async def within(snapshot: Snapshot) -> list[Erasure]:
        return [Erasure(*row) for row in await snapshot.fetch(SQL.list_erasures, limit=limit)]

    return await runtime.database.read(INSTALLATION, within)


async def erase_chunk(runtime: Runtime, erasure: Erasure) -> bool:
    """Remove the next messages of an erasure; True when it is done."""
    query = (
        SQL.list_messages_of_sender if erasure.kind == SENDER else SQL.list_messages_of_conversation
    )

    async def within(tx: Transaction) -> bool:
        rows = await tx.fetch(
            query, subject=erasure.subject, upto=erasure.upto_message, limit=CHUNK
        )
        await tx.run(SQL.delete_messages, ids=[row[0] for row in rows])
        await tx.run_many(
            SQL.delete_message_tag,
            [
                {"tag": tag, "conversation": conversation, "id": id_}
                for id_, conversation, tags in rows
                for tag in _decode_tags(tags)
            ],
        )
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


async def erase_all(runtime: Runtime) -> None:
    """Carry out all erasures that are asked for, chunk by chunk."""
    while erasures := await find_erasures(runtime):
        for erasure in erasures:
            while not await erase_chunk(runtime, erasure):
                pass
