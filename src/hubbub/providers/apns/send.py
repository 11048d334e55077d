"""The sender for APNs."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote

import msgspec

from hubbub.kernel.clock import Clock
from hubbub.outbound.answer import Response
from hubbub.outbound.http2.calls import Post
from hubbub.providers.apns.payload import (
    VOIP,
    ApnsEnvelope,
    Payload,
    build_payload,
    find_alert,
)
from hubbub.providers.calls import ProviderCaller, clean, read_json
from hubbub.providers.fit import fit
from hubbub.providers.interface import SENT, Push, Result, SendOutcome
from hubbub.providers.jwt import load_p256_key, sign_es256, sign_jwt
from hubbub.providers.posting import PushEndpoint, WrittenPush
from hubbub.providers.tokens import NoToken, Token, TokenCache
from hubbub.records.notifications.setups import ApnsSetup

USE_SECONDS = 40 * 60.0
"""APNs takes a token for an hour, and refuses new ones that come sooner than after 20 minutes."""
MOST_PAYLOAD_BYTES, MOST_VOIP_BYTES = 4096, 5120
TOO_LARGE = Result(SendOutcome.REFUSED, "PayloadTooLarge")
SUCCESS, BAD_REQUEST, FORBIDDEN, GONE = 200, 400, 403, 410
REMOVED = {(GONE, "Unregistered"), (BAD_REQUEST, "BadDeviceToken")}
TOO_MANY_TO_DEVICE = "TooManyRequests"
EXPIRED_TOKEN = "ExpiredProviderToken"  # noqa: S105  # the name of an error
_IDS = uuid.UUID("6f1b3a0e-52c5-4f6e-9a35-6f3f0f3d8a11")
"""The name space of the ids of pushes."""

_encode = msgspec.json.Encoder().encode


class ProviderTokens:
    """Signs provider tokens."""

    def __init__(self, clock: Clock, setup: ApnsSetup) -> None:
        self._clock = clock
        self._setup = setup

    async def make(self) -> Token:
        """Return a new token.

        Raises:
            NoToken: the key can't sign.
        """
        setup = self._setup
        key = load_p256_key(setup.p8_key or "")
        if key is None:
            raise NoToken(Result(SendOutcome.REFUSED, "No token: p8Key is not an EC key of P-256."))
        header = {"alg": "ES256", "kid": setup.key_id}
        claims = {"iss": setup.team_id, "iat": self._clock.now()}
        return Token(sign_jwt(header, claims, partial(sign_es256, key)), USE_SECONDS)


class _ApnsRefusal(msgspec.Struct):
    reason: str = ""


_read_refusal = msgspec.json.Decoder(_ApnsRefusal).decode


class Apns:
    """Sends pushes through APNs; keep one for each setup: it keeps the provider token."""

    def __init__(self, caller: ProviderCaller, setup: ApnsSetup, url: str) -> None:
        self._caller = caller
        self._setup = setup
        self._gateway = PushEndpoint(
            caller,
            url,
            owner=f"apns {setup.team_id} {setup.key_id} {setup.bundle_id}",
            tokens=TokenCache(ProviderTokens(caller.clock, setup).make, caller.clock),
            fields=(),
            scheme="bearer",
            read=self._read,
            is_stale=_is_stale,
        )

    def render(self, push: Push) -> Mapping[str, Any]:
        """Return what would be sent."""
        return self._write(push).payload

    async def send(self, pushes: Sequence[Push]) -> Sequence[Result]:
        """Send pushes; return their results in order."""
        return await self._gateway.send(pushes, self._write)

    def _write(self, push: Push) -> WrittenPush:
        """Return the request of a push, and what it says."""
        envelope = ApnsEnvelope.of(push, self._setup)
        written = self._write_payload(push, envelope)
        if written is None:
            return WrittenPush({"type": "apns", "error": TOO_LARGE.reason}, TOO_LARGE)
        payload, body = written
        path = f"/3/device/{quote(push.token, safe='')}"
        request = Post(path.encode(), _fields(push, envelope), body)
        aps = payload.pop("aps")
        shown = {
            "payload": payload,
            "contentAvailable": aps.get("content-available", 0),
            "mutableContent": aps.get("mutable-content", 0),
            "topic": envelope.topic,
            "alert": find_alert(payload),
            "badge": push.unread,
            "priority": envelope.priority,
            "pushType": envelope.push_type,
            "sound": push.sound,
            "collapseId": push.collapse_id,
            "expiry": push.expires_at,
            "type": "apns",
        }
        return WrittenPush(shown, request)

    def _write_payload(self, push: Push, envelope: ApnsEnvelope) -> tuple[Payload, bytes] | None:
        """Return a payload, also as JSON, within the limit; None if that can't be."""
        payload: Payload = {}

        def encode(fields: Mapping[str, Any]) -> bytes:
            nonlocal payload
            payload = build_payload(fields, push, envelope, self._setup)
            return _encode(payload)

        limit = MOST_VOIP_BYTES if envelope.push_type == VOIP else MOST_PAYLOAD_BYTES
        body = fit(encode, push.fields, limit)
        return None if body is None else (payload, body)

    def _read(self, answer: Response) -> Result:
        """Return the result that an answer gives."""
        if answer.status == SUCCESS:
            return SENT
        reason = _reason_of(answer)
        if (answer.status, reason) in REMOVED:
            return Result(SendOutcome.GONE, reason)
        result = self._caller.judge(answer, reason)
        if reason == TOO_MANY_TO_DEVICE:  # which says nothing about other devices
            return replace(result, outcome=SendOutcome.LATER)
        return result


def _fields(push: Push, envelope: ApnsEnvelope) -> tuple[tuple[bytes, bytes], ...]:
    """Return the header fields of a push; its id is the same for every try."""
    push_id = uuid.uuid5(_IDS, f"{push.collapse_id} {push.token}")
    return (
        (b"apns-topic", envelope.topic.encode()),
        (b"apns-push-type", envelope.push_type.encode()),
        (b"apns-priority", b"%d" % envelope.priority),
        (b"apns-expiration", b"%d" % push.expires_at),
        (b"apns-collapse-id", push.collapse_id.encode()),
        (b"apns-id", f"{push_id}".encode()),
    )


def _is_stale(answer: Response) -> bool:
    return answer.status == FORBIDDEN and _reason_of(answer) == EXPIRED_TOKEN


def _reason_of(answer: Response) -> str:
    return clean(read_json(answer, _read_refusal, _ApnsRefusal()).reason)
