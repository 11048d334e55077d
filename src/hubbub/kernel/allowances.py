"""Allowances: a part of the event loop's time for what an app asks for often and that is quick.

Such calls are answered as they arrive. They need nothing but the event loop, so nothing else holds
them up, and thousands a second of one app would take all of it. While other apps ask for something,
those beyond their part wait, and with them the clients that make them.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from hubbub.kernel.rests import Rests

SHARE = 0.1
"""The part of the time that an app has."""
MOST_SAVED_SECONDS = 0.0005
"""What an app that makes few such calls may use at once."""
LEAST_WAIT_SECONDS, MOST_WAIT_SECONDS = 0.001, 0.02
"""What waits is looked at again after a time between these: the app may be alone by then."""


@dataclass(slots=True, eq=False)
class _Account:
    """What an app may use: below zero, it waits."""

    at: float
    seconds: float = MOST_SAVED_SECONDS
    waiting: "deque[tuple[float, asyncio.Future[None]]]" = field(default_factory=deque)
    """What waits, and what it takes."""


class Allowances:
    """What the apps of a node may use of the event loop for such calls."""

    def __init__(self, rests: Rests, now: Callable[[], float] = time.perf_counter) -> None:
        self._rests = rests
        self._now = now
        self._accounts: dict[str, _Account] = {}

    def take(self, app_id: str, seconds: float) -> bool:
        """Take time for a call of an app; return False if it is to wait. Alone it never waits."""
        account = self._accounts.get(app_id)
        if account is not None and account.waiting:
            return False
        if self._rests.is_alone(app_id):
            return True
        if account is None:
            account = self._accounts[app_id] = _Account(self._now())
        self._refill(account)
        if account.seconds <= 0:
            return False
        account.seconds -= seconds
        return True

    async def wait(self, app_id: str, seconds: float) -> None:
        """Wait until a call of an app may take so much time, behind those that wait already."""
        if self.take(app_id, seconds):
            return
        account, loop = self._accounts[app_id], asyncio.get_running_loop()
        turn = loop.create_future()
        if not account.waiting:
            self._look_later(app_id, account)
        account.waiting.append((seconds, turn))
        await turn

    def _refill(self, account: _Account) -> None:
        now = self._now()
        saved = account.seconds + (now - account.at) * SHARE
        account.at, account.seconds = now, min(MOST_SAVED_SECONDS, saved)

    def _look_later(self, app_id: str, account: _Account) -> None:
        missing = -account.seconds / SHARE
        seconds = min(MOST_WAIT_SECONDS, max(LEAST_WAIT_SECONDS, missing))
        asyncio.get_running_loop().call_later(seconds, self._release, app_id, account)

    def _release(self, app_id: str, account: _Account) -> None:
        """Begin what there is time for; all that waits once the app is alone."""
        self._refill(account)
        is_alone = self._rests.is_alone(app_id)
        while account.waiting and (is_alone or account.seconds > 0):
            seconds, turn = account.waiting.popleft()
            if not turn.done():  # its caller may have left
                account.seconds -= seconds
                turn.set_result(None)
        if account.waiting:
            self._look_later(app_id, account)
        else:
            del self._accounts[app_id]
