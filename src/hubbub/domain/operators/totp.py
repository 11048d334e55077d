"""One-time codes of an authenticator app (RFC 6238: SHA-1, six digits, a step of 30 seconds)."""

import base64
import hmac
from urllib.parse import quote

from hubbub.kernel.ids import Ids

STEP_SECONDS = 30
NEIGHBOURS = (0, -1, 1)
"""Clocks of phones are off by a step at most."""
SECRET_DIGITS = 40
"""Hexadecimal: 20 bytes, as long as what SHA-1 returns."""


def make_secret_key(ids: Ids) -> str:
    """Return a new secret as authenticator apps take it: base32."""
    return base64.b32encode(bytes.fromhex(ids.hexadecimal(SECRET_DIGITS))).decode()


def code_of(secret: str, step: int) -> str:
    """Return the code of a step of time."""
    digest = hmac.digest(base64.b32decode(secret), step.to_bytes(8, "big"), "sha1")
    offset = digest[-1] & 0xF
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFFFFFF
    return f"{number % 1_000_000:06}"


def find_step(secret: str, code: str, now: int) -> int | None:
    """Return the step whose code was given, of those about `now`; None if it is another code."""
    for neighbour in NEIGHBOURS:
        step = now // STEP_SECONDS + neighbour
        if hmac.compare_digest(code_of(secret, step).encode(), code.encode()):
            return step
    return None


def totp_link(secret: str, name: str) -> str:
    """Return the link by which an authenticator app takes a secret."""
    return f"otpauth://totp/Hubbub:{quote(name, safe='')}?secret={secret}&issuer=Hubbub"
