"""How far the planning of notifications has come, read from the store of a running node."""

import asyncio
from collections.abc import Callable

import apsw
import asyncpg

from hubbub.config import Settings
from hubbub.records.notifications.sending.model import PLANNING

NEWEST = "SELECT event FROM counters WHERE app_id = '{}'"
PLANNED = "SELECT event FROM consumer_positions WHERE app_id = '{}' AND consumer = '{}'"

Find = Callable[[str], int]
"""Returns the number that a query finds."""


class Progress:
    """A connection to the store, beside those of the node."""

    def __init__(self, find: Find, close: Callable[[], None], app_id: str) -> None:
        self.close = close
        self._find = find
        self._app_id = app_id

    @classmethod
    def open(cls, settings: Settings, app_id: str) -> "Progress":
        """Connect to the store of a node."""
        if settings.database_url:
            loop = asyncio.new_event_loop()
            postgres = loop.run_until_complete(asyncpg.connect(settings.database_url))

            def close() -> None:
                loop.run_until_complete(postgres.close())
                loop.close()

            return cls(
                lambda sql: int(loop.run_until_complete(postgres.fetchval(sql))), close, app_id
            )
        file = apsw.Connection(str(settings.sqlite_path), apsw.SQLITE_OPEN_READONLY)
        return cls(lambda sql: int(file.execute(sql).get), file.close, app_id)

    def newest(self) -> int:
        """Return the number of the newest event."""
        return self._find(NEWEST.format(self._app_id))

    def planned(self) -> int:
        """Return the number of the event up to which all is planned."""
        return self._find(PLANNED.format(self._app_id, PLANNING))
