"""Threads for slow work that must not hold up the event loop: hashing of passwords and the like."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")


class Threads:
    """A few threads; the event loop's default executor is never used."""

    def __init__(self, *, threads: int = 2) -> None:
        self._executor = ThreadPoolExecutor(threads, "hubbub-slow")

    async def run(self, work: Callable[[], Result]) -> Result:
        """The result of `work`, done on one of the threads."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)

    def close(self) -> None:
        """End after the work that is under way."""
        self._executor.shutdown()
