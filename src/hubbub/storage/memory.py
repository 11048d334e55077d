"""What a node keeps of the records of each app, between transactions that all share it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from hubbub.kernel.shares import fair_share
from hubbub.storage.counters import Counters

MOST_KEPT = 200_000
"""The records that a node keeps, of all apps together: some 100 MB."""
OF_MEMORY = 4
"""What the memory of an app counts for by itself, in records."""


class MemoryKind(Protocol):
    """A kind of record that is kept: `Kept` of `storage/kept.py`."""

    is_volatile: bool
    is_presence: bool


class Holder(Protocol):
    """A transaction, as far as the memory of its app is concerned."""

    memory: "Memory | None"
    counters: Counters | None
    locked: Counters | None


@dataclass(slots=True, eq=False)
class Memory:
    """The kept records of one app."""

    app_id: str
    counters: Counters | None = None
    """The counters as they were when the records were current."""
    is_held: bool = False
    """True while a transaction uses it whose outcome is not known yet."""
    is_contended: bool = False
    """Whether another node, or another transaction of this one, wrote between the last two."""
    records: defaultdict[MemoryKind, dict[Any, Any]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    size: int = OF_MEMORY
    """How many records are kept at most: some may have been replaced, or dropped, since."""
    counted: int = 0
    """The part of it that is in the sum over all apps."""

    def validate(self, counters: Counters) -> None:
        """Drop what may be outdated; `counters` are those that a transaction has locked."""
        known = self.counters
        self.is_contended = known is not None and known != counters
        if known == counters:
            return
        is_kept_on = (
            known is not None
            and known.epoch == counters.epoch  # another, when the app's id was taken anew
            and counters.changed <= known.version < counters.version
        )
        if not is_kept_on:
            self.records.clear()
        elif known is not None:
            self.forget_volatile(with_presence=counters.presence > known.version)

    def forget_volatile(self, *, with_presence: bool) -> None:
        """Drop the records that most transactions change, and those of presence."""
        for kind in self.records:
            if kind.is_volatile or (with_presence and kind.is_presence):
                self.records[kind] = {}

    def keep(self, kind: MemoryKind, *records: Mapping[Any, Any]) -> None:
        """Keep records of a kind by key."""
        for each in records:
            self.records[kind].update(each)
            self.size += len(each)

    def count(self) -> int:
        """Return how many records are kept."""
        self.size = OF_MEMORY + sum(map(len, self.records.values()))
        return self.size


class Memories:
    """The memories of all apps of a node; transactions of one engine share them.

    All together keep a limited number of records. If there are more, apps that keep more than their
    share forget theirs.
    """

    def __init__(self, most_kept: int = MOST_KEPT) -> None:
        self._most_kept = most_kept
        self._of_app: dict[str, Memory] = {}
        self._kept = 0

    def open(self, app_id: str, counters: Counters) -> Memory | None:
        """Return the memory for a transaction that has locked the counters.

        None while another transaction of this node has it. Then nothing is kept.
        """
        memory = self._of_app.get(app_id)
        if memory is None:
            memory = self._of_app[app_id] = Memory(app_id)
        if memory.is_held:
            return None
        memory.validate(counters)
        memory.is_held = True
        return memory

    def open_optimistic(self, app_id: str) -> Memory | None:
        """Return the memory for a transaction that begins with what is kept; None if it can't."""
        memory = self._of_app.get(app_id)
        if memory is None or memory.counters is None or memory.is_held or memory.is_contended:
            return None
        memory.is_held = True
        return memory

    def close(self, tx: Holder) -> None:
        """Release the memory of a transaction that has been committed."""
        memory = tx.memory
        if memory is not None and tx.counters is not None:
            memory.counters = replace(tx.counters)
            memory.is_held = False
            if self._of_app.get(memory.app_id) is memory:
                self._kept += memory.size - memory.counted
                memory.counted = memory.size
                if self._kept > self._most_kept:
                    self._make_room()

    def _make_room(self) -> None:
        """Count what is kept; if it is too much, have those forget who keep most: a fourth."""
        self._count()
        if self._kept <= self._most_kept * 3 // 4:
            return
        share = fair_share((each.size for each in self._of_app.values()), self._most_kept * 3 // 4)
        for app_id, memory in list(self._of_app.items()):
            if memory.size > share:  # one that is held is forgotten when its transaction ends
                del self._of_app[app_id]
        self._count()

    def _count(self) -> None:
        for memory in self._of_app.values():
            memory.counted = memory.count()
        self._kept = sum(each.counted for each in self._of_app.values())

    def forget_volatile(self, tx: Holder) -> None:
        """Release the memory of a transaction that found it outdated, or stored nothing."""
        if tx.memory is not None and tx.counters is not None and tx.locked is not None:
            has_put_presences = tx.counters.presence != tx.locked.presence
            tx.memory.forget_volatile(with_presence=has_put_presences)
            tx.memory.is_held = False

    def drop(self, tx: Holder) -> None:
        """Forget the memory of a transaction that has been rolled back, or may have been."""
        if tx.memory is not None and self._of_app.get(tx.memory.app_id) is tx.memory:
            del self._of_app[tx.memory.app_id]
            self._kept -= tx.memory.counted

    def drop_all(self) -> None:
        """Forget everything."""
        self._of_app.clear()
        self._kept = 0
