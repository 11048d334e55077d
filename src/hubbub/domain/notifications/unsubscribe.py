"""Links by which people end, and begin again, the e-mails of an app.

The link is its own permission: it names the person, sealed with the key of the installation. Their
number is in it, so that it is none for a later user with the same uid.
"""

import base64
import binascii
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import msgspec

from hubbub.kernel.sealing import NotOurSecret
from hubbub.records.notifications.sending.digests import subscribe, unsubscribe
from hubbub.records.users.store import find_numbers
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

PATH = "/v3/notifications/email/v1/unsubscribe"
_PLACE = "unsubscribe"
_LONGEST = 1_000
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Subscriber:
    """Whom a link is for."""

    app_id: str
    uid: str
    channel: str
    number: int | None = None
    """The user's number; links of earlier versions, which go on working, have none."""


_decode = msgspec.json.Decoder(Subscriber).decode


def unsubscribe_url(runtime: Runtime, subscriber: Subscriber) -> str:
    """Return the link for a person; empty if nobody could follow it: no public URL is set."""
    address = runtime.settings.public_url.rstrip("/")
    if not address:
        return ""
    sealed = runtime.sealer.seal(_encode(subscriber).decode(), _PLACE)
    return f"{address}{PATH}/{_encode_token(sealed)}"


def _encode_token(sealed: str) -> str:
    return base64.urlsafe_b64encode(sealed.encode()).decode().rstrip("=")


def read_link(runtime: Runtime, token: str) -> Subscriber | None:
    """Return whom a link is for; None if it is not one of ours."""
    if len(token) > _LONGEST:
        return None
    try:
        sealed = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode()
        if _encode_token(sealed) != token:  # the decoder skips what is no base64
            return None
        return _decode(runtime.sealer.open(sealed, _PLACE))
    except (binascii.Error, ValueError, NotOurSecret, msgspec.MsgspecError):
        return None


async def end_digests(runtime: Runtime, subscriber: Subscriber) -> None:
    """Write to a person no more."""
    await _change(runtime, subscriber, unsubscribe)


async def begin_digests(runtime: Runtime, subscriber: Subscriber) -> None:
    """Write to a person again."""
    await _change(runtime, subscriber, subscribe)


async def _change(
    runtime: Runtime,
    subscriber: Subscriber,
    change: Callable[[Transaction, str, str], Awaitable[None]],
) -> None:
    async def within(tx: Transaction) -> None:
        number = (await find_numbers(tx, [subscriber.uid])).get(subscriber.uid)
        if number is not None and subscriber.number in (None, number):
            await change(tx, subscriber.uid, subscriber.channel)

    await runtime.database.write(subscriber.app_id, within)
