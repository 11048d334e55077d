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
    loop: Any = asyncio.get_running_loop()
    most, run_once = 0, loop._run_once

    def count_turn() -> None:
        nonlocal most
        before = calls.count
        run_once()
        most = max(most, calls.count - before)

    loop._run_once = count_turn  # to ask for turn after turn would keep threads from working
    try:
        await asyncio.wait([working])
    finally:
        del loop._run_once
    return most
