"""Signed tokens (JWS compact serialization, RFC 7515) of JSON claims (RFC 7519)."""

from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256R1,
    EllipticCurvePrivateKey,
)
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

NUMBER_BYTES = 32


def sign_jwt(
    header: Mapping[str, Any], claims: Mapping[str, Any], sign: Callable[[bytes], bytes]
) -> str:
    """Return a token; `sign` returns the signature of bytes."""
    signed = b".".join(encode_base64(msgspec.json.encode(part)) for part in (header, claims))
    return b".".join((signed, encode_base64(sign(signed)))).decode()


def encode_base64(content: bytes) -> bytes:
    """Return base64url without padding."""
    return urlsafe_b64encode(content).rstrip(b"=")


def load_p256_key(pem: str) -> EllipticCurvePrivateKey | None:
    """Return the private key in a text; None if it has none of the curve P-256."""
    try:
        key = load_pem_private_key(pem.encode(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
    if isinstance(key, EllipticCurvePrivateKey) and isinstance(key.curve, SECP256R1):
        return key
    return None


def sign_es256(key: EllipticCurvePrivateKey, content: bytes) -> bytes:
    """Return a signature as JWS has it (RFC 7518, 3.4): two numbers, one after the other."""
    numbers = decode_dss_signature(key.sign(content, ECDSA(SHA256())))
    return b"".join(number.to_bytes(NUMBER_BYTES) for number in numbers)
