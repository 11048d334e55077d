"""The base of the transactions of both engines: counters, announced events, cached records."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from hubbub.storage.cached import kinds_changed_by
from hubbub.storage.counters import Counters
from hubbub.storage.errors import CountersNotLocked
from hubbub.storage.interface import Announced, Event, UnwrittenOfApp
from hubbub.storage.queries import Query
from hubbub.storage.record_cache import RecordCache, RecordCaches
from hubbub.storage.together import Asked, Work

Result = TypeVar("Result")


class BaseTransaction:
    """What the transactions of both engines have in common: all but the statements."""

    __slots__ = (
        "_about",
        "_caches",
        "announced",
        "app_id",
        "counters",
        "has_changed",
        "has_written",
        "locked",
        "record_cache",
        "unwritten",
    )

    def __init__(self, app_id: str, caches: RecordCaches | None = None) -> None:
        self.app_id = app_id
        self.counters: Counters | None = None
        self.locked: Counters | None = None
        self.announced: list[Event] = []
        self._about: dict[int, object] = {}
        self.record_cache: RecordCache | None = None
        self.unwritten: UnwrittenOfApp | None = None
        self.has_written = False
        self.has_changed = False
        self._caches = caches

    async def foresee(self, plan: Callable[[], Sequence[Asked]], *, is_all: bool = False) -> None:
        """Do nothing: what is asked is found when it is asked."""

    async def gather(self, *work: Work) -> list[Any]:
        try:
            return [await each for each in work]
        finally:
            for each in work:  # those after one that raises
                each.close()

    @property
    def is_overdue(self) -> bool:
        return False

    @property
    def others_wait(self) -> bool:
        return True

    async def within(self, seconds: float, work: Callable[[], Awaitable[Result]]) -> Result | None:
        return await work()

    async def give_way(self) -> None:
        """Do nothing: this runs on a thread, or is a transaction, which has no long work."""

    def announce(self, event: Event, about: object = None) -> None:
        if about is not None:
            self._about[len(self.announced)] = about
        self.announced.append(event)

    def lock(self, counters: Counters) -> None:
        """Go on with the counters, which are locked now, and with the cache of the app."""
        self.counters, self.locked = counters, replace(counters)
        if self._caches is not None:
            self.record_cache = self._caches.open(self.app_id, counters)

    def begin_optimistic(self) -> bool:
        """Begin with the counters and records that are cached; return whether there are any.

        They may be outdated: the transaction must check the counters when it stores.
        """
        assert self._caches is not None
        self.record_cache = self._caches.open_optimistic(self.app_id)
        if self.record_cache is None or self.record_cache.counters is None:
            return False
        self.counters = replace(self.record_cache.counters)
        self.locked = self.record_cache.counters
        return True

    def list_announced(self) -> Announced | None:
        """Return what was added to the log at the end of this transaction; None for nothing."""
        if not self.announced or self.counters is None:
            return None
        counters = self.counters
        return Announced(self.app_id, counters.epoch, counters.event, self.announced, self._about)

    def note_write(self, query: Query) -> None:
        """Drop the cached records that a statement is about to change.

        Raises:
            CountersNotLocked: others would not notice the change.
        """
        self.has_written = True
        for kind in kinds_changed_by(query):
            if self.counters is None:
                raise CountersNotLocked
            self.has_changed |= not kind.is_volatile
            if self.record_cache is not None:
                self.record_cache.records.pop(kind, None)
