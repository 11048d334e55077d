"""Records that a node keeps in memory between the transactions of an app, and knows to be current.

Every transaction locks the app's counter row first, and raises the `version` in it if it writes.
The row shows the next one whether another node has written since: then records that change all the
time are looked up again. If `changed`, the version that last changed any other kept record, is
newer, too, all records are.

A store declares what is kept as a `Kept`, and looks records up through it. The tables that its
query reads are known, so a statement that writes one of them drops the records, in memory and on
all nodes. No verb has to think of it.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from hubbub.kernel.shares import fair_share
from hubbub.storage.interface import Counters, Snapshot, Transaction
from hubbub.storage.queries import Query

Key = TypeVar("Key", bound=Hashable)
Record = TypeVar("Record")

MOST_KEPT = 200_000
"""The records that a node keeps, of all apps together: some 100 MB."""
OF_MEMORY = 4
"""What the memory of an app counts for by itself, in records."""


class Kept(Generic[Key, Record]):
    """A kind of record that is looked up by key, and kept.

    With `keeps_absence` it is also kept that there is no record of a key. A kind that is `volatile`
    is changed by most transactions: it is current only if no other node has written at all. A kind
    of presence is changed by connections, and stays current until they have, on another node.
    """

    def __init__(
        self,
        query: Query,
        *,
        keeps_absence: bool = False,
        is_volatile: bool = False,
        is_presence: bool = False,
    ) -> None:
        self._table, *_ = query.reads
        self._keeps_absence = keeps_absence
        self.is_volatile = is_volatile
        self.is_presence = is_presence
        for table in query.reads:
            _kinds_of_table[table].append(self)

    def is_changed_by(self, query: Query) -> bool:
        """Return whether a statement on one of its tables may change what is kept.

        A new row of the table that is looked up in, the first one, is a record that was absent. A
        new row of a joined table may belong to a record that is kept.
        """
        is_new_record = query.is_insert and query.table == self._table
        return self._keeps_absence or not is_new_record

    async def find(
        self,
        snapshot: Snapshot,
        keys: Iterable[Key],
        fetch: Callable[[Snapshot, list[Key]], Awaitable[Mapping[Key, Record]]],
    ) -> dict[Key, Record]:
        """Return records by key; `fetch` looks up those that are not kept."""
        memory = memory_of(snapshot)
        if memory is None:
            asked = list(dict.fromkeys(keys))
            return dict(await fetch(snapshot, asked)) if asked else {}
        known = memory.records[self]
        found: dict[Key, Record] = {}
        missing: list[Key] = []
        for key in dict.fromkeys(keys):
            record = known.get(key, _UNKNOWN)
            if record is _UNKNOWN:
                missing.append(key)
            elif record is not None:
                found[key] = record
        if missing:
            fetched = await fetch(snapshot, missing)
            found.update(fetched)
            memory.keep(self, dict.fromkeys(missing) if self._keeps_absence else {}, fetched)
        return found

    def put(self, snapshot: Snapshot, key: Key, record: Record) -> None:
        """Keep a record that this transaction has stored, or looked up with others."""
        memory = memory_of(snapshot)
        if memory is not None:
            memory.keep(self, {key: record})

    def put_presences(self, tx: Transaction, records: Mapping[Key, Record]) -> None:
        """Keep records of presence that this transaction stores; other nodes drop theirs."""
        assert tx.counters is not None, "lock_counters comes first"
        tx.counters.presence = tx.counters.version + 1
        for key, record in records.items():
            self.put(tx, key, record)


def memory_of(snapshot: Snapshot) -> "Memory | None":
    """Return the memory that a transaction uses; None before it has locked the counters."""
    memory = snapshot.memory
    return memory if memory is not None and memory.app_id == snapshot.app_id else None


_UNKNOWN: Any = object()
_kinds_of_table: defaultdict[str, list[Kept[Any, Any]]] = defaultdict(list)


def kinds_changed_by(query: Query) -> Sequence[Kept[Any, Any]]:
    """Return the kinds whose records a statement may change while they are kept."""
    kinds = _kinds_of_table.get(query.table)
    if kinds is None or query.keeps:
        return ()
    return [kind for kind in kinds if kind.is_changed_by(query)]


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
    records: defaultdict[Kept[Any, Any], dict[Any, Any]] = field(
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

    def keep(self, kind: Kept[Any, Any], *records: Mapping[Any, Any]) -> None:
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

    def close(self, tx: Transaction) -> None:
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

    def forget_volatile(self, tx: Transaction) -> None:
        """Release the memory of a transaction that found it outdated, or stored nothing."""
        if tx.memory is not None and tx.counters is not None and tx.locked is not None:
            has_put_presences = tx.counters.presence != tx.locked.presence
            tx.memory.forget_volatile(with_presence=has_put_presences)
            tx.memory.is_held = False

    def drop(self, tx: Transaction) -> None:
        """Forget the memory of a transaction that has been rolled back, or may have been."""
        if tx.memory is not None and self._of_app.get(tx.memory.app_id) is tx.memory:
            del self._of_app[tx.memory.app_id]
            self._kept -= tx.memory.counted

    def drop_all(self) -> None:
        """Forget everything."""
        self._of_app.clear()
        self._kept = 0
