"""Calls of providers over HTTP, and what their answers mean for a notification."""

import asyncio
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from hubbub.kernel.clock import Clock
from hubbub.outbound.answer import Response
from hubbub.outbound.client import OutboundClient
from hubbub.outbound.errors import NotReached
from hubbub.providers.interface import SENT, Push, Result, SendOutcome

TIMEOUT_SECONDS = 10.0
"""What one call of a provider may take in all."""
MOST_REASON = 200
AT_ONCE = 100
"""How many calls one provider of an app is sent at the same time."""
TOO_MANY_REQUESTS = 429
SERVER_ERROR = 500

Value = TypeVar("Value")
ReadAnswer = Callable[[Response], Result]


@dataclass(frozen=True, slots=True)
class ProviderCaller:
    """Calls a provider, with a time limit."""

    outbound: OutboundClient
    clock: Clock
    timeout_seconds: float = TIMEOUT_SECONDS

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], read: ReadAnswer
    ) -> Result:
        """Make one call and return what its answer, which `read` reads, means.

        It has a connection of its own. Over one that was kept open, it may break because the server
        had just closed it, and nobody could tell whether the call was taken.
        """
        seconds = self.timeout_seconds
        try:
            answer = await self.outbound.post_once(url, body, headers, seconds=seconds, keeps=False)
        except NotReached as failure:
            return not_reached(failure)
        return read(answer)

    async def post_idempotent(
        self, url: str, body: bytes, headers: Mapping[str, str], read: ReadAnswer
    ) -> Result:
        """Do the same with a call that may be made twice, over a connection that is kept open."""
        try:
            answer = await self.outbound.post(url, body, headers, seconds=self.timeout_seconds)
        except NotReached as failure:
            return not_reached(failure)
        return read(answer)

    def judge(self, answer: Response, reason: str = "") -> Result:
        """Return what the status of an answer means, with a reason if the provider gave one."""
        outcome = judge_status(answer.status)
        if outcome is SendOutcome.SENT:
            return SENT
        said = reason or f"It answered with the status {answer.status}."
        return Result(outcome, said, self.read_retry_after(answer))

    def read_retry_after(self, answer: Response) -> float | None:
        """Return the seconds that the header Retry-After asks to wait for."""
        return answer.read_retry_after(self.clock.now())


def not_reached(failure: NotReached) -> Result:
    """Return what it means that there was no answer."""
    said = clean(str(failure))
    return Result(SendOutcome.LATER, said, detail=failure.detail if failure.detail != said else "")


async def send_each(
    pushes: Sequence[Push], send: Callable[[Push], Awaitable[Result]], slots: asyncio.Semaphore
) -> list[Result]:
    """Send pushes one by one, as many at the same time as there are slots."""

    async def send_one(push: Push) -> Result:
        async with slots:
            return await send(push)

    return await asyncio.gather(*map(send_one, pushes))


def judge_status(status: int) -> SendOutcome:
    """Return what a status means: failures of servers pass, refusals don't."""
    if 200 <= status < 300:
        return SendOutcome.SENT
    if status == TOO_MANY_REQUESTS:
        return SendOutcome.SLOWER
    return SendOutcome.LATER if status >= SERVER_ERROR else SendOutcome.REFUSED


def read_json(answer: Response, decode: Callable[[bytes], Value], otherwise: Value) -> Value:
    """Return what an answer says, or something else if it can't be read."""
    try:
        return decode(answer.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return otherwise


def clean(said: str, *secrets: str | None) -> str:
    """Return what a provider said on one line, not too long, and without secrets."""
    for secret in filter(None, secrets):
        said = said.replace(secret, "•••")
    line = "".join(letter if letter.isprintable() else " " for letter in said)
    return line[:MOST_REASON].strip()


def basic_auth(username: str | None, password: str | None) -> dict[str, str]:
    """Return the header of Basic authentication (RFC 7617)."""
    pair = f"{username or ''}:{password or ''}".encode()
    return {"Authorization": f"Basic {b64encode(pair).decode()}"}
