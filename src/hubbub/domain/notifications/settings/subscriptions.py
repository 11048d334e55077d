"""Check Web Push subscriptions, as browsers give them: RFC 8030 and 8291."""

import base64
import binascii

import msgspec
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey

from hubbub.kernel.errors import BadInput
from hubbub.outbound.client import OutboundClient
from hubbub.outbound.errors import NotReached
from hubbub.records.devices.model import LONGEST_TOKEN, Keys, StoredSubscription

POINT_BYTES, SECRET_BYTES = 65, 16


def encode_subscription(outbound: OutboundClient, given: StoredSubscription) -> str:
    """Return the JSON of a subscription in its one form, to be stored as the token.

    Raises:
        BadInput: it is too long, its endpoint may not be called, or a key is not one.
    """
    faults: dict[str, list[str]] = {}
    try:
        outbound.check_stored(given.endpoint)
    except NotReached as reason:
        faults["subscription.endpoint"] = [str(reason)]
    point, secret = _decode(given.keys.p256dh), _decode(given.keys.auth)
    if not _is_point(point):
        faults["subscription.keys.p256dh"] = [
            f"This must be an uncompressed point of P-256: {POINT_BYTES} bytes in base64url."
        ]
    if len(secret) != SECRET_BYTES:
        faults["subscription.keys.auth"] = [f"This must be {SECRET_BYTES} bytes in base64url."]
    text = _encode_json(StoredSubscription(given.endpoint, Keys(_encode(point), _encode(secret))))
    if not faults and len(text) > LONGEST_TOKEN:
        faults["subscription"] = [f"This must have at most {LONGEST_TOKEN} characters as JSON."]
    if faults:
        raise BadInput.fields(faults)
    return text


def _is_point(point: bytes) -> bool:
    if len(point) != POINT_BYTES:
        return False
    try:
        EllipticCurvePublicKey.from_encoded_point(SECP256R1(), point)
    except ValueError:
        return False
    return True


def _decode(text: str) -> bytes:
    """Return the bytes of base64url, with or without padding; none if it is something else."""
    unpadded = text.rstrip("=")
    try:
        return base64.b64decode(unpadded + "=" * (-len(unpadded) % 4), "-_", validate=True)
    except (ValueError, binascii.Error):
        return b""


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _encode_json(subscription: StoredSubscription) -> str:
    return msgspec.json.encode(subscription).decode()
