"""The app's log: each announced event is a row, written in the transaction of its facts.

Event rows and counters are a transaction's last statements. Rolled-back numbers come back, so the
numbers of the log are dense and rise in commit order.
"""

from typing import Any

import msgspec

from hubbub.outbox.numbers import SQL
from hubbub.storage.errors import NumbersNotTaken
from hubbub.storage.interface import Event, Numbers, Transaction

_encode = msgspec.json.Encoder().encode


async def write_announced(tx: Transaction) -> None:
    """Number what `tx` announced, write it, and store the advanced counters.

    Raises:
        NumbersNotTaken: it announced without them.
    """
    numbers = tx.numbers
    if numbers is None:
        if tx.announced:
            raise NumbersNotTaken
        return
    if tx.announced:
        rows = [_number(event, numbers) for event in tx.announced]
        await tx.run_many(SQL.insert_event, rows)
    await tx.run(
        SQL.store_numbers,
        message=numbers.message,
        event=numbers.event,
        conversation=numbers.conversation,
        sent_at=numbers.sent_at,
        users=numbers.users,
        groups=numbers.groups,
    )


def _number(event: Event, numbers: Numbers) -> dict[str, Any]:
    numbers.event += 1
    return {
        "number": numbers.event,
        "id": f"{numbers.epoch}-{numbers.event}",
        "name": event.event_name,
        "at": event.at,
        "body": _encode(event).decode(),
    }
