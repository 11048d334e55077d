"""Records that a node caches between the transactions of an app, and knows to be current.

Every transaction locks the app's counter row first, and raises the `version` in it if it writes.
The row shows the next one whether another node has written since: then records that change all the
time are looked up again. If `changed`, the version that last changed any other cached record, is
newer, too, all records are.

A store declares what is cached as a `CachedKind`, and looks records up through it. The tables that
its query reads are known, so a statement that writes one of them drops the records, here and on all
nodes. No verb has to think of it.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import Query
from hubbub.storage.record_cache import RecordCache

Key = TypeVar("Key", bound=Hashable)
Record = TypeVar("Record")


class CachedKind(Generic[Key, Record]):
    """A kind of record that is looked up by key, and cached.

    With `caches_absence` it is also cached that a key has no record. A kind that is `volatile` is
    changed by most transactions: it is current only if no other node has written at all. A kind of
    presence is changed by connections, and stays current until they have, on another node.
    """

    def __init__(
        self,
        query: Query,
        *,
        caches_absence: bool = False,
        is_volatile: bool = False,
        is_presence: bool = False,
    ) -> None:
        self._table, *_ = query.reads
        self._caches_absence = caches_absence
        self.is_volatile = is_volatile
        self.is_presence = is_presence
        for table in query.reads:
            _kinds_of_table[table].append(self)

    def is_changed_by(self, query: Query) -> bool:
        """Return whether a statement on one of its tables may change what is cached.

        A new row of the table that is looked up in, the first one, is a record that was absent. A
        new row of a joined table may belong to a record that is cached.
        """
        is_new_record = query.is_insert and query.table == self._table
        return self._caches_absence or not is_new_record

    async def find(
        self,
        snapshot: Snapshot,
        keys: Iterable[Key],
        fetch: Callable[[Snapshot, list[Key]], Awaitable[Mapping[Key, Record]]],
    ) -> dict[Key, Record]:
        """Return records by key; `fetch` looks up those that are not cached."""
        cache = record_cache_of(snapshot)
        if cache is None:
            asked = list(dict.fromkeys(keys))
            return dict(await fetch(snapshot, asked)) if asked else {}
        known = cache.records[self]
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
            cache.put(self, dict.fromkeys(missing) if self._caches_absence else {}, fetched)
        return found

    def put(self, snapshot: Snapshot, key: Key, record: Record) -> None:
        """Cache a record that this transaction has stored, or looked up with others."""
        cache = record_cache_of(snapshot)
        if cache is not None:
            cache.put(self, {key: record})

    def put_presences(self, tx: Transaction, records: Mapping[Key, Record]) -> None:
        """Cache records of presence that this transaction stores; other nodes drop theirs."""
        assert tx.counters is not None, "lock_counters comes first"
        tx.counters.presence = tx.counters.version + 1
        for key, record in records.items():
            self.put(tx, key, record)


def record_cache_of(snapshot: Snapshot) -> RecordCache | None:
    """Return the cache that a transaction uses; None before it has locked the counters."""
    cache = snapshot.record_cache
    return cache if cache is not None and cache.app_id == snapshot.app_id else None


_UNKNOWN: Any = object()
_kinds_of_table: defaultdict[str, list[CachedKind[Any, Any]]] = defaultdict(list)


def kinds_changed_by(query: Query) -> Sequence[CachedKind[Any, Any]]:
    """Return the kinds whose records a statement may change while they are cached."""
    kinds = _kinds_of_table.get(query.table)
    if kinds is None or query.keeps:
        return ()
    return [kind for kind in kinds if kind.is_changed_by(query)]
