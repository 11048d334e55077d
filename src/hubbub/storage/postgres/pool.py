"""The open connections of a node: those that are idle, by what their sessions are for."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import asyncpg

Connection = Any  # asyncpg.Connection; its stubs lack what is said of statements

IDLE_SECONDS = 300.0
"""A connection that nobody has wanted for so long is closed."""
LONGEST_SECONDS = 3_600.0
"""An older one is closed when it is given back: the memory of its process grows."""
CLOSE_SECONDS = 5.0


class Plans(Enum):
    """How a session plans its statements; those of pages once, as their indexes are known.

    Otherwise PostgreSQL would plan some of them anew each time, which takes several times as long
    as to run them.
    """

    USUAL = "auto"
    ONCE = "force_generic_plan"


@dataclass(slots=True, eq=False)
class PooledConnection:
    """An open connection, and what the pool knows of it."""

    connection: Connection
    plans: Plans
    generation: int
    since: float
    idle_since: float = 0.0


Open = Callable[[Plans], Awaitable[Connection]]


@dataclass(slots=True, eq=False)
class ConnectionPool:
    """Idle connections, the one that was used last first; others are opened when none is left.

    Those who use it see to it that no more than `most` are taken.
    """

    open: Open
    most: int
    now: Callable[[], float] = time.monotonic
    size: int = 0
    """How many connections are open, or are being opened."""
    _idle: dict[Plans, deque[PooledConnection]] = field(
        default_factory=lambda: {plans: deque() for plans in Plans}
    )
    _generation: int = 0
    _closing: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def idle(self) -> int:
        """Return how many connections are open, and not taken."""
        return sum(map(len, self._idle.values()))

    async def take(self, plans: Plans) -> PooledConnection:
        """Return a connection that nobody uses; what the driver raises if none can be opened."""
        idle = self._idle[plans]
        while idle:
            session = idle.pop()
            if not session.connection.is_closed():
                return session
            self.size -= 1
        if self.size >= self.most:
            self._close_idle()
        self.size += 1
        try:
            connection = await self.open(plans)
        except BaseException:
            self.size -= 1
            raise
        return PooledConnection(connection, plans, self._generation, self.now())

    def give_back(self, session: PooledConnection) -> None:
        """Take a connection back; it is closed if it is old, or broken."""
        now = self.now()
        is_old = now - session.since > LONGEST_SECONDS or session.generation != self._generation
        if is_old or session.connection.is_closed():
            self._close(session)
            return
        session.idle_since = now
        idle = self._idle[session.plans]
        idle.append(session)
        if now - idle[0].idle_since > IDLE_SECONDS:
            self._close(idle.popleft())

    def expire(self) -> None:
        """Close all connections: those that are taken once they are given back."""
        self._generation += 1
        for idle in self._idle.values():
            while idle:
                self._close(idle.pop())

    async def close(self) -> None:
        """Close all connections, none of which is taken."""
        self.expire()
        if self._closing:
            await asyncio.wait(self._closing)

    def _close_idle(self) -> None:
        """Close a connection of another kind, if there is one, to make room."""
        for idle in self._idle.values():
            if idle:
                self._close(idle.popleft())
                return

    def _close(self, session: PooledConnection) -> None:
        self.size -= 1
        if session.connection.is_closed():
            session.connection.terminate()  # it lets go of what it has, too
            return
        task = asyncio.create_task(_end(session.connection))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


async def _end(connection: Connection) -> None:
    """Close a connection; cut it if the server does not answer."""
    with suppress(asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError):
        await connection.close(timeout=CLOSE_SECONDS)
