"""Send pushes to the browsers of people, each through the push service that it has chosen."""

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from hubbub.outbound.answer import Response
from hubbub.providers.calls import ProviderCaller, send_each
from hubbub.providers.custom import describe
from hubbub.providers.fit import fit
from hubbub.providers.interface import Push, Result, SendOutcome
from hubbub.providers.jwt import encode_base64
from hubbub.providers.tokens import NoToken
from hubbub.providers.webpush.encryption import MOST_PLAIN_BYTES, encrypt
from hubbub.providers.webpush.subscription import BadSubscription, read_subscription
from hubbub.providers.webpush.vapid import Vapid

GONE = {404, 410}
MOST_TOPIC = 32
AT_ONCE = 500
TIMEOUT_SECONDS = 5.0
"""People choose their push services: the slow ones must leave room for the others."""
RESTING_SECONDS = 30.0
"""A push service that was not reached is not called for so long, whomever it is for."""
MISSES_IN_ROW = 3
"""It rests after so many calls without an answer: one broken connection says nothing of it."""
MOST_RESTING = 1_000
NOT_REACHED = Result(
    SendOutcome.LATER, "The push service was not reached a moment ago.", is_recipients=True
)
TOO_LONG = Result(
    SendOutcome.REFUSED, "The payload is too long, even without its message and body."
)

_encode = msgspec.json.Encoder().encode


class WebPush:
    """Web Push with the key of an app."""

    def __init__(self, caller: ProviderCaller, vapid: Vapid) -> None:
        self._caller = caller
        self._vapid = vapid
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._misses: dict[str, int] = {}
        """The calls in a row that push services have not answered."""
        self._resting: dict[str, float] = {}
        """Push services that were not reached, and until when they are left alone (monotonic)."""

    def render(self, push: Push) -> dict[str, Any]:
        return self._show(push, _write(push))

    def _show(self, push: Push, plain: bytes | None) -> dict[str, Any]:
        # Who knows the endpoint and its keys could push to that browser.
        return {
            "headers": self._make_headers(push),
            "payload": json.loads(plain) if plain else None,
        }

    async def send(self, pushes: Sequence[Push]) -> list[Result]:
        return await send_each(pushes, self._send_one, self._slots)

    async def _send_one(self, push: Push) -> Result:
        plain = _write(push)
        result = TOO_LONG if plain is None else await self._send_plain(push, plain)
        return result.of(self._show(push, plain))

    async def _send_plain(self, push: Push, plain: bytes) -> Result:
        try:
            subscription = read_subscription(push.token)
            authorization = self._vapid.authorize(subscription.origin)
        except BadSubscription as fault:
            return Result(SendOutcome.REFUSED, str(fault))
        except NoToken as failure:
            return failure.result
        headers = {
            **self._make_headers(push),
            "Authorization": authorization,
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
        }
        body = encrypt(plain, subscription.keys)
        return await self._call(subscription.origin, subscription.endpoint, body, headers)

    async def _call(
        self, origin: str, endpoint: str, body: bytes, headers: Mapping[str, str]
    ) -> Result:
        """Call a push service; its failures are those of the recipient, not of the app."""
        now = self._caller.clock.monotonic()
        if self._resting.get(origin, now) > now:
            return NOT_REACHED
        self._resting.pop(origin, None)
        answers: list[Response] = []

        def read(answer: Response) -> Result:
            answers.append(answer)
            return self._read(answer)

        # Of two pushes with the same topic the second one replaces the first (RFC 8030, 5.4).
        result = await self._caller.post_idempotent(endpoint, body, headers, read)
        self._note(origin, is_answered=bool(answers))
        return replace(result, is_recipients=result.outcome is SendOutcome.LATER)

    def _note(self, origin: str, *, is_answered: bool) -> None:
        """Note whether a push service has answered; let it rest if it often has not."""
        if is_answered:
            self._misses.pop(origin, None)
            return
        misses = self._misses.get(origin, 0) + 1
        if misses < MISSES_IN_ROW and len(self._misses) < MOST_RESTING:
            self._misses[origin] = misses
        elif len(self._resting) < MOST_RESTING:
            self._misses.pop(origin, None)
            self._resting[origin] = self._caller.clock.monotonic() + RESTING_SECONDS

    def _make_headers(self, push: Push) -> dict[str, str]:
        ttl = max(0, push.expires_at - self._caller.clock.now())
        return {"TTL": str(ttl), "Urgency": "high", "Topic": make_topic(push.collapse_id)}

    def _read(self, answer: Response) -> Result:
        result = self._caller.judge(answer)
        if answer.status in GONE:
            return Result(SendOutcome.GONE, result.reason)
        if result.outcome is SendOutcome.SLOWER:
            # A limit of the service that one person has chosen must not hold up the others.
            return Result(SendOutcome.LATER, result.reason, result.retry_after)
        return result


def make_topic(collapse_id: str) -> str:
    """Return the topic for a collapse id: at most 32 letters of base64url (RFC 8030, 5.4)."""
    return encode_base64(hashlib.sha256(collapse_id.encode()).digest()).decode()[:MOST_TOPIC]


def _write(push: Push) -> bytes | None:
    """Return the payload as JSON; None if it is too long."""
    return fit(_encode, describe(push), MOST_PLAIN_BYTES)
