"""Events as they are read from an app's log, and the keys under which they are told."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hubbub.outbox.audience import EventPlaces
from hubbub.outbox.log import LogEntry, read_readable
from hubbub.outbox.old import find_start
from hubbub.outbox.reader import LogReader
from hubbub.outbox.registry import KINDS
from hubbub.realtime.feeds.recent import Recent, Told
from hubbub.realtime.feeds.told import find_unknown, keys_of
from hubbub.records.conversations.model import GROUP
from hubbub.records.conversations.store import find_by_numbers
from hubbub.records.messages.store import find_messages_and_tombstones
from hubbub.runtime import Runtime
from hubbub.storage.interface import Event, Snapshot

BATCH_SIZE = 200
MOST_REMEMBERED = 50_000
Pair = tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class FeedBatch:
    """Consecutive events, up to a number; those of unknown kinds are left out."""

    entries: Sequence[LogEntry]
    upto: int
    lost: Sequence[type[Event]] = ()
    """The kinds of those that can't be read."""
    about: Mapping[int, object] = field(default_factory=dict)
    """What events were announced with, by number, if this node committed them."""


class FeedSource:
    """The log of an app. Events that can't be read, or placed, are left out and noted once."""

    def __init__(self, runtime: Runtime, app_id: str, reader: LogReader) -> None:
        self._runtime = runtime
        self._app_id = app_id
        self._reader = reader
        self._places = PlaceFinder(runtime, app_id)

    async def read(self, after: int) -> FeedBatch:
        """Return events of the log after a number, without those that can't be read."""
        kinds = [kind.struct for kind in KINDS.values()]
        batch = await self._runtime.database.read(
            self._app_id,
            lambda snapshot: read_readable(snapshot, after, kinds, limit=BATCH_SIZE),
            is_short=True,
        )
        await self._reader.leave_out(self._app_id, batch.poison)
        lost = [KINDS[each.name].struct for each in batch.poison]
        return FeedBatch(batch.entries, batch.upto, lost)

    async def place(self, entries: Sequence[LogEntry]) -> list[Told]:
        """Return events with the keys under which they are told; some may be left out."""
        placed = await self._reader.isolate(self._app_id, entries, self._place)
        return list(placed.values())

    async def fill(self, recent: Recent, oldest: int) -> None:
        """Read the events after a number that were before those in memory, which they join."""
        at, older = oldest, list[Told]()
        while at < recent.after:
            batch = await self.read(at)
            if batch.upto == at:
                return
            older += await self.place(batch.entries)
            at = batch.upto
        start = max(oldest, await self._runtime.database.read(self._app_id, find_start))
        if at >= recent.after > start:
            numbers = range(start + 1, recent.after + 1)
            recent.prepend(start, [each for each in older if each.entry.number in numbers])

    async def _place(self, entries: Sequence[LogEntry]) -> dict[int, Told]:
        places = await self._places.find(each.event for each in entries)
        return {each.number: Told(each, keys_of(each.event, places)) for each in entries}


class PlaceFinder:
    """Finds places in one app, and remembers the users of conversations, who never change."""

    def __init__(self, runtime: Runtime, app_id: str) -> None:
        self._runtime = runtime
        self._app_id = app_id
        self._pairs: dict[int, Pair] = {}
        """None: a group's, or that of users who are gone."""

    async def find(self, events: Iterable[Event]) -> EventPlaces:
        """Return the places that the audience of events depends on."""
        unknowns = [find_unknown(event) for event in events]
        remembered = self._pairs  # others may replace it while this one reads
        conversations = {number for number, _ in unknowns if number}
        messages = {id_ for _, id_ in unknowns if id_}
        missing = conversations - remembered.keys()
        senders: Mapping[int, str] = {}
        if missing or messages:
            pairs, senders = await self._runtime.database.read(
                self._app_id,
                lambda snapshot: _read_places(snapshot, missing, messages),
                is_short=True,
            )
            remembered.update({number: pairs.get(number) for number in missing})
        known = {number: pair for number in conversations if (pair := remembered[number])}
        if len(self._pairs) > MOST_REMEMBERED:
            self._pairs = {}
        return EventPlaces(known, senders)


async def _read_places(
    snapshot: Snapshot, conversations: Iterable[int], messages: Iterable[int]
) -> tuple[dict[int, Pair], dict[int, str]]:
    found = await find_by_numbers(snapshot, conversations)
    rows = await find_messages_and_tombstones(snapshot, sorted(messages))
    pairs = {
        each.number: None if each.kind == GROUP else (each.left_id, each.right_id) for each in found
    }
    return pairs, {id_: message.sender for id_, message in rows.items()}
