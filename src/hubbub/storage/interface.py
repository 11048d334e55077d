"""The interface of the engines: databases, transactions, snapshots."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar

from hubbub.kernel.clock import ClockReading
from hubbub.storage.counters import Counters
from hubbub.storage.queries import Query, Rows
from hubbub.storage.record_cache import RecordCache
from hubbub.storage.together import Asked, Work

Row = Sequence[Any]
Result = TypeVar("Result")
Operation = Callable[["Transaction"], Awaitable[Result]]
Reading = Callable[["Snapshot"], Awaitable[Result]]

UnwrittenOfApp = Mapping[int, object]
"""What a node holds that is newer than what is stored, by id."""
Unwritten = Mapping[str, UnwrittenOfApp]
"""The same by app."""

INSTALLATION = ""
"""The app id for the tables of the installation itself, which belong to no app."""


class Event(Protocol):
    """An event that a transaction writes to the log; its fields are its JSON body."""

    @property
    def at(self) -> int:
        """Return the time of the event, in seconds."""
        ...


@dataclass(frozen=True, slots=True)
class Announced:
    """Events that a committed transaction added to the log of its app, with dense numbers."""

    app_id: str
    epoch: int
    last: int
    """The number of the last event."""
    events: Sequence[Event]
    about: Mapping[int, object] = field(default_factory=dict)
    """What events are about, as it is with them, by their place: it need not be read again."""


OnCommit = Callable[[Announced], None]
"""Is called on the event loop after each commit that has added to a log; must be quick."""


def ignore_commit(announced: Announced) -> None:
    """Do nothing: nobody wants to know of commits."""


EPOCH_BITS = 20
"""The low bits of an epoch, by which the apps of an installation differ; the others are a time."""


class Snapshot(Protocol):
    """A consistent view of the rows of one app; it binds `:app_id` in every query."""

    app_id: str
    record_cache: RecordCache | None
    """The cached records of the app; None in snapshots, and before the counters are locked."""
    unwritten: "UnwrittenOfApp | None"
    """What this node holds of the app that is not written yet; None in transactions that write."""

    async def fetch(self, query: Query, **args: Any) -> list[Row]:
        """Return all rows."""
        ...

    async def fetch_one(self, query: Query, **args: Any) -> Row | None:
        """Return the first row, or None."""
        ...

    async def fetch_many(self, query: Query, rows: Rows) -> list[Row]:
        """Run the query for each of `rows` in one round trip; return what they find, in order."""
        ...

    async def foresee(self, plan: Callable[[], Sequence[Asked]], *, is_all: bool = False) -> None:
        """Say what is going to be asked, so that an engine may find it at once.

        `plan` is called if it does. It changes no result: what is asked otherwise than foreseen is
        found then. Arguments may be `Of` an earlier query of the plan. With `is_all` nothing else
        is asked, as a rule; if it is, the reading begins again, so it has no other effects.
        """
        ...

    async def gather(self, *work: Work) -> list[Any]:
        """Run look-ups that do not depend on each other; return their results, in order.

        What they ask is asked at once where that is faster. If one raises, the others end.
        """
        ...

    @property
    def is_overdue(self) -> bool:
        """Return whether the time is over that `within` allows: end with what there is."""
        ...

    async def within(self, seconds: float, work: Callable[[], Awaitable[Result]]) -> Result | None:
        """Run a part of a reading; stop its statements, and return None, after so many seconds.

        The reading goes on on the same snapshot. A transaction that writes is never stopped.
        """
        ...

    async def give_way(self) -> None:
        """Give others a turn in the middle of long work on what was read.

        A thread need not: others have turns beside it.
        """
        ...


class Transaction(Snapshot, Protocol):
    """A snapshot that can also write; all its changes are committed, or none."""

    counters: Counters | None
    locked: Counters | None
    """The counters as they were when they were locked."""
    announced: list[Event]
    has_written: bool
    has_changed: bool
    """Whether it has changed records that nodes cache."""

    @property
    def others_wait(self) -> bool:
        """Return whether other apps may wait for the end of this transaction.

        A change that can be divided ends it then, and goes on in another one. PostgreSQL can't
        tell, so they may.
        """
        ...

    def lock(self, counters: Counters) -> None:
        """Go on with the counters of the app, whose row is locked now."""
        ...

    async def run(self, query: Query, **args: Any) -> int:
        """Run a statement; return the number of rows that it changed."""
        ...

    async def run_many(self, query: Query, rows: Rows) -> None:
        """Run a statement for each of `rows` in one round trip."""
        ...

    def announce(self, event: Event, about: object = None) -> None:
        """Write `event` to the log of the app at the end of this transaction.

        `about` is not stored. This node's listeners get it with the event.
        """
        ...


Finish = Callable[[Transaction], Awaitable[None]]
"""Ends every transaction: writes the announced events and the advanced counters."""


class Database(Protocol):
    """An engine: SQLite in this process, or PostgreSQL."""

    engine: ClassVar[str]

    @property
    def unwritten(self) -> Unwritten:
        """Return what this node holds that is newer than what is stored.

        Readings are given that of their app. It changes while they read, perhaps on another thread.
        """
        ...

    @property
    def is_shared(self) -> bool:
        """Return whether other nodes may use the same database."""
        ...

    @property
    def cuts_entries(self) -> bool:
        """Return whether the engine cuts the text of a search entry into terms itself."""
        ...

    async def write(
        self,
        app_id: str,
        operation: Operation[Result],
        *,
        is_optimistic: bool = False,
        is_derived: bool = False,
    ) -> Result:
        """Run `operation` in a transaction of `app_id`; return once the commit is on disk.

        An optimistic operation locks the counters first, reads, and ends with batches of writes. If
        nobody else has written in the app, PostgreSQL carries it out as one statement.

        A derived one stores only what can be made again from what was on disk before, such as
        entries of an index with the position up to which they were made, and no events. It does not
        wait for the disk: if the machine fails, it may be undone, with derived ones after it.

        Raises:
            Unavailable: nothing was done; the database can't be reached, or too much is waiting.
            OutcomeUnknown: the connection broke during the commit; it may have succeeded or not.
        """
        ...

    async def read(
        self,
        app_id: str,
        reading: Reading[Result],
        *,
        is_short: bool = False,
        user: str | None = None,
    ) -> Result:
        """Run `reading` on one snapshot of `app_id`; return its result.

        A short one reads few rows, by indexes. It may be run twice, so it has no other effects.
        Apps, and the users of an app who cause long ones, take turns. A reading ends when its
        caller is cancelled.

        Raises:
            Unavailable: the database can't be reached, or too much of the app is waiting.
        """
        ...

    async def point(self, app_id: str, query: Query, **args: Any) -> Row | None:
        """Return the row that a query marked `-- point` finds by a unique key, or None."""
        ...

    async def migrate(self) -> int:
        """Migrate the schema to the newest version that this code knows; return that version.

        Raises:
            SchemaTooNew: a newer Hubbub has migrated the database.
            StoreUnusable: the database can't be reached, or changed.
        """
        ...

    async def schema_version(self) -> int:
        """Return the version of the schema; 0 if the database is empty.

        Raises:
            StoreUnusable: the database can't be reached.
        """
        ...

    async def read_clock(self) -> ClockReading | None:
        """Return the time that all nodes share; None if there are no other nodes.

        Raises:
            Unavailable: the database can't be reached.
        """
        ...

    async def maintain(self) -> None:
        """Do the maintenance that the engine needs every few seconds while a node runs.

        Raises:
            Unavailable: the database can't be reached.
        """
        ...

    def forget_deleted(self) -> None:
        """Have the engine drop soon what it still has of rows that were deleted."""
        ...

    async def close(self) -> None:
        """Accept no more work, finish the accepted work, close the database."""
        ...


@dataclass(frozen=True, slots=True)
class Health:
    """The state of a store, in words for its operator."""

    description: str
    faults: Sequence[str] = ()
    """Reasons why data is lost, or can be."""
    doubts: Sequence[str] = ()


class Still(Protocol):
    """A store as it was at one moment, to be read for long; all readings see the same."""

    async def read(self, app_id: str, reading: Reading[Result]) -> Result:
        """Run `reading` on the rows of an app.

        Raises:
            StoreUnusable: the store can't be read any more.
        """
        ...


class Inspection(Protocol):
    """A store that is only read, also beside nodes that serve it."""

    async def schema_version(self) -> int:
        """Return the version of the schema; 0 if the store is empty.

        Raises:
            StoreUnusable: it can't be read.
        """
        ...

    async def read(self, app_id: str, reading: Reading[Result]) -> Result:
        """Run `reading` on one snapshot of an app."""
        ...

    async def check_health(self, seconds: float) -> Health:
        """Check the store, for at most about so many seconds."""
        ...

    async def read_clock(self) -> float | None:
        """Return the time of the store's own machine, in seconds; None if it has none."""
        ...

    async def close(self) -> None:
        """Close the store."""
        ...
