"""The subscriptions of browsers, as `PushSubscription.toJSON()` returns them."""

import binascii
from base64 import urlsafe_b64decode
from dataclasses import dataclass
from urllib.parse import urlsplit

import msgspec
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey

from hubbub.providers.webpush.encryption import AUTH_BYTES, CURVE, POINT_BYTES, ReceiverKeys


class BadSubscription(Exception):
    """A text is not a subscription; the message says why."""


class _Keys(msgspec.Struct):
    p256dh: str
    auth: str


class _Json(msgspec.Struct):
    endpoint: str
    keys: _Keys


_decode = msgspec.json.Decoder(_Json).decode


@dataclass(frozen=True, slots=True)
class PushSubscription:
    """Where the pushes of a browser go, and for whom they are encrypted."""

    endpoint: str
    origin: str
    """The scheme, host and port of the endpoint; the usual port is left out (RFC 6454)."""
    keys: ReceiverKeys


def read_subscription(text: str) -> PushSubscription:
    """Return the subscription in a text.

    Raises:
        BadSubscription: it has none.
    """
    try:
        found = _decode(text)
        parts = urlsplit(found.endpoint)
    except (msgspec.DecodeError, ValueError, RecursionError):
        raise BadSubscription("The subscription is not valid.") from None
    if not parts.netloc:
        raise BadSubscription("The endpoint of the subscription is not valid.")
    origin = f"{parts.scheme}://{parts.netloc.removesuffix(':443')}".lower()
    return PushSubscription(found.endpoint, origin, _read_keys(found.keys))


def _read_keys(keys: _Keys) -> ReceiverKeys:
    try:
        point, auth = _decode_base64(keys.p256dh), _decode_base64(keys.auth)
        if len(point) != POINT_BYTES or len(auth) != AUTH_BYTES:
            raise BadSubscription("The keys of the subscription have wrong lengths.")
        return ReceiverKeys(EllipticCurvePublicKey.from_encoded_point(CURVE, point), auth)
    except (ValueError, binascii.Error):  # also a point that is not on the curve
        raise BadSubscription("The keys of the subscription are not valid.") from None


def _decode_base64(text: str) -> bytes:
    return urlsafe_b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))
