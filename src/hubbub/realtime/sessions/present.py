"""Store which sessions of this node are open; others are told of the users whose status changes."""

import asyncio
import time
from collections.abc import Sequence

import structlog

from hubbub.domain.presence.batch import Presence
from hubbub.domain.presence.connect import EndedSession, NewSession, store_sessions
from hubbub.domain.presence.tell import tell_changes
from hubbub.kernel.errors import Refusal, Unavailable
from hubbub.realtime.feeds.listeners import Listener
from hubbub.realtime.protocol.close_codes import TOKEN_REFUSED
from hubbub.runtime import Runtime

log = structlog.get_logger()

RETRY_SECONDS = 1.0
GATHERING_SECONDS = 0.02
"""The pause after changes were stored: all that come meanwhile are stored in one transaction."""
CHUNK = 40
"""The changes that one transaction stores, in some milliseconds: sends wait for it. While more of
them wait, the pause is no longer than storing took."""

Change = tuple[Listener, bool]
"""A session, and whether it was opened; otherwise it has ended."""


class PresenceKeeper:
    """Keeps the stored sessions up to date. Nobody waits for it; it tries until it succeeds."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._open: dict[str, Listener] = {}
        self._waiting: dict[str, list[Change]] = {}
        """Changes that are not stored yet, by app. Each app has a task that stores them."""
        self._is_finishing = False
        self._tasks: set[asyncio.Task[None]] = set()

    def open(self, listener: Listener) -> None:
        """Store that a session is open."""
        self._open[listener.id] = listener
        self._add(listener, is_open=True)

    def close(self, listener: Listener) -> None:
        """Store that a session has ended, if it is stored."""
        if self._open.pop(listener.id, None) is not None:
            self._add(listener, is_open=False)

    async def restore(self) -> None:
        """Store all open sessions again: other nodes may have closed them.

        Raises:
            Unavailable: the database can't be reached.
        """
        by_app: dict[str, list[Change]] = {}
        for listener in self._open.values():
            by_app.setdefault(listener.app_id, []).append((listener, True))
        for app_id, changes in by_app.items():
            for at in range(0, len(changes), CHUNK):
                some = changes[at : at + CHUNK]
                left = await self._store(app_id, some)
                for listener, _ in some:
                    # Its end may have been stored before this.
                    if listener.id not in self._open:
                        self._add(listener, is_open=False)
                if left:
                    raise Unavailable("Some sessions could not be stored again.")

    async def finish(self) -> None:
        """Wait until all changes are stored, as far as the database is there."""
        self._is_finishing = True
        await self.settle()

    async def settle(self) -> None:
        """Wait until all changes are stored."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _add(self, listener: Listener, *, is_open: bool) -> None:
        waiting = self._waiting.get(listener.app_id)
        if waiting is None:
            waiting = self._waiting[listener.app_id] = []
            task = asyncio.create_task(self._store_waiting(listener.app_id, waiting))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        waiting.append((listener, is_open))

    async def _store_waiting(self, app_id: str, waiting: list[Change]) -> None:
        """Store the changes of an app: the first at once, then what has come since."""
        while waiting:
            some = waiting[:CHUNK]
            del waiting[:CHUNK]
            began = time.perf_counter()
            try:
                left = await self._store(app_id, some)
            except Unavailable:
                left = some
            except Exception as defect:
                log.error("presence_defect", app=app_id, exc_info=defect)
                continue
            if self._is_finishing and left:
                break  # other nodes close the sessions when this one has ended
            # One that has ended meanwhile must not be stored as open after its end.
            waiting[:0] = [each for each in left if not each[1] or each[0].id in self._open]
            if not self._is_finishing:
                pause = GATHERING_SECONDS
                if len(waiting) >= CHUNK:
                    pause = min(pause, time.perf_counter() - began)
                await asyncio.sleep(RETRY_SECONDS if left else pause)
        del self._waiting[app_id]

    async def _store(self, app_id: str, changes: Sequence[Change]) -> list[Change]:
        """Store changes, and tell of them; return those that the database was away for."""
        outcomes = await store_sessions(self._runtime, app_id, [_stored(*each) for each in changes])
        left: list[Change] = []
        told: list[Presence] = []
        for (listener, is_open), outcome in zip(changes, outcomes, strict=True):
            if isinstance(outcome, Unavailable):
                left.append((listener, is_open))
            elif not isinstance(outcome, Refusal):
                told.append(outcome)
            elif is_open:  # otherwise the app is deleted
                listener.socket.close(TOKEN_REFUSED, outcome.message)
        await tell_changes(self._runtime, app_id, told)
        return left


def _stored(listener: Listener, is_open: bool) -> NewSession | EndedSession:
    if not is_open:
        return EndedSession(listener.id, listener.uid)
    device = listener.device
    return NewSession(
        listener.id,
        listener.uid,
        device.platform or None,
        device.resource or None,
        listener.connected_at,
    )
