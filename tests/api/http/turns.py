"""Counts per turn of the event loop: what one request does before others have a turn."""

import asyncio
from types import FrameType
from typing import Any

from tests.api.http.test_costly_bodies import Calls


class Passes(Calls):
    """Counts the calls of methods of a type that is written in C."""

    def __init__(self, type_: type) -> None:
        super().__init__()
        self._type = type_

    def note(self, frame: FrameType, event: str, argument: Any) -> None:
        """Take notice of what the interpreter does."""
        if event == "c_call" and isinstance(getattr(argument, "__self__", None), self._type):
            self.count += argument.__name__ != "hexdigest"


async def most_of_a_turn(calls: Calls, working: "asyncio.Future[Any]") -> int:
    """Return the most that is counted in one turn of the loop until some work is done."""
    most = 0
    while not working.done():
        before = calls.count
        await asyncio.sleep(0)
        most = max(most, calls.count - before)
    return most
