"""A number of places for work that is under way at the same time, given out in turns."""

import asyncio
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from hubbub.kernel.errors import Unavailable
from hubbub.kernel.rests import Rests
from hubbub.kernel.turns import Turn, Turns

MOST_WAITING = 1_000


class NothingEnds(Unavailable):
    """All places are taken, and none was given back for long: what they are for hangs."""

    def __init__(self) -> None:
        super().__init__("What this call needs hangs. Nothing was changed; try again.")


@dataclass(slots=True, eq=False)
class _Waiter:
    given: "asyncio.Future[None]"
    is_given: bool = False
    """Whether it waits no more."""
    timer: asyncio.TimerHandle | None = None


@dataclass(slots=True, eq=False)
class Place:
    """A place that is taken, by which app, since when; `turn` if it had to be waited for."""

    app_id: str
    began: float
    turn: Turn[_Waiter] | None = None


class Places:
    """Places on one event loop. An app gets `most_of_app` of them, or all but one.

    What is begun while nothing waits costs a look-up. Otherwise apps, and the users of an app, take
    turns (`kernel/turns.py`).
    """

    def __init__(
        self,
        number: int,
        *,
        most_waiting: int = MOST_WAITING,
        most_of_app: int | None = None,
        patience: float = math.inf,
        rests: Rests | None = None,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Nobody waits any longer when no place was given back for `patience` seconds.

        With `rests` an app rests after it has used a place.
        """
        self.turns: Turns[_Waiter] = Turns(
            most_waiting=most_waiting, most_running=most_of_app or max(1, number - 1)
        )
        self._number = self._free = number
        self._now = now
        self._patience = patience
        self._rests = rests
        self._ended_at = -math.inf
        self._idle: asyncio.Event | None = None

    async def take(self, app_id: str, user: str | None = None) -> Place:
        """Return a place, once it is the turn of the app and its user; it must be given back.

        Raises:
            QueueFull: too much of the app, or of the user, waits.
            NothingEnds: no place was given back for long.
        """
        if self._free and self.turns.begin(app_id):
            self._free -= 1
            return Place(app_id, self._now())
        waiter = _Waiter(asyncio.get_running_loop().create_future())
        turn = self.turns.add(app_id, waiter, user)
        self._give_out()
        self._watch(turn)
        try:
            await waiter.given
        except asyncio.CancelledError:
            if not waiter.is_given:
                self.turns.drop(turn)
                self._note_idle()
            elif not waiter.given.cancelled() and waiter.given.exception() is None:
                self.give_back(Place(app_id, self._now(), turn))
            raise
        finally:
            if waiter.timer is not None:
                waiter.timer.cancel()
        return Place(app_id, self._now(), turn)

    def give_back(self, place: Place, seconds: float | None = None) -> None:
        """Give a place back; the app has used `seconds`, or the time since it was taken."""
        self._ended_at = self._now()
        if seconds is None:
            seconds = self._ended_at - place.began
        if place.turn is None:
            self.turns.end(place.app_id, seconds)
        else:
            self.turns.end_turn(place.turn, seconds)
        if self._rests is not None and (rest := self._rests.after(place.app_id, seconds)):
            self.turns.rest(place.app_id)
            asyncio.get_running_loop().call_later(rest, self._end_rest, place.app_id)
        self._free += 1
        self._give_out()
        self._note_idle()

    async def wait_idle(self) -> None:
        """Wait until nothing waits and nothing is under way."""
        while self.turns.waiting or self._free < self._number:
            if self._idle is None or self._idle.is_set():
                self._idle = asyncio.Event()
            await self._idle.wait()

    def _give_out(self) -> None:
        while self._free and self.turns.waiting and (turn := self.turns.take()) is not None:
            turn.item.is_given = True
            if turn.item.given.done():  # its caller has just left
                self.turns.end_turn(turn, 0.0)
                continue
            self._free -= 1
            turn.item.given.set_result(None)

    def _end_rest(self, app_id: str) -> None:
        self.turns.end_rest(app_id)
        self._give_out()

    def _watch(self, turn: Turn[_Waiter]) -> None:
        """Look later whether anything has ended since."""
        if self._patience < math.inf and not turn.item.is_given:
            loop = asyncio.get_running_loop()
            turn.item.timer = loop.call_later(self._patience, self._look, turn)

    def _look(self, turn: Turn[_Waiter]) -> None:
        if turn.item.is_given or turn.item.given.done():
            return
        if self._now() - self._ended_at < self._patience:
            self._watch(turn)
            return
        self.turns.drop(turn)
        turn.item.is_given = True
        turn.item.given.set_exception(NothingEnds())
        self._note_idle()

    def _note_idle(self) -> None:
        if self._idle is not None and not self.turns.waiting and self._free == self._number:
            self._idle.set()
