"""How far the logs of the apps go, as a node knows it without reading them.

A node hears of its own commits at once, and of those of other nodes by the bus, or when something
reads the log. So what is known here is a lower bound, and never ahead of what is committed.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from hubbub.outbox.log import SQL
from hubbub.storage.interface import Announced, Database

log = structlog.get_logger()
LOOK_SECONDS = 1.0


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


class NewestPositions:
    """What `Heads` knows, completed by a look at the counters: at most one per app and second.

    A node that has the store for itself hears of all commits, so one look per app is enough.
    """

    def __init__(self, database: Database, heads: Heads, *, is_shared: bool) -> None:
        self._database = database
        self._heads = heads
        self._is_shared = is_shared
        self._looked: dict[str, float] = {}
        """When each app was last looked at."""
        self._looking: dict[str, asyncio.Task[None]] = {}

    async def find(self, app_id: str) -> Position:
        """Return the newest position; a reading that begins afterwards has all events up to it.

        Events of other nodes may be missing for a second.

        Raises:
            Unavailable: the database can't be reached.
        """
        known = self._heads.newest(app_id)
        if known is not None and not self._is_due(app_id):
            return known
        await self._look(app_id)
        return self._heads.newest(app_id) or Position(0, 0)

    async def wait_beyond(self, app_id: str, position: Position, seconds: float) -> bool:
        """Wait until the log goes on beyond a position; return False if it does not in time."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + seconds
        while (left := ends - loop.time()) > 0:
            part = min(left, LOOK_SECONDS) if self._is_shared else left
            if await self._heads.wait_beyond(app_id, position, part):
                return True
            if self._is_due(app_id):
                await self._look(app_id)
        return False

    def _is_due(self, app_id: str) -> bool:
        if not self._is_shared:
            return False
        now = asyncio.get_running_loop().time()
        return now - self._looked.get(app_id, -LOOK_SECONDS) >= LOOK_SECONDS

    async def _look(self, app_id: str) -> None:
        """Look at the counters; callers at the same time share one look."""
        task = self._looking.get(app_id)
        if task is None:
            self._looked[app_id] = asyncio.get_running_loop().time()
            task = self._looking[app_id] = asyncio.ensure_future(self._read(app_id))
            task.add_done_callback(lambda _: self._looking.pop(app_id, None))
        await asyncio.shield(task)

    async def _read(self, app_id: str) -> None:
        row = await self._database.point(app_id, SQL.find_head)
        if row is not None:
            self._heads.advance(app_id, Position(row[0], row[1]))
