"""The record cache: records that the transactions of an app share on a node."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from hubbub.kernel.cache import fair_share
from hubbub.storage.counters import Counters

MOST_RECORDS = 200_000
"""The cached records of all apps together: some 100 MB."""
OF_CACHE = 4
"""What the cache of an app counts for by itself, in records."""


class RecordKind(Protocol):
    """A kind of record that is cached: `CachedKind` of `storage/cached.py`."""

    is_volatile: bool
    is_presence: bool


class Holder(Protocol):
    """A transaction, as far as the cache of its app is concerned."""

    record_cache: "RecordCache | None"
    counters: Counters | None
    locked: Counters | None


@dataclass(slots=True, eq=False)
class RecordCache:
    """The cached records of one app."""

    app_id: str
    counters: Counters | None = None
    """The counters as they were when the records were current."""
    is_held: bool = False
    """True while a transaction uses it whose outcome is not known yet."""
    is_contended: bool = False
    """Whether another node, or another transaction of this one, wrote between the last two."""
    records: defaultdict[RecordKind, dict[Any, Any]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    size: int = OF_CACHE
    """How many records are cached at most: some may have been replaced, or dropped, since."""
    counted: int = 0
    """The part of it that is in the sum over all apps."""

    def validate(self, counters: Counters) -> None:
        """Drop what may be outdated; `counters` are those that a transaction has locked."""
        known = self.counters
        self.is_contended = known is not None and known != counters
        if known == counters:
            return
        is_still_current = (
            known is not None
            and known.epoch == counters.epoch  # another, when the app's id was taken anew
            and counters.changed <= known.version < counters.version
        )
        if not is_still_current:
            self.records.clear()
        elif known is not None:
            self.forget_volatile(with_presence=counters.presence > known.version)

    def forget_volatile(self, *, with_presence: bool) -> None:
        """Drop the records that most transactions change, and those of presence."""
        for kind in self.records:
            if kind.is_volatile or (with_presence and kind.is_presence):
                self.records[kind] = {}

    def put(self, kind: RecordKind, *records: Mapping[Any, Any]) -> None:
        """Cache records of a kind by key."""
        for each in records:
            self.records[kind].update(each)
            self.size += len(each)

    def count(self) -> int:
        """Return how many records are cached."""
        self.size = OF_CACHE + sum(map(len, self.records.values()))
        return self.size


class RecordCaches:
    """The caches of all apps of a node; transactions of one engine share them.

    All together have a limited number of records. If there are more, apps that have more than their
    share lose theirs.
    """

    def __init__(self, most_records: int = MOST_RECORDS) -> None:
        self._most_records = most_records
        self._of_app: dict[str, RecordCache] = {}
        self._size = 0

    def open(self, app_id: str, counters: Counters) -> RecordCache | None:
        """Return the cache for a transaction that has locked the counters.

        None while another transaction of this node has it. Then nothing is cached.
        """
        cache = self._of_app.get(app_id)
        if cache is None:
            cache = self._of_app[app_id] = RecordCache(app_id)
        if cache.is_held:
            return None
        cache.validate(counters)
        cache.is_held = True
        return cache

    def open_optimistic(self, app_id: str) -> RecordCache | None:
        """Return the cache for a transaction that begins with it; None if it can't."""
        cache = self._of_app.get(app_id)
        if cache is None or cache.counters is None or cache.is_held or cache.is_contended:
            return None
        cache.is_held = True
        return cache

    def close(self, tx: Holder) -> None:
        """Release the cache of a transaction that has been committed."""
        cache = tx.record_cache
        if cache is not None and tx.counters is not None:
            cache.counters = replace(tx.counters)
            cache.is_held = False
            if self._of_app.get(cache.app_id) is cache:
                self._size += cache.size - cache.counted
                cache.counted = cache.size
                if self._size > self._most_records:
                    self._make_room()

    def _make_room(self) -> None:
        """Count what is cached; if it is too much, drop the largest caches: a fourth of all."""
        self._count()
        most = self._most_records * 3 // 4
        if self._size <= most:
            return
        share = fair_share((each.size for each in self._of_app.values()), most)
        for app_id, cache in list(self._of_app.items()):
            if cache.size > share:  # one that is held goes when its transaction ends
                del self._of_app[app_id]
        self._count()

    def _count(self) -> None:
        for cache in self._of_app.values():
            cache.counted = cache.count()
        self._size = sum(each.counted for each in self._of_app.values())

    def forget_volatile(self, tx: Holder) -> None:
        """Release the cache of a transaction that found it outdated, or stored nothing."""
        cache = tx.record_cache
        if cache is not None and tx.counters is not None and tx.locked is not None:
            has_put_presences = tx.counters.presence != tx.locked.presence
            cache.forget_volatile(with_presence=has_put_presences)
            cache.is_held = False

    def drop(self, tx: Holder) -> None:
        """Drop the cache of a transaction that has been rolled back, or may have been."""
        cache = tx.record_cache
        if cache is not None and self._of_app.get(cache.app_id) is cache:
            del self._of_app[cache.app_id]
            self._size -= cache.counted

    def drop_all(self) -> None:
        """Drop all caches."""
        self._of_app.clear()
        self._size = 0
