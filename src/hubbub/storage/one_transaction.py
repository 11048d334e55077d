"""A call in one transaction: what it does after its first write, it does inside of that.

    play = Play(work(database))     # `work` knows the store as a `OneTransaction`
    halted = await play.go_on()     # it ran to its first write, and waits
    …                               # that is carried out in `tx`
    database.enter(tx)
    ended = await play.go_on(done)  # the rest of it, before the commit

The writer thread of SQLite runs that rest, so it may wait for nothing but the store; what is slow
comes before the first write, as it does in every operation.
"""

import types
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

from hubbub.storage.interface import Database, Operation, Reading, Row, Snapshot, Transaction
from hubbub.storage.queries import Query

Result = TypeVar("Result")


@contextmanager
def in_app(snapshot: Snapshot, app_id: str) -> Iterator[None]:
    """Have `snapshot` look at the rows of another app meanwhile."""
    own, snapshot.app_id = snapshot.app_id, app_id
    try:
        yield
    finally:
        snapshot.app_id = own


@dataclass(frozen=True, slots=True)
class FirstWrite:
    """What a play waits for."""

    app_id: str
    operation: Operation[Any]


@dataclass(frozen=True, slots=True)
class Ended(Generic[Result]):
    """The end of a play."""

    result: Result


class Play(Generic[Result]):
    """A coroutine that halts at its first write, and is gone on with wherever that is done."""

    def __init__(self, coroutine: Coroutine[Any, Any, Result]) -> None:
        self._coroutine = coroutine

    async def go_on(self, done: object = None) -> FirstWrite | Ended[Result]:
        """Play on, with what the write has brought, to the first write or the end."""
        return await self._play(partial(self._coroutine.send, done))

    async def fail(self, refusal: Exception) -> FirstWrite | Ended[Result]:
        """Play on as `go_on`, where the write was refused."""
        return await self._play(partial(self._coroutine.throw, refusal))

    @types.coroutine
    def _play(self, step: Callable[[], Any]) -> Generator[Any, Any, FirstWrite | Ended[Result]]:
        """What the coroutine awaits besides is awaited by whoever awaits this."""
        while True:
            try:
                halted = step()
            except StopIteration as end:
                return Ended(end.value)
            if isinstance(halted, FirstWrite):
                return halted
            try:
                step = partial(self._coroutine.send, (yield halted))
            except BaseException as error:  # noqa: BLE001  # it is for the coroutine
                step = partial(self._coroutine.throw, error)


class OneTransaction:
    """The store as a call sees it whose writes are one transaction, and its reads after the first.

    Reads before the first write are as ever.
    """

    engine: ClassVar[str] = "one transaction"

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tx: Transaction | None = None

    @property
    def is_entered(self) -> bool:
        """Whether the call was inside of a transaction; what failed then can't be played again."""
        return self._tx is not None

    def enter(self, tx: Transaction) -> None:
        """Have all that follows take place in `tx`."""
        self._tx = tx

    async def write(self, app_id: str, operation: Operation[Result]) -> Result:
        if self._tx is None:
            result: Result = await _halt(FirstWrite(app_id, operation))
            return result
        assert app_id == self._tx.app_id, "a call writes in one app"
        return await operation(self._tx)

    async def read(self, app_id: str, reading: Reading[Result]) -> Result:
        if self._tx is None:
            return await self._database.read(app_id, reading)
        with in_app(self._tx, app_id):
            return await reading(self._tx)

    async def point(self, app_id: str, query: Query, **args: Any) -> Row | None:
        if self._tx is None:
            return await self._database.point(app_id, query, **args)
        with in_app(self._tx, app_id):
            return await self._tx.fetch_one(query, **args)

    async def migrate(self) -> int:
        return await self._database.migrate()

    async def tend(self) -> None:
        await self._database.tend()

    async def close(self) -> None:
        """Nothing: the store is others', too."""


@types.coroutine
def _halt(write: FirstWrite) -> Generator[FirstWrite, Any, Any]:
    return (yield write)
