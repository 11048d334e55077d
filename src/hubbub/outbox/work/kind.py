"""What a kind of work supplies: how its rows are read, what is done with one, what is stored."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from hubbub.outbox.work.queue import Bounds, Due, Name, Queue
from hubbub.storage.interface import Snapshot, Transaction

Partition = TypeVar("Partition")
Item = TypeVar("Item")
Done = TypeVar("Done")
Stored = TypeVar("Stored", bound=Queue)


class Work(ABC, Generic[Partition, Item, Done, Stored]):
    """The work on one queue, while a run has its lease.

    Items of a partition are done in order, different partitions at once.
    """

    def width(self, runs: int) -> int:
        """Return how many partitions may be done at once, if the node has so many runs."""
        return 1

    @abstractmethod
    async def hurry(self, tx: Transaction, queue: Stored, now: int) -> Stored:
        """End the pauses that began before the clock was set back; return the queue."""

    @abstractmethod
    async def find_next_due(self, tx: Transaction, queue: Stored) -> int:
        """Return when something in the queue is due next; `NEVER` if nothing is."""

    @abstractmethod
    async def list_next(
        self, busy: Collection[Partition], free: int
    ) -> Mapping[Partition, Sequence[Item]] | None:
        """Return due items of up to `free` partitions not in `busy`; None if it is stopped."""

    @abstractmethod
    async def do(self, item: Item) -> Done:
        """Do what is due, and return what has come of it."""

    @abstractmethod
    async def after_defect(self, item: Item, defect: Exception) -> Done:
        """Log a defect that `do` has met, and return what follows for the item."""

    def may_follow(self, item: Item, done: Done) -> bool:
        """Return whether the next item of the partition may be done before this one is stored."""
        return True

    def is_enough(self, done: Sequence[Done]) -> bool:
        """Return whether no more should be stored in one transaction."""
        return False

    @abstractmethod
    async def settle(self, tx: Transaction, queue: Stored, done: Sequence[Done]) -> Stored:
        """Store what has come of items; return the queue, which is stored after it."""

    async def follow_up(self, before: Stored, after: Stored, done: Sequence[Done]) -> float | None:
        """Act on what was stored; return the seconds to pause, or None to end the run."""
        return 0.0


@dataclass(frozen=True, slots=True)
class WorkKind(Generic[Name, Stored]):
    """A kind of work, as a node does it for all apps: its table of queues, and its times."""

    name: str
    """What the log calls it."""
    list_due: Callable[[Snapshot, Bounds], Awaitable[Sequence[Due[Name]]]]
    lock: Callable[[Transaction, Name], Awaitable[Stored | None]]
    """Locks a queue until the commit and returns it; None if it is gone."""
    store: Callable[[Transaction, Stored], Awaitable[None]]
    open: Callable[[Due[Name]], Work[Any, Any, Any, Stored]]
    call_seconds: float
    """What a call may take: the end of a node waits for calls under way."""
    lease_seconds: float
    """How long a lease outlasts what was stored last, if its node has died."""
    longest_rest: float
    """While messages are being stored: the longest pause between rounds, in seconds."""
