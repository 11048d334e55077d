"""Read a JWT (RFC 7519, as JWS compact serialization), and check what it claims.

Only what is read here counts: keys and addresses of keys in a header (`jwk`, `jku`, `x5c`, `x5u`)
are ignored.
"""

import math
import re
from base64 import urlsafe_b64decode
from binascii import Error as Base64Error
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from hubbub.domain.access.credentials import AuthTokenEnded, AuthTokenUnknown
from hubbub.kernel.errors import BadInput, NotAuthenticated
from hubbub.kernel.nesting import check_form
from hubbub.kernel.text import SYSTEM_UID, normalise_id
from hubbub.records.identity.model import LONGEST_JWT_LIFE, Trust

LONGEST_JWT = 8_192
LEEWAY_SECONDS = 10
"""The clock of the provider may be ahead by so much."""
MOST_AUDIENCES = 100
FAR_AHEAD = 1e11
LONGEST_KID = 200
SYMMETRIC = {"HS256": 32, "HS384": 48, "HS512": 64}
"""The bytes that a secret needs for an algorithm: as many as the hash has (RFC 7518, 3.2)."""
ASYMMETRIC = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"}
)
TYPES = frozenset({"", "jwt", "at+jwt"})
_PART = r"[A-Za-z0-9_-]+"
_JWT = re.compile(rf"{_PART}\.{_PART}\.{_PART}")
_BEGIN = "eyJ"
"""The Base64 of `{"`. Auth tokens begin with a uid, which has no capital letter."""


class JwtRefused(AuthTokenUnknown):
    """The JWT does not show a user of the app; the message says why."""

    def __init__(self, reason: str) -> None:
        NotAuthenticated.__init__(
            self,
            f"The JWT is refused: {reason}",
            dev_message="See GET /identity_provider for what the app accepts.",
        )


class _Header(msgspec.Struct):
    alg: str
    kid: str | None = None
    typ: str = ""
    cty: str = ""
    crit: Any = msgspec.UNSET
    zip: Any = msgspec.UNSET
    b64: Any = msgspec.UNSET


_decode_header = msgspec.json.Decoder(_Header).decode
_decode_claims = msgspec.json.Decoder(dict[str, Any]).decode


@dataclass(frozen=True, slots=True)
class Jwt:
    """A JWT whose signature is not verified yet."""

    text: str
    algorithm: str
    kid: str | None
    claims: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a JWT claims that an app accepts: whose it is, and from when until when."""

    uid: str
    issued_at: int
    expires_at: int


def is_jwt(text: str) -> bool:
    """Return whether a text would be a JWT, and not an auth token of ours."""
    return text.startswith(_BEGIN)


def read_jwt(text: str) -> Jwt:
    """Return what a JWT says, whoever has signed it.

    Raises:
        JwtRefused: it is none that is understood.
    """
    if len(text) > LONGEST_JWT:
        raise JwtRefused(f"it has more than {LONGEST_JWT:,} characters.")
    if not _JWT.fullmatch(text):
        raise JwtRefused("it is not of the form header.claims.signature.")
    header, claims, _ = text.split(".")
    try:
        read = _decode_header(_decode_part(header))
        claimed = _decode_part(claims)
        check_form(claimed)
        said = _decode_claims(claimed)
    except (ValueError, msgspec.MsgspecError, Base64Error, RecursionError, BadInput):
        raise JwtRefused("its header or its claims are no JSON of the expected form.") from None
    _check_header(read)
    return Jwt(text, read.alg, read.kid, said)


def _decode_part(part: str) -> bytes:
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _check_header(header: _Header) -> None:
    if header.alg not in SYMMETRIC.keys() | ASYMMETRIC:
        raise JwtRefused("its algorithm is none that is accepted.")
    if any(each is not msgspec.UNSET for each in (header.crit, header.zip, header.b64)):
        raise JwtRefused("its header has crit, zip or b64, which are not understood.")
    if header.typ.lower() not in TYPES or header.cty:
        raise JwtRefused("its type is another one: it is nested, or no JWT.")
    if header.kid is not None and len(header.kid) > LONGEST_KID:
        raise JwtRefused(f"its kid has more than {LONGEST_KID} characters.")


def check_claims(claims: Mapping[str, Any], trust: Trust, now: int) -> Claimed:
    """Return what a JWT claims, if it is for this app and holds now.

    Raises:
        JwtRefused: it is by another issuer, for another audience, or does not hold yet.
        AuthTokenEnded: it has ended.
    """
    issued_at, ends = check_parties(claims, trust.issuer, trust.audience, now)
    return Claimed(_uid(claims.get(trust.uid_claim), trust.uid_claim), issued_at, ends)


def check_parties(
    claims: Mapping[str, Any], issuer: str, audience: str, now: int
) -> tuple[int, int]:
    """Return when a JWT was issued and when it ends, if it is by and for these, and holds now.

    Raises:
        JwtRefused: it is by another issuer, for another audience, or does not hold yet.
        AuthTokenEnded: it has ended.
    """
    if claims.get("iss") != issuer:
        raise JwtRefused("its issuer (iss) is another one.")
    if not _is_for(claims.get("aud"), audience):
        raise JwtRefused("its audience (aud) is another one.")
    expires_at, issued_at = _time(claims, "exp"), _time(claims, "iat")
    if issued_at > now + LEEWAY_SECONDS:
        raise JwtRefused("it was issued (iat) in the future.")
    if "nbf" in claims and _time(claims, "nbf") > now + LEEWAY_SECONDS:
        raise JwtRefused("it does not hold yet (nbf).")
    ends = min(expires_at, issued_at + LONGEST_JWT_LIFE)
    if ends <= now:
        raise AuthTokenEnded
    return issued_at, ends


def _is_for(audience: object, wanted: str) -> bool:
    if isinstance(audience, list):
        return len(audience) <= MOST_AUDIENCES and wanted in audience
    return audience == wanted


def _time(claims: Mapping[str, Any], name: str) -> int:
    """Return a time in whole seconds.

    Raises:
        JwtRefused: it is missing, or no time.
    """
    value = claims.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < FAR_AHEAD:
        raise JwtRefused(f"its {name} is missing, or no time in seconds since 1970.")
    return math.floor(value)


def _uid(value: object, claim: str) -> str:
    """Return the uid that a claim names.

    Raises:
        JwtRefused: it names none.
    """
    try:
        uid = normalise_id(value, claim) if isinstance(value, str) else SYSTEM_UID
    except BadInput:
        uid = SYSTEM_UID
    if uid == SYSTEM_UID:
        raise JwtRefused(f"its claim {claim[:100]} is missing, or not the uid of a user.")
    return uid
