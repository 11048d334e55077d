"""The narrow seam between the product and an engine: databases, transactions, queries."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar

from hubbub.storage.queries import Query, Rows

Row = Sequence[Any]
Result = TypeVar("Result")
Operation = Callable[["Transaction"], Awaitable[Result]]
Reading = Callable[["Snapshot"], Awaitable[Result]]

INSTALLATION = ""
"""The app id of work on the installation's own tables, which belong to no app."""


class Event(Protocol):
    """A fact that a transaction announces; its fields are its JSON body."""

    event_name: ClassVar[str]

    @property
    def at(self) -> int:
        """When it happened, in seconds."""
        ...


@dataclass(slots=True)
class Counters:
    """The app's counters as the transaction that holds their row sees and advances them."""

    epoch: int
    message: int
    event: int
    conversation: int
    sent_at: int
    users: int
    groups: int
    settings: str | None
    """What the app has set, as JSON; it stands in the same row, and is not changed by this."""


class Snapshot(Protocol):
    """One consistent view of one app's rows; `:app_id` is bound by it in every query."""

    app_id: str

    async def fetch(self, query: Query, **args: Any) -> list[Row]:
        """All rows of the answer."""
        ...

    async def fetch_one(self, query: Query, **args: Any) -> Row | None:
        """The first row, or None."""
        ...

    async def fetch_many(self, query: Query, rows: Rows) -> list[Row]:
        """The rows of all answers, one query after the other in one round trip."""
        ...


class Transaction(Snapshot, Protocol):
    """A snapshot that may also write; all of it is committed, or nothing."""

    counters: Counters | None
    announced: list[Event]

    async def run(self, query: Query, **args: Any) -> int:
        """Carry out a statement; the number of rows that it touched."""
        ...

    async def run_many(self, query: Query, rows: Rows) -> None:
        """Carry out a statement for each of `rows` in one round trip."""
        ...

    def announce(self, event: Event) -> None:
        """Have `event` written into the app's log in this transaction."""
        ...


Finish = Callable[[Transaction], Awaitable[None]]
"""What every transaction ends with: the announced events and the advanced counters are written."""


class Database(Protocol):
    """An engine: SQLite in this process, or PostgreSQL."""

    engine: ClassVar[str]

    async def write(self, app_id: str, operation: Operation[Result]) -> Result:
        """Run `operation` in a transaction of `app_id`; returns after its commit is on disk.

        Raises:
            Unavailable: nothing was done; the store is away, or too much is waiting.
            OutcomeUnknown: the connection broke during the commit.
        """
        ...

    async def read(self, app_id: str, reading: Reading[Result]) -> Result:
        """Run `reading` on one snapshot of `app_id`.

        Raises:
            Unavailable: the store is away.
        """
        ...

    async def point(self, app_id: str, query: Query, **args: Any) -> Row | None:
        """The row that a query marked `-- point` finds by a unique key."""
        ...

    async def migrate(self) -> int:
        """Bring the schema to the newest version that this code knows; returns it.

        Raises:
            SchemaTooNew: the store was written by a newer Hubbub.
        """
        ...

    async def tend(self) -> None:
        """Upkeep that the engine needs every few seconds while a node runs.

        Raises:
            Unavailable: the store is away.
        """
        ...

    async def close(self) -> None:
        """Accept no more, finish what was accepted, let go of the store."""
        ...
