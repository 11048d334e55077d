"""Long work on the event loop, done in pieces: one at a time of all calls, and apps take turns.

Between two pieces the loop does all that waits, so a call that asks for much holds up the others by
one piece each time, and no number of such calls by more.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from hubbub.kernel.places import Places

Item = TypeVar("Item")
Made = TypeVar("Made")


class Pieces:
    """The one place on the loop for pieces of long work."""

    def __init__(self) -> None:
        self._places = Places(1)

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
            place = await self._places.take(app_id)
            try:
                made += work(items[at : at + size])
                await asyncio.sleep(0)
            finally:
                self._places.give_back(place)
        return made
