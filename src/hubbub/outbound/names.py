"""Look-ups of host names, each in a thread of its own.

The event loop has few threads for look-ups, and they are busy as long as a name server is silent.
So a customer whose name server is slow would hold up the calls of all others.
"""

import asyncio
import socket
import threading
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

from hubbub.outbound.calls import party_of

MOST_LOOKUPS = 500
"""The threads of a node for look-ups."""
MOST_OF_ONE = 16
"""The threads of one app."""
MOST_WAITING = 1_000
"""The look-ups of one app that wait for a thread."""
LONGEST_SECONDS = 10.0
NUMERIC = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV

Look = Callable[..., list[Any]]
"""Looks a name up like `socket.getaddrinfo`, and waits for the answer."""
Found = asyncio.Future[list[Any]]


class Resolver(AbstractResolver):
    """Looks host names up; those who ask for the same name at the same time share the answer.

    An app has a few look-ups at once; its others wait, and apps take turns. So names whose servers
    are silent hold up the app that asks for them, and no other one.
    """

    def __init__(
        self,
        look: Look = socket.getaddrinfo,
        *,
        longest_seconds: float = LONGEST_SECONDS,
        most: int = MOST_LOOKUPS,
        most_of_one: int = MOST_OF_ONE,
    ) -> None:
        self._look = look
        self._longest_seconds = longest_seconds
        self._most = most
        self._most_of_one = most_of_one
        self._running: dict[tuple[str, int], Found] = {}
        self._counts: Counter[str] = Counter()
        """The look-ups that run for each app."""
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        """Those who wait for their turn, by app; the next turn is the first one's."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the addresses of a name.

        Raises:
            OSError: it has none, or the look-up takes too long, or too many wait.
        """
        try:
            async with asyncio.timeout(self._longest_seconds):
                addresses = await self._find(host, family, party_of(host))
        except TimeoutError:
            raise OSError(None, "the look-up of the name took too long") from None
        return [
            ResolveResult(
                hostname=host, host=address[0], port=port, family=kind, proto=proto, flags=NUMERIC
            )
            for kind, _, proto, _, address in addresses
            if kind == socket.AF_INET or not address[3]  # a link-local one is not public
        ]

    async def close(self) -> None:
        """Do nothing: a look-up can't be ended, and its thread does not keep the process alive."""

    async def _find(self, host: str, family: int, app: str) -> list[Any]:
        while (found := self._running.get((host, family))) is None:
            if self._may_start(app):
                found = self._start(host, family, app)
                break
            await self._wait(app)
        self._wake()  # a place that was kept for this one may be free still
        return await asyncio.shield(found)

    def _may_start(self, app: str) -> bool:
        return len(self._running) < self._most and self._counts[app] < self._most_of_one

    async def _wait(self, app: str) -> None:
        turns = self._waiting.setdefault(app, deque())
        if len(turns) >= MOST_WAITING:
            raise OSError(None, "too many names are being looked up")
        turn = asyncio.get_running_loop().create_future()
        turns.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn in turns:
                turns.remove(turn)
            self._wake()
            raise

    def _wake(self) -> None:
        """Give the next turn to the first app that may have one, which is the last one then."""
        for app in list(self._waiting):
            if not self._waiting[app]:
                del self._waiting[app]
            elif self._may_start(app):
                turns = self._waiting.pop(app)
                turn = turns.popleft()
                self._waiting[app] = turns
                if not turn.done():
                    turn.set_result(None)
                    return

    def _start(self, host: str, family: int, app: str) -> Found:
        found: Found = asyncio.get_running_loop().create_future()
        self._running[host, family] = found
        self._counts[app] += 1
        found.add_done_callback(partial(self._finish, (host, family), app))
        threading.Thread(target=self._run, args=(host, family, found), daemon=True).start()
        return found

    def _finish(self, key: tuple[str, int], app: str, found: Found) -> None:
        del self._running[key]
        self._counts[app] -= 1
        if not self._counts[app]:
            del self._counts[app]
        self._wake()
        if not found.cancelled():
            found.exception()  # nobody may wait for it any more

    def _run(self, host: str, family: int, found: Found) -> None:
        """Look a name up, in its thread."""
        addresses: list[Any] = []
        failure: Exception | None = None
        try:
            addresses = self._look(
                host, 0, family=family, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG
            )
        except (OSError, UnicodeError) as error:
            failure = error
        with suppress(RuntimeError):  # the loop is closed: the node has ended
            found.get_loop().call_soon_threadsafe(_set, found, addresses, failure)


def _set(found: Found, addresses: list[Any], failure: Exception | None) -> None:
    if found.done():
        return
    if failure is None:
        found.set_result(addresses)
    else:
        found.set_exception(failure)
