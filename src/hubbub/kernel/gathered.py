"""Look-ups that are made together: all that arrive while one is under way are the next one.

One that comes alone is made at once; hundreds that come at once take few round trips.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from hubbub.kernel.errors import Unavailable

Wanted = TypeVar("Wanted")
Found = TypeVar("Found")


class Gathered(Generic[Wanted, Found]):
    """Looks things up for concurrent callers, up to `most` at a time.

    `look_up` returns what it finds for each of the things wanted, in their order. If it fails for
    several, they are looked up one by one, so that none can fail another.
    """

    def __init__(
        self, look_up: Callable[[Sequence[Wanted]], Awaitable[Sequence[Found]]], most: int
    ) -> None:
        self._look_up = look_up
        self._most = most
        self._waiting: list[tuple[Wanted, asyncio.Future[Found]]] = []
        self._is_busy = False
        self._task: asyncio.Task[None] | None = None

    async def find(self, wanted: Wanted) -> Found:
        """Return what is found for one thing."""
        if self._is_busy:
            future: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
            self._waiting.append((wanted, future))
            return await future
        self._is_busy = True
        try:
            [found] = await self._look_up([wanted])
            return found
        finally:
            if self._waiting:
                self._task = asyncio.create_task(self._find_waiting())
            else:
                self._is_busy = False

    async def _find_waiting(self) -> None:
        some: list[tuple[Wanted, asyncio.Future[Found]]] = []
        try:
            while self._waiting:
                some, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
                await self._find_all(some)
        finally:
            self._is_busy = False
            for _, future in (*some, *self._waiting):
                future.cancel()  # only if this task was: all others have been answered

    async def _find_all(self, some: Sequence[tuple[Wanted, asyncio.Future[Found]]]) -> None:
        try:
            found = await self._look_up([wanted for wanted, _ in some])
        except Exception as failure:  # noqa: BLE001  # it is for those who wait
            if len(some) > 1 and not isinstance(failure, Unavailable):
                for each in some:
                    await self._find_all([each])
                return
            for _, future in some:
                if not future.done():  # its caller may have left
                    future.set_exception(failure)
            return
        for (_, future), each_found in zip(some, found, strict=True):
            if not future.done():
                future.set_result(each_found)
