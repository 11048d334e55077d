"""All writes of a call as one transaction, in which the call also runs to its end.

A call runs as any other up to its first write; slow work comes before that, as in every operation.
Then the transaction begins, the first write is done in it, and the rest of the call's coroutine
runs inside of it, before the commit. On SQLite the writer thread runs this rest, so it may await
nothing but the database.
"""

import types
from collections.abc import Coroutine, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

from hubbub.kernel.clock import ClockReading
from hubbub.kernel.errors import Refusal
from hubbub.storage.interface import (
    Database,
    Operation,
    Reading,
    Row,
    Snapshot,
    Transaction,
    Unwritten,
)
from hubbub.storage.queries import Query

Result = TypeVar("Result")
CallCoroutine = Coroutine[Any, Any, Result]


@contextmanager
def in_app(snapshot: Snapshot, app_id: str) -> Iterator[None]:
    """Bind the queries of `snapshot` to another app inside the block."""
    own, snapshot.app_id = snapshot.app_id, app_id
    try:
        yield
    finally:
        snapshot.app_id = own


class RunAgain(Exception):
    """The engine retries a transaction in which the call has already gone on."""


class _FirstWrite(Generic[Result]):
    """Suspends a call at its first write; the call goes on with the result or the refusal."""

    def __init__(self, app_id: str, operation: Operation[Result]) -> None:
        self.app_id = app_id
        self.operation = operation
        self.result: Result
        self.refusal: Refusal | None = None

    def __await__(self) -> Generator[Any, None, Result]:
        yield self
        if self.refusal is not None:
            raise self.refusal
        return self.result

    async def carry_out(self, tx: Transaction) -> None:
        """Do the write in `tx`; keep its result or refusal for the call."""
        try:
            self.result = await self.operation(tx)
        except Refusal as refusal:
            self.refusal = refusal
            raise


class OneTransaction:
    """The database of one call, whose writes are one transaction.

    The call's reads take place in the transaction, too, once it has begun.
    """

    engine: ClassVar[str] = "one transaction"

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tx: Transaction | None = None

    @property
    def unwritten(self) -> Unwritten:
        return self._database.unwritten

    @property
    def is_shared(self) -> bool:
        return self._database.is_shared

    @property
    def cuts_entries(self) -> bool:
        return self._database.cuts_entries

    async def run(self, call: CallCoroutine[Result], first: Operation[None]) -> Result:
        """Run a call that writes at least once; `first` is done before its first write.

        If that write is refused, it is rolled back and the call goes on outside of a transaction.

        Raises:
            RunAgain: begin again with a new call; nothing was written.
        """
        while True:
            write = await _run_to_first_write(call)
            try:
                return await self._database.write(
                    write.app_id, partial(self._run_rest, call, first, write)
                )
            except Refusal:
                if write.refusal is None:
                    raise

    async def _run_rest(
        self,
        call: CallCoroutine[Result],
        first: Operation[None],
        write: _FirstWrite[Any],
        tx: Transaction,
    ) -> Result:
        if self._tx is not None:
            raise RunAgain
        await first(tx)
        await write.carry_out(tx)
        self._tx = tx
        return await _resume(call)

    async def write(
        self,
        app_id: str,
        operation: Operation[Result],
        *,
        is_optimistic: bool = False,
        is_derived: bool = False,
    ) -> Result:
        if self._tx is None:
            return await _FirstWrite(app_id, operation)
        assert app_id == self._tx.app_id, "a call writes in one app"
        return await operation(self._tx)

    async def write_last(self, app_id: str, operation: Operation[Result]) -> Result:
        """Write in the transaction, whichever app it is of; begin it in `app_id` if none has."""
        return await self.write(app_id if self._tx is None else self._tx.app_id, operation)

    async def read(
        self,
        app_id: str,
        reading: Reading[Result],
        *,
        is_short: bool = False,
        user: str | None = None,
    ) -> Result:
        if self._tx is None:
            return await self._database.read(app_id, reading, is_short=is_short, user=user)
        with in_app(self._tx, app_id):
            return await reading(self._tx)

    async def point(self, app_id: str, query: Query, **args: Any) -> Row | None:
        if self._tx is None:
            return await self._database.point(app_id, query, **args)
        with in_app(self._tx, app_id):
            return await self._tx.fetch_one(query, **args)

    async def schema_version(self) -> int:
        return await self._database.schema_version()

    async def migrate(self) -> int:
        return await self._database.migrate()

    async def read_clock(self) -> ClockReading | None:
        return await self._database.read_clock()

    def forget_deleted(self) -> None:
        self._database.forget_deleted()

    async def maintain(self) -> None:
        await self._database.maintain()

    async def close(self) -> None:
        """Do nothing: other calls use the database, too."""


@types.coroutine
def _run_to_first_write(call: CallCoroutine[Any]) -> Generator[Any, Any, _FirstWrite[Any]]:
    """Run a call until it awaits its first write; what it awaits before is awaited here."""
    awaited = call.send(None)
    while not isinstance(awaited, _FirstWrite):
        try:
            value = yield awaited
        except BaseException as error:  # noqa: BLE001  # it is for the call
            awaited = call.throw(error)
        else:
            awaited = call.send(value)
    return awaited


@types.coroutine
def _resume(call: CallCoroutine[Result]) -> Generator[Any, Any, Result]:
    """Run a suspended call to its end; `await` itself takes only a call that has not begun."""
    return (yield from call.__await__())
