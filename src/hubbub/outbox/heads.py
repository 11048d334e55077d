"""How far the logs of the apps go, as a node knows it without reading them.

A node hears of its own commits at once, and of those of other nodes by the bus, or when something
reads the log. So what is known here is a lower bound, and never ahead of what is committed.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from hubbub.storage.interface import Announced

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in the log of an app: after the event with this number. Written `1-42`."""

    epoch: int
    number: int

    def __str__(self) -> str:
        return f"{self.epoch}-{self.number}"


Listener = Callable[[Announced], None]


class Heads:
    """The newest known position of each app, and who waits for newer ones."""

    def __init__(self) -> None:
        self._newest: dict[str, Position] = {}
        self._waiting: dict[str, asyncio.Event] = {}
        self._listeners: list[Listener] = []

    def newest(self, app_id: str) -> Position | None:
        """Return the newest known position; None if nothing is known of the app."""
        return self._newest.get(app_id)

    def note(self, announced: Announced) -> None:
        """Take notice of a commit of this node."""
        self.advance(announced.app_id, Position(announced.epoch, announced.last))
        for listener in self._listeners:
            try:
                listener(announced)
            except Exception as defect:  # the callers of the batch are still to be answered
                log.error("commit_not_told", app=announced.app_id, exc_info=defect)

    def advance(self, app_id: str, position: Position) -> None:
        """Take notice of a position that the log has reached."""
        known = self._newest.get(app_id)
        if known is None or known < position:
            self._newest[app_id] = position
            waiting = self._waiting.pop(app_id, None)
            if waiting is not None:
                waiting.set()

    def listen(self, listener: Listener) -> None:
        """Have `listener` called after each commit of this node that has added to a log."""
        self._listeners.append(listener)

    def ignore(self, listener: Listener) -> None:
        """Call `listener` no longer."""
        self._listeners.remove(listener)

    async def wait_beyond(self, app_id: str, position: Position, seconds: float) -> bool:
        """Wait until the log goes on beyond a position; return False if it does not in time."""
        try:
            async with asyncio.timeout(seconds):
                while (known := self._newest.get(app_id)) is None or known <= position:
                    await self._waiting.setdefault(app_id, asyncio.Event()).wait()
        except TimeoutError:
            return False
        return True
