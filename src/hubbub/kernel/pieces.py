"""Long work on the event loop, done in pieces: all calls together have a share of the loop's time.

Each turn of the loop has pieces for a quarter of the time that the turn before took for all else,
and at least one. So a call that asks for much holds up the others by a moment each time, no number
of such calls by more, and calls are answered also on a node that never has nothing to do. Apps take
turns at pieces. While others ask for something, an app rests after each of its pieces.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hubbub.kernel.places import MOST_WAITING
from hubbub.kernel.rests import Rests
from hubbub.kernel.turns import Turn, Turns

Item = TypeVar("Item")
Made = TypeVar("Made")

SHARE = 1 / 4
LONGEST_SECONDS = 0.002
"""The pieces of a turn have no more than this, and the last one of them."""


@dataclass(slots=True, eq=False)
class _Piece:
    work: Callable[[], Any]
    made: "asyncio.Future[Any]"


class Pieces:
    """The pieces that wait for the event loop."""

    def __init__(
        self, rests: Rests | None = None, now: Callable[[], float] = time.perf_counter
    ) -> None:
        self._turns: Turns[_Piece] = Turns(most_waiting=MOST_WAITING)
        self._rests = rests
        self._now = now
        self._is_running = False
        """Whether the next turn of the loop has pieces."""
        self._ended_at = 0.0

    async def do(self, app_id: str, work: Callable[[], Made]) -> Made:
        """Return what one piece of work of an app returns, in its turn.

        Raises:
            QueueFull: too much of the app waits.
        """
        made: asyncio.Future[Made] = asyncio.get_running_loop().create_future()
        self._turns.add(app_id, _Piece(work, made))
        self._run_soon()
        return await made

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
            some = items[at : at + size]
            made += await self.do(app_id, lambda some=some: list(work(some)))  # type: ignore[misc]
        return made

    def _run_soon(self) -> None:
        """Have the next turn of the loop do pieces, if any may begin."""
        if not self._is_running and self._turns.next_app is not None:
            self._is_running = True
            self._ended_at = self._now()
            asyncio.get_running_loop().call_soon(self._run)

    def _run(self) -> None:
        """Do the pieces of one turn of the loop."""
        began = self._now()
        ends_at = began + min(LONGEST_SECONDS, SHARE * (began - self._ended_at))
        while (turn := self._turns.take()) is not None:
            self._carry_out(turn)
            if self._now() >= ends_at:
                break
        self._is_running = False
        self._run_soon()

    def _carry_out(self, turn: Turn[_Piece]) -> None:
        """Do a piece, unless its caller has left; the app is charged, and rests."""
        piece, began = turn.item, self._now()
        if not piece.made.done():
            try:
                piece.made.set_result(piece.work())
            except Exception as failure:  # noqa: BLE001  # it is for the caller
                piece.made.set_exception(failure)
        seconds = self._now() - began
        self._turns.end_turn(turn, seconds)
        app_id = turn.app.key
        if self._rests is not None and (rest := self._rests.after(app_id, seconds)):
            self._turns.rest(app_id)
            asyncio.get_running_loop().call_later(rest, self._end_rest, app_id)

    def _end_rest(self, app_id: str) -> None:
        self._turns.end_rest(app_id)
        self._run_soon()
