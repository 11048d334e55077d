"""Deletion of what deliveries were to send, when its content is erased."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Self

import msgspec

from hubbub.records.webhooks.model import ERASED
from hubbub.records.webhooks.queues import close_partitions, lock_queues
from hubbub.records.webhooks.store import SQL
from hubbub.storage.interface import Transaction

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_LAST_OF_GROUP = '{"trigger":"group_deleted",'


class Shown(NamedTuple):
    """A user or a group that bodies may show."""

    field: str
    """What ids of its kind are called: `uid` or `guid`."""
    id: str

    def encode(self) -> str:
        """Return the subject of the erasure of their traces, such as `uid:anna`."""
        return f"{self.field}:{self.id}"

    @classmethod
    def decode(cls, subject: str) -> Self:
        """Return what the subject of such an erasure says."""
        field, _, id_ = subject.partition(":")
        return cls(field, id_)

    def is_in(self, body: str) -> bool:
        """Return whether a body shows them; no text in it can look so: its quotes are escaped.

        A deleted group is shown by its deletion alone, which goes with its owner and its deleter.
        """
        fields = [self.field]
        if self.field == "uid" and body.startswith(_LAST_OF_GROUP):
            fields += ["owner", "updatedBy"]
        return any(f'"{field}":"{self.id}"' in body for field in fields)


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


async def delete_that_show(
    tx: Transaction, after: int, upto: int, erased: Mapping[Shown, int]
) -> None:
    """Do the same with the events from number `after` + 1 to `upto` that show someone erased.

    `erased` has the last event of each: later ones show another of the same id. The other bodies
    lose their reactions: whose these are, they don't say.
    """
    webhooks = await lock_queues(tx)
    rows = await tx.fetch(SQL.list_bodies, after=after, upto=upto)
    shown = {
        event
        for event, _, body in rows
        if any(event <= last and each.is_in(body) for each, last in erased.items())
    }
    await _drop(tx, webhooks, shown)
    changed = [
        {"event": event, "part": part, "body": _without_reactions(body)}
        for event, part, body in rows
        if event not in shown and has_reactions(body)
    ]
    await tx.run_many(SQL.replace_body, changed)


def has_reactions(body: str) -> bool:
    """Return whether a body shows reactions; they are without uids."""
    return '"reactions":[' in body


def _without_reactions(body: str) -> str:
    """Return a body without the reactions to its message, and to the one that it is about."""
    content = _decode(f"{body}}}")
    message = content["data"].get("message")
    while isinstance(message, dict):
        data = message.get("data", {})
        data.pop("reactions", None)
        message.get("quotedMessage", {}).get("data", {}).pop("reactions", None)
        message = data.get("entities", {}).get("on", {}).get("entity")
    return _encode(content).decode()[:-1]


async def has_bodies(tx: Transaction, upto: int) -> bool:
    """Return whether there are bodies of events up to a number."""
    return await tx.fetch_one(SQL.find_body_upto, upto=upto) is not None


async def _drop(tx: Transaction, webhooks: Sequence[int], events: Collection[int]) -> None:
    """Delete the bodies of events, and give up the deliveries that wait; the queues are locked.

    A delivery that is being made keeps its reason: it is not tried again.
    """
    if not events:
        return
    of_events = {"webhooks": list(webhooks), "events": list(events)}
    partitions: dict[int, set[int]] = {}
    for webhook, partition in await tx.fetch(SQL.list_partitions_of_events, **of_events):
        partitions.setdefault(webhook, set()).add(partition)
    await tx.run(SQL.drop_deliveries, reason=ERASED, **of_events)
    for webhook, left in partitions.items():
        await close_partitions(tx, webhook, left)
    await tx.run(SQL.delete_bodies_of_events, events=list(events))
