"""The public keys of identity providers: fetched, kept, and fetched again when they are rotated."""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import structlog
from jwt import PyJWK
from jwt.exceptions import PyJWTError

from hubbub.domain.identity.read_jwt import ASYMMETRIC, LONGEST_KID
from hubbub.kernel.errors import Unavailable
from hubbub.outbound.errors import NotReached
from hubbub.records.identity.memory import KeySet, VerifyingKey
from hubbub.runtime import Runtime

FRESH_SECONDS = 300.0
"""Older keys are fetched again, while they go on being used."""
KEPT_SECONDS = 3600.0
"""While they can't be fetched again, keys are used for so long."""
PAUSE_SECONDS = 10.0
"""So long after a fetch there is no other one, however many JWTs name a key that is not known."""
FETCH_SECONDS = 5.0
LARGEST_ANSWER = 64 * 1024
MOST_KEYS = 50
SHORTEST_RSA, LONGEST_RSA = 2_048, 4_096
LARGEST_EXPONENT = 2**32
"""Larger ones would make a verification slow."""
_BY_CURVE = {"P-256": "ES256", "P-384": "ES384", "Ed25519": "EdDSA"}
_OF_RSA = frozenset(name for name in ASYMMETRIC if name[:2] in ("RS", "PS"))
log = structlog.get_logger()


class _JwkSet(msgspec.Struct):
    keys: list[dict[str, Any]]


_decode = msgspec.json.Decoder(_JwkSet).decode


class KeysNotFetched(Unavailable):
    """The keys of the identity provider can't be fetched at the moment."""

    def __init__(self) -> None:
        super().__init__(
            "The keys of the app's identity provider can't be fetched.",
            dev_message="GET /identity_provider says why.",
            retry_after_seconds=round(PAUSE_SECONDS),
        )


async def find_key(
    runtime: Runtime, app_id: str, url: str, *, kid: str | None, algorithm: str
) -> VerifyingKey | None:
    """Return a key of an app's provider; None if it publishes none like this.

    Raises:
        KeysNotFetched: its keys are not known, and can't be fetched.
    """
    held = runtime.key_sets.of(app_id, url)
    now = runtime.clock.monotonic()
    if held.fetched_at is not None and now - held.fetched_at > KEPT_SECONDS:
        held.keys, held.fetched_at = (), None
    found = held.find(kid, algorithm)
    may_fetch = held.tried_at is None or now - held.tried_at >= PAUSE_SECONDS
    if held.fetching is None and may_fetch and (found is None or _is_old(held, now)):
        held.tried_at = now
        held.fetching = asyncio.create_task(_fetch(runtime, app_id, held))
    if found is None and held.fetching is not None:
        await asyncio.wait([held.fetching])
        found = held.find(kid, algorithm)
    if found is None and held.fetched_at is None:
        raise KeysNotFetched
    return found


def _is_old(held: KeySet, now: float) -> bool:
    return held.fetched_at is None or now - held.fetched_at >= FRESH_SECONDS


async def _fetch(runtime: Runtime, app_id: str, held: KeySet) -> None:
    """Fetch keys; those that are known stay if that fails."""
    runtime.outbound.call_for(app_id)
    try:
        keys = read_keys(await _download(runtime, held.url))
    except NotReached as failure:
        held.failure = str(failure)
        log.warning("identity_keys_failed", app=app_id, reason=failure.detail)
    except Exception as defect:
        held.failure = "The server failed; its log has the reason."
        log.error("identity_keys_defect", app=app_id, exc_info=defect)
    else:
        held.keys, held.fetched_at, held.failure = keys, runtime.clock.monotonic(), ""
    finally:
        held.fetching = None


async def _download(runtime: Runtime, url: str) -> bytes:
    content = bytearray()
    async with runtime.outbound.download(url, seconds=FETCH_SECONDS) as pieces:
        async for piece in pieces:
            content += piece
            if len(content) > LARGEST_ANSWER:
                raise NotReached(f"The answer has more than {LARGEST_ANSWER:,} bytes.")
    return bytes(content)


def read_keys(content: bytes) -> list[VerifyingKey]:
    """Return the keys of a JWK Set (RFC 7517) with which JWTs may be verified.

    Raises:
        NotReached: it is none, or has no such key.
    """
    try:
        listed = _decode(content).keys
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise NotReached("The answer is no JWK Set: an object with `keys`.") from None
    if len(listed) > MOST_KEYS:
        raise NotReached(f"The answer has more than {MOST_KEYS} keys.")
    found = list(_usable(listed))
    if not found:
        raise NotReached("The answer has no public key with which JWTs may be verified.")
    return found


def _usable(listed: list[dict[str, Any]]) -> Iterator[VerifyingKey]:
    for jwk in listed:
        algorithms = _algorithms_of(jwk)
        kid = jwk.get("kid")
        if not algorithms or not (
            kid is None or (isinstance(kid, str) and len(kid) <= LONGEST_KID)
        ):
            continue
        try:
            key = PyJWK(jwk, algorithm=min(algorithms)).key
        except (PyJWTError, ValueError, TypeError, KeyError):
            continue
        if jwk["kty"] != "RSA" or _is_quick(key):
            yield VerifyingKey(kid, algorithms, key)


def _algorithms_of(jwk: Mapping[str, Any]) -> frozenset[str]:
    """Return the algorithms for which a key may be used; none for a secret or private one."""
    if "d" in jwk or jwk.get("use", "sig") != "sig":
        return frozenset()
    kind, named = jwk.get("kty"), jwk.get("alg")
    if kind == "RSA":
        fitting = _OF_RSA
    elif kind in ("EC", "OKP") and isinstance(jwk.get("crv"), str):
        fitting = frozenset(filter(None, [_BY_CURVE.get(jwk["crv"])]))
    else:
        fitting = frozenset()
    return fitting if named is None else fitting & {str(named)}


def _is_quick(key: Any) -> bool:
    """Return whether an RSA key is neither weak nor so large that it would be slow."""
    is_fitting = SHORTEST_RSA <= key.key_size <= LONGEST_RSA
    return is_fitting and bool(key.public_numbers().e < LARGEST_EXPONENT)
