"""Control of concurrency: a place where operations stop, and calls begun in order."""

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from hubbub.storage.interface import Database, Operation, Snapshot

Result = TypeVar("Result")
LONGEST_SECONDS = 30.0


async def start(*calls: Coroutine[Any, Any, Result]) -> list[asyncio.Task[Result]]:
    """Begin calls in their order: each runs up to where it waits."""
    tasks = [asyncio.create_task(call) for call in calls]
    await asyncio.sleep(0)
    return tasks


class Pause:
    """Holds operations of either engine: SQLite's block their thread, PostgreSQL's suspend."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._loop_thread = threading.current_thread()
        self._end_of_threads = threading.Event()
        self._end_of_tasks = asyncio.Event()

    async def __call__(self, _: Snapshot | None = None) -> None:
        """Signal that this place is reached, and wait for `end`; usable as an operation."""
        if threading.current_thread() is self._loop_thread:
            self.reached.set()
            await self._end_of_tasks.wait()
            return
        self._loop.call_soon_threadsafe(self.reached.set)
        assert self._end_of_threads.wait(LONGEST_SECONDS), "nobody ended the pause"

    def end(self) -> None:
        """Release what waits, and later arrivals."""
        self._end_of_threads.set()
        self._end_of_tasks.set()

    @asynccontextmanager
    async def holding(self, database: Database) -> AsyncIterator[None]:
        """Keep a write of `database` running during a block: later ones wait for it."""
        holder = asyncio.create_task(database.write("", self))
        await self.reached.wait()
        try:
            yield
        finally:
            self.end()
            await asyncio.wait([holder])
            holder.exception()  # it fails with its batch; only the operations behind it matter


async def write_together(
    database: Database, app_id: str, pause: Pause, *operations: Operation[Any]
) -> list[Any]:
    """Return the outcomes of writes that all wait for one running write, including errors."""
    async with pause.holding(database):
        writes = await start(*(database.write(app_id, operation) for operation in operations))
    return await asyncio.gather(*writes, return_exceptions=True)
