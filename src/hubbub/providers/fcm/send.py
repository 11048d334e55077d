"""The sender for FCM."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

import msgspec

from hubbub.outbound.answer import Response
from hubbub.outbound.http2.calls import Post
from hubbub.providers.calls import ProviderCaller, clean, read_json
from hubbub.providers.fcm.message import Message, Target, build_message, to_strings
from hubbub.providers.fcm.token import GoogleTokens
from hubbub.providers.fit import fit
from hubbub.providers.interface import SENT, Push, Result, SendOutcome
from hubbub.providers.posting import PushEndpoint, WrittenPush
from hubbub.providers.tokens import TokenCache
from hubbub.records.notifications.setups import FcmSetup, Platforms, ServiceAccount

MOST_PAYLOAD_BYTES = 4096
TOO_LARGE = Result(SendOutcome.REFUSED, f"The payload has more than {MOST_PAYLOAD_BYTES} bytes.")
SUCCESS, UNAUTHENTICATED, NOT_FOUND = 200, 401, 404
UNREGISTERED, OTHER_CREDENTIALS = "UNREGISTERED", "THIRD_PARTY_AUTH_ERROR"

_encode = msgspec.json.Encoder().encode


class _Detail(msgspec.Struct):
    errorCode: str = ""  # noqa: N815  # as on the wire


class _FcmError(msgspec.Struct):
    status: str = ""
    message: str = ""
    details: list[_Detail] = []


class _FcmRefusal(msgspec.Struct):
    error: _FcmError = msgspec.field(default_factory=_FcmError)


_read_refusal = msgspec.json.Decoder(_FcmRefusal).decode


class Fcm:
    """Sends pushes through FCM; keep one for each setup: it keeps the access token."""

    def __init__(self, caller: ProviderCaller, setup: FcmSetup, url: str, token_url: str) -> None:
        account = setup.service_account_creds or ServiceAccount()
        self._caller = caller
        self._writer = _Writer(setup.notification_in_payload)
        self._path = (
            f"/v1/projects/{quote(account.project_id or '', safe='')}/messages:send".encode()
        )
        self._gateway = PushEndpoint(
            caller,
            url,
            owner=f"fcm {account.project_id} {account.client_email}",
            tokens=TokenCache(GoogleTokens(caller, account, token_url).make, caller.clock),
            fields=((b"content-type", b"application/json"),),
            scheme="Bearer",
            read=self._read,
            is_stale=_is_stale,
        )

    def render(self, push: Push) -> Mapping[str, Any]:
        """Return the message that would be sent, without the token of the device."""
        return self._write(push, self._caller.clock.now()).payload

    async def send(self, pushes: Sequence[Push]) -> Sequence[Result]:
        """Send pushes; return their results in order."""
        write = partial(self._write, now=self._caller.clock.now())
        return await self._gateway.send(pushes, write)

    def _write(self, push: Push, now: int) -> WrittenPush:
        """Return the request of a push, and what it says without the token of the device."""
        written = self._writer.write(push, now)
        if written is None:
            return WrittenPush({"type": "fcm", "error": TOO_LARGE.reason}, TOO_LARGE)
        message, body = written
        del message["token"]
        return WrittenPush({"type": "fcm", **message}, Post(self._path, (), body))

    def _read(self, answer: Response) -> Result:
        """Return the result that an answer gives."""
        if answer.status == SUCCESS:
            return SENT
        reason = _reason_of(answer)
        if answer.status == NOT_FOUND and reason == UNREGISTERED:
            return Result(SendOutcome.GONE, reason)
        return self._caller.judge(answer, reason)


class _Writer:
    """Writes messages."""

    def __init__(self, platforms: Platforms | None) -> None:
        self._platforms = platforms
        self._latest: tuple[Mapping[str, Any], dict[str, str]] = {}, {}
        """The fields of the latest push, which the next one often shares, and their strings."""

    def write(self, push: Push, now: int) -> tuple[Message, bytes] | None:
        """Return a message and the body with it, within the limit; None if that can't be."""
        token = push.token
        target = Target.of(push, self._platforms, now)
        message: Message = {}

        def encode(fields: Mapping[str, Any]) -> bytes:
            nonlocal message
            message = build_message(self._to_strings(fields), push, target)
            message["token"] = token
            return _encode({"message": message})

        body = fit(encode, push.fields, MOST_PAYLOAD_BYTES + len(_encode(token)))
        return None if body is None else (message, body)

    def _to_strings(self, fields: Mapping[str, Any]) -> dict[str, str]:
        if fields is not self._latest[0]:
            self._latest = fields, to_strings(fields)
        return self._latest[1]


def _is_stale(answer: Response) -> bool:
    """Return whether the access token has ended; a new one does not help with other credentials."""
    return answer.status == UNAUTHENTICATED and _reason_of(answer) != OTHER_CREDENTIALS


def _reason_of(answer: Response) -> str:
    """Return the word of FCM for an error, or the status of Google's interfaces."""
    error = read_json(answer, _read_refusal, _FcmRefusal()).error
    codes = (detail.errorCode for detail in error.details)
    return clean(next(filter(None, codes), error.status))
