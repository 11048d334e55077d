"""Threads for slow work that must not block the event loop, such as hashing passwords."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from hubbub.kernel.places import MOST_WAITING, Place, Places
from hubbub.kernel.scheduling import step_back

Result = TypeVar("Result")


class Threads:
    """A few threads, of which an app gets all but one; apps and their users take turns.

    The default executor of the event loop is never used.
    """

    def __init__(
        self, *, threads: int = 3, name: str = "hubbub-slow", most_waiting: int = MOST_WAITING
    ) -> None:
        self.places = Places(threads, most_waiting=most_waiting)
        self._executor = ThreadPoolExecutor(threads, name, initializer=step_back)

    async def run(
        self, app_id: str, work: Callable[[], Result], *, user: str | None = None
    ) -> Result:
        """Run `work` on one of the threads and return its result; once begun it ends.

        Raises:
            QueueFull: too much of the app, or of the user, waits.
        """
        place = await self.places.take(app_id, user)
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Result] = loop.create_future()

        def carry_out() -> None:
            result: Any = None
            error: BaseException | None = None
            try:
                result = work()
            except BaseException as problem:  # noqa: BLE001  # it is for the caller
                error = problem
            loop.call_soon_threadsafe(self._end, place, done, result, error)

        self._executor.submit(carry_out)
        return await done

    async def drain(self) -> None:
        """Wait until all accepted work is done."""
        await self.places.wait_idle()

    def close(self) -> None:
        """Stop the threads after the work under way; blocks until then."""
        self._executor.shutdown()

    def _end(
        self,
        place: Place,
        done: "asyncio.Future[Any]",
        result: object,
        error: BaseException | None,
    ) -> None:
        self.places.give_back(place)
        if done.done():
            return  # the caller has left
        if error is None:
            done.set_result(result)
        else:
            done.set_exception(error)
