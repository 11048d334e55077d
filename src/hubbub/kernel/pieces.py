"""Long work on the event loop, done in pieces: one at a time of all calls, and apps take turns.

Between two pieces the loop does all that waits, so a call that asks for much holds up the others by
one piece each time, and no number of such calls by more. While others ask for something, an app
rests after each of its pieces.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

from hubbub.kernel.places import Places
from hubbub.kernel.rests import Rests

Item = TypeVar("Item")
Made = TypeVar("Made")


class Pieces:
    """The one place on the loop for pieces of long work."""

    def __init__(self, rests: Rests | None = None) -> None:
        self._places = Places(1, rests=rests)

    async def do(self, app_id: str, work: Callable[[], Made]) -> Made:
        """Do one piece of work of an app in its turn; then the loop does what waits.

        Raises:
            QueueFull: too much of the app waits.
        """
        place = await self._places.take(app_id)
        seconds = None
        try:
            made = work()
            seconds = time.perf_counter() - place.began
            await asyncio.sleep(0)
        finally:
            self._places.give_back(place, seconds)
        return made

    async def make(
        self,
        app_id: str,
        items: Sequence[Item],
        work: Callable[[Sequence[Item]], Iterable[Made]],
        *,
        size: int,
    ) -> list[Made]:
        """Return what `work` makes of so many items at a time; few are done at once.

        Raises:
            QueueFull: too much of the app waits.
        """
        if len(items) <= size:
            return list(work(items))
        made: list[Made] = []
        for at in range(0, len(items), size):
            made += await self.do(app_id, partial(work, items[at : at + size]))
        return made
