"""Tokens that gateways ask for with each call: kept, and made anew by one caller at a time."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hubbub.kernel.clock import Clock
from hubbub.providers.interface import Result

FAILURE_SECONDS = 2.0


class NoToken(Exception):
    """There is no token; `result` is that of all pushes that need it."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.reason)
        self.result = result


@dataclass(frozen=True, slots=True)
class Token:
    """A token, and how long it may be used."""

    value: str
    seconds: float


class TokenCache:
    """Keeps the latest token; those who need a new one at the same time share it.

    That there is none is kept, too, for a moment: each call would ask again otherwise.
    """

    def __init__(self, make: Callable[[], Awaitable[Token]], clock: Clock) -> None:
        self._make = make
        self._clock = clock
        self._lock = asyncio.Lock()
        self._token: Token | None = None
        self._usable_until = 0.0
        self._failure: Result | None = None
        self._failed_until = 0.0

    async def get(self) -> str:
        """Return a token that may be used.

        Raises:
            NoToken: there is none.
        """
        if self._token is not None and self._clock.monotonic() < self._usable_until:
            return self._token.value
        return await self.renew(self._token.value if self._token else None)

    async def renew(self, refused: str | None) -> str:
        """Return a token other than one that was refused, which may have been replaced already.

        Raises:
            NoToken: there is none.
        """
        async with self._lock:
            if self._token is None or self._token.value == refused:
                self._token = await self._make_one()
                self._usable_until = self._clock.monotonic() + self._token.seconds
            return self._token.value

    async def _make_one(self) -> Token:
        self._token = None
        if self._failure is not None and self._clock.monotonic() < self._failed_until:
            raise NoToken(self._failure)
        try:
            return await self._make()
        except NoToken as failure:
            self._failure = failure.result
            self._failed_until = self._clock.monotonic() + FAILURE_SECONDS
            raise
