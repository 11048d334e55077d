"""Deletion of what deliveries were to send, when its content is erased."""

from collections.abc import Collection, Sequence

from hubbub.records.webhooks.model import ERASED
from hubbub.records.webhooks.queues import close_lanes, lock_queues
from hubbub.records.webhooks.store import SQL
from hubbub.storage.interface import Transaction


async def delete_of_messages(tx: Transaction, messages: Sequence[int]) -> None:
    """Delete the bodies that hold these messages; deliveries that wait to send them are dropped.

    The queues are locked first: what is being planned is stored before that, or looks again.
    """
    webhooks = await lock_queues(tx)
    rows = await tx.fetch(SQL.list_bodies_of_messages, messages=list(messages))
    await _drop(tx, webhooks, {row[0] for row in rows})


async def delete_of_user(tx: Transaction, uid: str, *, upto: int, limit: int) -> int:
    """Do the same with up to `limit` events about a user, up to an event; return their number."""
    webhooks = await lock_queues(tx)
    rows = await tx.fetch(SQL.list_bodies_of_user, uid=uid, upto=upto, limit=limit)
    await _drop(tx, webhooks, {row[0] for row in rows})
    return len(rows)


async def _drop(tx: Transaction, webhooks: Sequence[int], events: Collection[int]) -> None:
    """Delete the bodies of events, and give up the deliveries that wait; the queues are locked.

    A delivery that is being made keeps its reason: it is not tried again.
    """
    if not events:
        return
    of_events = {"webhooks": list(webhooks), "events": list(events)}
    lanes: dict[int, set[int]] = {}
    for webhook, lane in await tx.fetch(SQL.list_lanes_of_events, **of_events):
        lanes.setdefault(webhook, set()).add(lane)
    await tx.run(SQL.drop_deliveries, reason=ERASED, **of_events)
    for webhook, left in lanes.items():
        await close_lanes(tx, webhook, left)
    await tx.run(SQL.delete_bodies_of_events, events=list(events))
