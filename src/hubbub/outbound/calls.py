"""The calls that are under way, and for which app: each has a part of the places, others wait."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from urllib.parse import urlsplit

from hubbub.kernel.places import Places
from hubbub.kernel.turns import QueueFull
from hubbub.outbound.errors import NotReached

APP: ContextVar[str] = ContextVar("app", default="")
"""The app that calls are made for; empty: the domain of the host stands for it."""
MOST_CALLS = 4_000
MOST_OF_APP = 600
"""Web Push alone has up to 500 of them."""
MOST_WAITING = 1_000


def party_of(host: str) -> str:
    """Return the app that a call to a host is made for, or the last two labels of its name."""
    return APP.get() or ".".join(host.rstrip(".").rsplit(".", 2)[-2:])


class Calls:
    """Places for calls, by app. A server that never answers one app holds up no other."""

    def __init__(
        self,
        most: int = MOST_CALLS,
        *,
        most_of_app: int = MOST_OF_APP,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        self.places = Places(most, most_waiting=most_waiting, most_of_app=most_of_app)

    @asynccontextmanager
    async def under_way(self, url: str) -> AsyncIterator[None]:
        """Have a place inside the block, once it is the turn of the app.

        Raises:
            NotReached: too many calls of the app wait.
        """
        try:
            place = await self.places.take(party_of(urlsplit(url).hostname or ""))
        except QueueFull:
            raise NotReached("Too many calls of the app are waiting already.") from None
        try:
            yield
        finally:
            self.places.give_back(place)
