"""The connections to one server, and the calls that wait for room on them."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from hubbub.outbound.errors import NotReached
from hubbub.outbound.http2.calls import Outcome, PendingRequest, Post, RequestBatch
from hubbub.outbound.http2.connection import Http2Connection
from hubbub.outbound.http2.headers import Fields

MOST_CONNECTIONS = 8
MOST_TRIES = 3
"""How often a call is made that the server says it has not looked at."""
IDLE_SECONDS = 120.0
PAUSE_SECONDS = 5.0
"""After a connection could not be opened, while others are open."""

Connect = Callable[[Callable[[], Http2Connection]], Awaitable[None]]
"""Opens a connection, within the time limit; raises `NotReached`."""


class Pool:
    """A few connections, each with many calls at once."""

    def __init__(
        self,
        connect: Connect,
        *,
        seconds: float,
        idle_seconds: float = IDLE_SECONDS,
        when_empty: Callable[[], object] = lambda: None,
    ) -> None:
        self.queue: deque[PendingRequest] = deque()
        self.seconds = seconds
        self._idle_seconds = idle_seconds
        self._connect = connect
        self._when_empty = when_empty
        self._connections: list[Http2Connection] = []
        self._opening: asyncio.Task[None] | None = None
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._moved_at = 0.0
        """When the queue last moved."""
        self._no_more_until = 0.0
        self._is_closed = False

    async def post_all(self, requests: Sequence[Post], common: Fields) -> list[Outcome]:
        """Make requests, and return their outcomes in the same order."""
        batch = RequestBatch(requests, common)
        if not self.queue:
            self._moved_at = self._loop.time()
        self.queue.extend(PendingRequest(batch, index) for index in range(len(requests)))
        self.fill()
        self._watch()
        return await batch.wait()

    def fill(self) -> None:
        """Start calls that wait, and open another connection if there is no room for all."""
        for connection in self._connections:
            if self.queue and connection.has_room:
                connection.fill()
        if self.queue and self._may_open():
            self._opening = self._loop.create_task(self._open())

    def repeat(self, call: PendingRequest, reason: str) -> None:
        call.tries += 1
        if call.tries < MOST_TRIES and not self._is_closed:
            self.queue.appendleft(call)
        else:
            call.end(NotReached(reason))

    def add(self, connection: Http2Connection) -> None:
        self._connections.append(connection)

    def remove(self, connection: Http2Connection, reason: str) -> None:
        self._connections.remove(connection)
        if not self._connections and not connection.was_used:
            self._fail(reason)  # another one would end like this
        self.fill()

    async def close(self) -> None:
        """Close the connections; calls that wait fail."""
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.wait([self._opening])
        for connection in list(self._connections):
            connection.end("The node is ending.")
        self._fail("The node is ending.")

    def _may_open(self) -> bool:
        """Return whether another connection is of use: each that is open is ready and full."""
        if self._opening is not None or self._is_closed:
            return False
        if not self._connections:
            return True
        return (
            len(self._connections) < MOST_CONNECTIONS
            and all(each.is_ready for each in self._connections)
            and self._loop.time() >= self._no_more_until
        )

    async def _open(self) -> None:
        try:
            await self._connect(partial(Http2Connection, self))
        except NotReached as failure:
            self._no_more_until = self._loop.time() + PAUSE_SECONDS
            if not self._connections:
                self._fail(f"{failure}")
        finally:
            self._opening = None

    def _fail(self, reason: str) -> None:
        """End all calls that wait: there is nobody to make them to."""
        waiting = list(self.queue)
        self.queue.clear()
        for call in waiting:
            call.end(NotReached(reason))

    def _watch(self) -> None:
        if self._timer is None and not self._is_closed:
            self._timer = self._loop.call_later(min(1.0, self.seconds / 4), self._look)

    def _look(self) -> None:
        """Look after calls that take too long, and connections that nobody uses."""
        self._timer = None
        now = self._loop.time()
        for connection in list(self._connections):
            connection.expire(now)
            if connection.is_idle and connection.used_at < now - self._idle_seconds:
                connection.end("It was not used.")
        self._check_queue(now)
        if self._connections or self.queue or self._opening:
            self._watch()
        else:
            self._when_empty()

    def _check_queue(self, now: float) -> None:
        """Fail the calls that wait if none has been started or answered for too long."""
        latest = max((each.used_at for each in self._connections), default=0.0)
        self._moved_at = max(self._moved_at, latest)
        if self.queue and self._moved_at <= now - self.seconds:
            self._fail(f"It took more than {self.seconds:g} seconds.")
