"""What a scrape asks the store: whether it answers, how far consumers are behind, what waits."""

import asyncio
import math
import time
from collections.abc import Callable
from typing import NamedTuple

from hubbub.domain.log.consumers import CONSUMERS
from hubbub.kernel.errors import Unavailable
from hubbub.outbox.consumer import count_lags
from hubbub.records.notifications.sending import store as notifications
from hubbub.records.webhooks import queues as webhooks
from hubbub.records.webhooks.queues import QUEUE_STATES, count_queues
from hubbub.storage.interface import INSTALLATION, Database, Snapshot

KEPT_SECONDS = 5.0
"""The store is asked at most so often, whoever scrapes."""
MOST_SECONDS = 2.0
"""A store that takes longer counts as down; Prometheus waits for 10 s in all."""


class _Look(NamedTuple):
    lags: dict[str, int]
    webhooks: dict[str, int]
    waiting: dict[str, int]


class StoreState:
    """The state of the store, as it was at most `KEPT_SECONDS` ago."""

    def __init__(
        self,
        database: Database,
        now: Callable[[], float] = time.monotonic,
        *,
        most_seconds: float = MOST_SECONDS,
    ) -> None:
        self._database = database
        self._now = now
        self._most_seconds = most_seconds
        self._asked_at = -math.inf
        self._asking = asyncio.Lock()
        self.is_up = False
        self.lags = dict.fromkeys(CONSUMERS, 0)
        """The events that each consumer has not covered, as far as the store could be asked."""
        self.webhooks = dict.fromkeys(QUEUE_STATES, 0)
        """The number of webhooks by state."""
        self.waiting = {"webhooks": 0, "providers": 0}
        """Those of all apps that something waits for."""

    async def ask(self) -> None:
        """Ask the store, unless that was done a moment ago."""
        async with self._asking:
            if self._now() - self._asked_at < KEPT_SECONDS:
                return
            try:
                async with asyncio.timeout(self._most_seconds):
                    found = await self._database.read(INSTALLATION, _look)
                self.lags, self.webhooks, self.waiting = found
                self.is_up = True
            except (Unavailable, TimeoutError):
                self.is_up = False
            self._asked_at = self._now()


async def _look(snapshot: Snapshot) -> _Look:
    waiting = {
        "webhooks": await webhooks.count_busy_queues(snapshot),
        "providers": await notifications.count_busy_queues(snapshot),
    }
    lags = await count_lags(snapshot, CONSUMERS)
    return _Look(lags, await count_queues(snapshot), waiting)
