"""Encrypt a message for a browser: RFC 8291 over the content encoding of RFC 8188."""

import secrets
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDH,
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CURVE = SECP256R1()
SALT_BYTES, AUTH_BYTES, POINT_BYTES, TAG_BYTES = 16, 16, 65, 16
RECORD_BYTES = 4096
"""The size of a record, and what every push service accepts (RFC 8030, section 7.2)."""
HEADER_BYTES = SALT_BYTES + 4 + 1 + POINT_BYTES
LAST_RECORD = b"\x02"
MOST_PLAIN_BYTES = RECORD_BYTES - HEADER_BYTES - len(LAST_RECORD) - TAG_BYTES


@dataclass(frozen=True, slots=True)
class ReceiverKeys:
    """What a browser gives away with its subscription."""

    public_key: EllipticCurvePublicKey
    auth: bytes


def encrypt(
    plain: bytes,
    receiver: ReceiverKeys,
    *,
    key: EllipticCurvePrivateKey | None = None,
    salt: bytes = b"",
) -> bytes:
    """Return the body of a push; the sender's key and the salt are new for each one."""
    key = key or generate_private_key(CURVE)
    salt = salt or secrets.token_bytes(SALT_BYTES)
    sender_point = to_point(key.public_key())
    shared = _derive(
        key.exchange(ECDH(), receiver.public_key),
        receiver.auth,
        b"WebPush: info\0" + to_point(receiver.public_key) + sender_point,
        32,
    )
    content_key = _derive(shared, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(shared, salt, b"Content-Encoding: nonce\0", 12)
    header = salt + RECORD_BYTES.to_bytes(4) + bytes([POINT_BYTES]) + sender_point
    return header + AESGCM(content_key).encrypt(nonce, plain + LAST_RECORD, None)


def to_point(key: EllipticCurvePublicKey) -> bytes:
    """Return the uncompressed point of a public key."""
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(secret)
