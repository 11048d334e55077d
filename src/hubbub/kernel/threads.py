"""Threads for slow work that must not block the event loop, such as hashing passwords."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")


class Threads:
    """A few threads; the default executor of the event loop is never used."""

    def __init__(self, *, threads: int = 2) -> None:
        self._executor = ThreadPoolExecutor(threads, "hubbub-slow")

    async def run(self, work: Callable[[], Result]) -> Result:
        """Run `work` on one of the threads and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)

    def close(self) -> None:
        """Stop the threads after the work under way; blocks until then."""
        self._executor.shutdown()
