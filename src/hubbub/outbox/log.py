"""The app's log: each announced event is a row, written in the transaction of its facts.

Event rows and counters are a transaction's last statements. Rolled-back numbers come back, so the
numbers of the log are dense and rise in commit order.
"""

from typing import Any

import msgspec

from hubbub.outbox.counters import SQL
from hubbub.storage.errors import CountersNotLocked
from hubbub.storage.interface import Counters, Event, Transaction

_encode = msgspec.json.Encoder().encode


async def write_announced(tx: Transaction) -> None:
    """Number what `tx` announced, write it, and store the advanced counters.

    Raises:
        CountersNotLocked: it announced without them.
    """
    counters = tx.counters
    if counters is None:
        if tx.announced:
            raise CountersNotLocked
        return
    if tx.announced:
        rows = [_number(event, counters) for event in tx.announced]
        await tx.run_many(SQL.insert_event, rows)
    await tx.run(
        SQL.store_counters,
        message=counters.message,
        event=counters.event,
        conversation=counters.conversation,
        sent_at=counters.sent_at,
        users=counters.users,
        groups=counters.groups,
    )


def _number(event: Event, counters: Counters) -> dict[str, Any]:
    counters.event += 1
    return {
        "number": counters.event,
        "id": f"{counters.epoch}-{counters.event}",
        "name": event.event_name,
        "at": event.at,
        "body": _encode(event).decode(),
    }
