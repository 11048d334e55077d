"""Put off a message that is due and can't be sent yet."""

from dataclasses import replace

from hubbub.records.scheduled import store
from hubbub.records.scheduled.model import ScheduledMessage
from hubbub.storage.interface import Transaction


async def put_off(tx: Transaction, *, scheduled: ScheduledMessage, until: int) -> None:
    """Store that a message is due later, in milliseconds, if it is as it was read."""
    locked = (await store.lock_scheduled(tx, [scheduled.id])).get(scheduled.id)
    if locked is not None and locked.version == scheduled.version:
        await store.store_scheduled(tx, [replace(locked, due_at=until)])
