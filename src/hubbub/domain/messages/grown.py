"""The end of a message that grows, in the transaction that stores it."""

from collections.abc import Mapping
from typing import Any

import msgspec

from hubbub.domain.messages.compose import compose_grown, with_grown
from hubbub.domain.messages.mention import store_mentions
from hubbub.outbox import lock_counters
from hubbub.records.growing import store as growing_store
from hubbub.records.growing.events import MessageGrown
from hubbub.records.growing.model import FAILED, GrowingState
from hubbub.records.growing.store import decode_text
from hubbub.records.messages import store
from hubbub.records.messages.model import GIVEN_LATER, IS_GROWING, Message
from hubbub.storage.interface import Transaction

_decode = msgspec.json.Decoder(dict[str, Any]).decode


async def end_growth(
    tx: Transaction,
    message: Message,
    state: GrowingState,
    data: Mapping[str, Any],
    *,
    status: str,
    by: str,
    at: int,
) -> Message:
    """Store a message with its whole `data`, announce it, and return it.

    Raises:
        BadInput: the data is not valid.
    """
    await lock_counters(tx)
    draft = compose_grown(message, data)
    has_mentions = await store_mentions(tx, message, draft)
    after = msgspec.structs.replace(
        message,
        data=with_grown(draft.data, {"status": status, "appends": state.sequence}),
        traits=message.traits & GIVEN_LATER | draft.traits | has_mentions,
        updated_at=max(at, message.updated_at),
    )
    await store.store_grown(tx, after)
    await growing_store.delete_of_messages(tx, [message.id])
    tx.announce(
        MessageGrown(
            message=message.id,
            conversation=message.conversation,
            counts=bool(message.counts),
            status=status,
            appends=state.sequence,
            notifies=bool(state.notifies),
            by=by,
            at=at,
        )
    )
    return after


def data_with_text(message: Message, text: str) -> dict[str, Any]:
    """Return the data of a message that grows with a text."""
    data = _decode(message.data)
    data.pop("growing", None)
    return {**data, "text": text}


async def keep_text_of_deleted(tx: Transaction, message: Message) -> None:
    """Store what there is of the text of a message that was deleted while it grew.

    Appends that its node has not stored yet are lost. The event of the deletion tells of the end.
    """
    row = await growing_store.find_growing(tx, message.id)
    if row is None:
        return
    draft = compose_grown(message, data_with_text(message, decode_text(row.text)))
    after = msgspec.structs.replace(
        message,
        data=with_grown(draft.data, {"status": FAILED, "appends": row.sequence}),
        traits=message.traits & ~IS_GROWING | draft.traits,
    )
    await store.store_grown(tx, after)
    await growing_store.delete_of_messages(tx, [message.id])
