"""Events as they are read from an app's log, and the keys under which they are told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hubbub.outbox.log import LogEntry, read_readable
from hubbub.outbox.old import find_start
from hubbub.outbox.reader import Reader
from hubbub.outbox.registry import KINDS
from hubbub.realtime.feeds.audience import keys_of
from hubbub.realtime.feeds.places import PlaceFinder
from hubbub.realtime.feeds.recent import Recent, Told
from hubbub.runtime import Runtime
from hubbub.storage.interface import Event

BATCH_SIZE = 200


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive events, up to a number; those of unknown kinds are left out."""

    entries: Sequence[LogEntry]
    upto: int
    lost: Sequence[type[Event]] = ()
    """The kinds of those that can't be read."""
    about: Mapping[int, object] = field(default_factory=dict)
    """What events were announced with, by number, if this node committed them."""


class Source:
    """The log of an app. Events that can't be read, or placed, are left out and noted once."""

    def __init__(self, runtime: Runtime, app_id: str, reader: Reader) -> None:
        self._runtime = runtime
        self._app_id = app_id
        self._reader = reader
        self._places = PlaceFinder(runtime, app_id)

    async def read(self, after: int) -> Batch:
        """Return events of the log after a number, without those that can't be read."""
        kinds = [kind.struct for kind in KINDS.values()]
        batch = await self._runtime.database.read(
            self._app_id,
            lambda snapshot: read_readable(snapshot, after, kinds, limit=BATCH_SIZE),
            is_short=True,
        )
        await self._reader.leave_out(self._app_id, batch.poison)
        lost = [KINDS[each.name].struct for each in batch.poison]
        return Batch(batch.entries, batch.upto, lost)

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
