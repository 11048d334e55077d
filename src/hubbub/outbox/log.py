"""The log of an app: one row per announced event, written in the transaction of its facts.

Event rows and counters are the last statements of a transaction. A rollback returns its numbers,
so the numbers of the log are dense and rise in commit order.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from hubbub.outbox.counters import SQL
from hubbub.outbox.registry import NAMES, decode
from hubbub.storage.errors import CountersNotLocked
from hubbub.storage.interface import Counters, Event, Snapshot, Transaction

_encode = msgspec.json.Encoder().encode


async def write_announced(tx: Transaction) -> None:
    """Number and insert the events that `tx` announced, and store the advanced counters.

    Raises:
        CountersNotLocked: `tx` announced events without locking the counters.
        KeyError: an announced struct is not registered.
    """
    counters = tx.counters
    if counters is None:
        if tx.announced:
            raise CountersNotLocked
        return
    if tx.announced:
        rows = [_row_of(event, counters) for event in tx.announced]
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


def _row_of(event: Event, counters: Counters) -> dict[str, Any]:
    counters.event += 1
    return {
        "number": counters.event,
        "id": f"{counters.epoch}-{counters.event}",
        "name": NAMES[type(event)],
        "at": event.at,
        "body": _encode(event).decode(),
    }


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An event with its number in the log and the id that it keeps for ever."""

    number: int
    id: str
    event: Event


@dataclass(frozen=True, slots=True)
class LogBatch:
    """Consecutive events of an app's log, from number `after` + 1 to `upto`."""

    app_id: str
    after: int
    upto: int
    entries: Sequence[LogEntry]
    """Ascending; only events of the kinds that were asked for."""


async def read_log(
    snapshot: Snapshot, after: int, kinds: Collection[type[Event]], *, limit: int
) -> LogBatch:
    """Read up to `limit` events after a number; keep and decode those of the given kinds.

    Events of other kinds are passed over undecoded, also those that only a newer version knows.
    """
    names = {NAMES[kind] for kind in kinds}
    rows = await snapshot.fetch(SQL.list_events, after=after, limit=limit)
    entries = [
        LogEntry(number, event_id, decode(name, body))
        for number, event_id, name, _, body in rows
        if name in names
    ]
    return LogBatch(snapshot.app_id, after, rows[-1][0] if rows else after, entries)
