"""The log of an app: the announced events, written in the transaction of their facts.

Consecutive events of one kind, such as the messages of a batch, share a row.

A transaction that locks the app's counter row is the only writer of numbers in its app. Event rows
and counters are its last statements. A rollback returns its numbers, so ids and the numbers of the
log are dense and rise in commit order.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import msgspec

from hubbub.kernel.errors import NotAuthenticated
from hubbub.outbox.registry import NAMES, decode
from hubbub.storage.counters import Counters
from hubbub.storage.errors import CountersNotLocked
from hubbub.storage.interface import Event, Row, Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)
_encode = msgspec.json.Encoder().encode
_decode_several = msgspec.json.Decoder(list[msgspec.Raw]).decode

MOST_IN_ROW = 200
"""The events in one row of the log."""
BEYOND = 2**53
"""A number above those of all events and messages."""


async def lock_counters(tx: Transaction) -> Counters:
    """Lock the app's counter row until the commit, and return it.

    A write that takes ids or announces events calls this before any other query.

    Raises:
        NotAuthenticated: the app does not exist.
    """
    if tx.counters is None:
        row = await tx.fetch_one(SQL.lock_counters)
        if row is None:
            raise NotAuthenticated(f"There is no app {tx.app_id}.", code="AUTH_ERR_INVALID_APPID")
        tx.lock(Counters(*row))
    assert tx.counters is not None
    return tx.counters


async def insert_counters(tx: Transaction, epoch: int) -> None:
    """Store the counters of a new app, all zero, and lock them."""
    await tx.run(SQL.insert_counters, epoch=epoch)
    await lock_counters(tx)


def next_event_number(tx: Transaction) -> int:
    """Return the number of the next event that is announced; the counters are locked."""
    assert tx.counters is not None, "lock_counters comes first"
    return tx.counters.event + len(tx.announced) + 1


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
    if not (tx.has_written or tx.announced or counters != tx.locked):
        return
    await tx.run_many(SQL.insert_event, [_row_of(run, counters) for run in _runs(tx.announced)])
    counters.version += 1
    if tx.has_changed:
        counters.changed = counters.version
    await tx.run_many(SQL.store_counters, [counters])


def _runs(events: Sequence[Event]) -> Iterator[Sequence[Event]]:
    """Yield the events in runs of one kind, each for one row."""
    for _, run in groupby(events, type):
        kept = list(run)
        for at in range(0, len(kept), MOST_IN_ROW):
            yield kept[at : at + MOST_IN_ROW]


def _row_of(run: Sequence[Event], counters: Counters) -> dict[str, Any]:
    """Return the row of a run of events; its number and id are those of the last one."""
    counters.event += len(run)
    return {
        "number": counters.event,
        "id": f"{counters.epoch}-{counters.event}",
        "name": NAMES[type(run[0])],
        "at": run[-1].at,
        "body": _encode(run if len(run) > 1 else run[0]).decode(),
    }


class LogEntry(msgspec.Struct, frozen=True, gc=False):
    """An event with its number in the log, and the epoch of the log."""

    number: int
    epoch: str
    event: Event

    @property
    def id(self) -> str:
        """Return the id that the event keeps for ever."""
        return f"{self.epoch}-{self.number}"


@dataclass(frozen=True, slots=True)
class Poison:
    """An event that can't be processed; for a row that can't be taken apart, its last one."""

    number: int
    id: str
    name: str
    defect: Exception

    @classmethod
    def of(cls, entry: LogEntry, defect: Exception) -> "Poison":
        """Return an event that was decoded, as poison."""
        return cls(entry.number, entry.id, NAMES[type(entry.event)], defect)


@dataclass(frozen=True, slots=True)
class LogBatch:
    """Consecutive events of an app's log, from number `after` + 1 to `upto`."""

    app_id: str
    after: int
    upto: int
    entries: Sequence[LogEntry]
    """Ascending; only events of the kinds that were asked for."""
    poison: Sequence[Poison] = ()
    """Those of these kinds that can't be decoded."""
    about: Mapping[int, object] = field(default_factory=dict)
    """What further events are about, by their number, so that nothing of them has to be read."""


