"""The newest position of each app's log, as a node knows it at next to no cost."""

import asyncio

from hubbub.outbox.counters import SQL
from hubbub.outbox.heads import Heads, Position
from hubbub.storage.interface import Database

LOOK_SECONDS = 1.0


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
