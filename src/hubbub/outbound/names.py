"""Look-ups of host names, each in a thread of its own.

The event loop has few threads for look-ups, and they are busy as long as a name server is silent.
So a customer whose name server is slow would hold up the calls of all others.
"""

import asyncio
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

MOST_LOOKUPS = 500
NUMERIC = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV

Look = Callable[..., list[Any]]
"""Looks a name up like `socket.getaddrinfo`, and waits for the answer."""
Found = asyncio.Future[list[Any]]


class Resolver(AbstractResolver):
    """Looks host names up; those who ask for the same name at the same time share the answer."""

    def __init__(self, look: Look = socket.getaddrinfo) -> None:
        self._look = look
        self._running: dict[tuple[str, int], Found] = {}

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the addresses of a name.

        Raises:
            OSError: it has none, or too many names are being looked up.
        """
        found = self._running.get((host, family)) or self._start(host, family)
        return [
            ResolveResult(
                hostname=host, host=address[0], port=port, family=kind, proto=proto, flags=NUMERIC
            )
            for kind, _, proto, _, address in await asyncio.shield(found)
            if kind == socket.AF_INET or not address[3]  # a link-local one is not public
        ]

    async def close(self) -> None:
        """Do nothing: a look-up can't be ended, and its thread does not keep the process alive."""

    def _start(self, host: str, family: int) -> Found:
        if len(self._running) >= MOST_LOOKUPS:
            raise OSError(None, "too many names are being looked up")
        found: Found = asyncio.get_running_loop().create_future()
        self._running[host, family] = found
        found.add_done_callback(partial(self._finish, (host, family)))
        threading.Thread(target=self._run, args=(host, family, found), daemon=True).start()
        return found

    def _finish(self, key: tuple[str, int], found: Found) -> None:
        del self._running[key]
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