async def read_log(
    snapshot: Snapshot, after: int, kinds: Collection[type[Event]], *, limit: int
) -> LogBatch:
    """Read up to `limit` events after a number; keep and decode those of the given kinds.

    Events of other kinds are passed over undecoded, also those that only a newer version knows.
    Events that were deleted are passed over, too: see `find_start` in `outbox/old.py`.

    Raises:
        Exception: one of the events can't be decoded.
    """
    batch = await read_readable(snapshot, after, kinds, limit=limit)
    if batch.poison:
        raise batch.poison[0].defect
    return batch


async def read_readable(
    snapshot: Snapshot, after: int, kinds: Collection[type[Event]], *, limit: int
) -> LogBatch:
    """Read the same as `read_log`, and leave out what can't be decoded."""
    names = {NAMES[kind] for kind in kinds}
    # Numbers are dense, so the row with the last event wanted ends fewer than MOST_IN_ROW later.
    rows = await snapshot.fetch(
        SQL.list_events, after=after, upto=after + limit + MOST_IN_ROW - 1, limit=limit
    )
    begin = after
    if not rows and (later := await snapshot.fetch_one(SQL.find_next_event, after=after)):
        # Older events were deleted: what is kept of the log begins here, with all of this row.
        begin = later[0] - 1
        upto = begin + limit + MOST_IN_ROW - 1
        rows = await snapshot.fetch(SQL.list_events, after=begin, upto=upto, limit=limit)
    upto = min(rows[-1][0], begin + limit) if rows else after
    poison: list[Poison] = []
    entries = [
        entry
        for row in rows
        if row[2] in names
        for entry in _entries_of(row, poison)
        if after < entry.number <= upto
    ]
    failed = [each for each in poison if after < each.number <= upto]
    return LogBatch(snapshot.app_id, after, upto, entries, failed)


async def list_events_since(
    snapshot: Snapshot, after: int, kinds: Collection[type[Event]]
) -> list[Event]:
    """Return all events of some kinds after a number that was the newest a short time ago.

    What can't be decoded is left out.
    """
    names = [NAMES[kind] for kind in kinds]
    rows = await snapshot.fetch(SQL.list_events_named, after=after, upto=BEYOND, names=names)
    return [entry.event for row in rows for entry in _entries_of(row, poison=[])]


def _entries_of(row: Row, poison: list[Poison]) -> list[LogEntry]:
    """Return the events of a row; add those that can't be decoded to a list."""
    last, last_id, name, _, body = row
    epoch = last_id.partition("-")[0]
    try:
        events = decode(name, body)
    except Exception:  # noqa: BLE001  # each of them is looked at alone
        return _decode_each(row, epoch, poison)
    return [
        LogEntry(each, epoch, event) for each, event in enumerate(events, last - len(events) + 1)
    ]


def _decode_each(row: Row, epoch: str, poison: list[Poison]) -> list[LogEntry]:
    last, name, body = row[0], row[2], row[4]
    bodies = _split(body) or [body]
    entries: list[LogEntry] = []
    for number, each in enumerate(bodies, last - len(bodies) + 1):
        try:
            [event] = decode(name, each)
        except Exception as defect:  # noqa: BLE001  # its reader sets it aside
            poison.append(Poison(number, f"{epoch}-{number}", name, defect))
        else:
            entries.append(LogEntry(number, epoch, event))
    return entries


def _split(body: str) -> list[str]:
    """Return the events of a row, undecoded; none if the row can't be taken apart."""
    if not body.startswith("["):
        return [body]
    try:
        return [bytes(each).decode() for each in _decode_several(body)]
    except ValueError:
        return []


def find_first(last: int, body: str) -> int | None:
    """Return the number of the first event of a row; None if the row can't be taken apart."""
    events = len(_split(body))
    return last - events + 1 if events else None
