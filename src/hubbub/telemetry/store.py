"""The spans of transactions and their statements, where a span that is recorded asks for them.

So the loops of the background work, which look for something to do each second, make no traces.
"""

from functools import partial
from typing import Any, ClassVar, TypeVar, cast

from opentelemetry.context import Context, get_current
from opentelemetry.trace import get_current_span

from hubbub.kernel.clock import ClockReading
from hubbub.storage.interface import Database, Operation, Reading, Row, Transaction, Unwritten
from hubbub.storage.queries import Query, Rows
from hubbub.telemetry.spans import Spans

Result = TypeVar("Result")


class TracedDatabase:
    """A database whose transactions and statements have spans."""

    engine: ClassVar[str] = "traced"

    def __init__(self, database: Database, spans: Spans) -> None:
        self._database = database
        self._spans = spans

    @property
    def unwritten(self) -> Unwritten:
        return self._database.unwritten

    @property
    def is_shared(self) -> bool:
        return self._database.is_shared

    @property
    def cuts_entries(self) -> bool:
        return self._database.cuts_entries

    async def write(
        self,
        app_id: str,
        operation: Operation[Result],
        *,
        is_optimistic: bool = False,
        is_derived: bool = False,
    ) -> Result:
        write = partial(
            self._database.write, app_id, is_optimistic=is_optimistic, is_derived=is_derived
        )
        if not get_current_span().is_recording():
            return await write(operation)
        with self._spans.begin("write"):
            return await write(self._traced(operation))

    async def read(
        self,
        app_id: str,
        reading: Reading[Result],
        *,
        is_short: bool = False,
        user: str | None = None,
    ) -> Result:
        if not get_current_span().is_recording():
            return await self._database.read(app_id, reading, is_short=is_short, user=user)
        with self._spans.begin("read"):
            traced = cast("Reading[Result]", self._traced(cast("Operation[Result]", reading)))
            return await self._database.read(app_id, traced, is_short=is_short, user=user)

    async def point(self, app_id: str, query: Query, **args: Any) -> Row | None:
        if not get_current_span().is_recording():
            return await self._database.point(app_id, query, **args)
        with self._spans.begin(query.name):
            return await self._database.point(app_id, query, **args)

    def _traced(self, operation: Operation[Result]) -> Operation[Result]:
        """Return an operation that runs with a traced transaction, on whichever thread."""
        context = get_current()

        async def run(tx: Transaction) -> Result:
            return await operation(cast("Transaction", TracedTransaction(tx, self._spans, context)))

        # The engine of SQLite tells kinds of readings apart by this name.
        run.__qualname__ = getattr(operation, "__qualname__", "")
        return run

    async def migrate(self) -> int:
        return await self._database.migrate()

    async def schema_version(self) -> int:
        return await self._database.schema_version()

    async def read_clock(self) -> ClockReading | None:
        return await self._database.read_clock()

    def forget_deleted(self) -> None:
        self._database.forget_deleted()

    async def maintain(self) -> None:
        await self._database.maintain()

    async def close(self) -> None:
        await self._database.close()


class TracedTransaction:
    """A transaction whose statements have spans; for all else it is the transaction itself.

    PostgreSQL collects batches of writes and sends them when the transaction ends: their time is
    in the span of the write.
    """

    __slots__ = ("_context", "_spans", "_tx")
    _context: Context
    _spans: Spans
    _tx: Transaction

    def __init__(self, tx: Transaction, spans: Spans, context: Context) -> None:
        for name, value in (("_tx", tx), ("_spans", spans), ("_context", context)):
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tx, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._tx, name, value)

    async def fetch(self, query: Query, **args: Any) -> list[Row]:
        with self._spans.begin(query.name, context=self._context):
            return await self._tx.fetch(query, **args)

    async def fetch_one(self, query: Query, **args: Any) -> Row | None:
        with self._spans.begin(query.name, context=self._context):
            return await self._tx.fetch_one(query, **args)

    async def fetch_many(self, query: Query, rows: Rows) -> list[Row]:
        with self._spans.begin(query.name, {"hubbub.rows": len(rows)}, context=self._context):
            return await self._tx.fetch_many(query, rows)

    async def run(self, query: Query, **args: Any) -> int:
        with self._spans.begin(query.name, context=self._context):
            return await self._tx.run(query, **args)

    async def run_many(self, query: Query, rows: Rows) -> None:
        with self._spans.begin(query.name, {"hubbub.rows": len(rows)}, context=self._context):
            await self._tx.run_many(query, rows)
