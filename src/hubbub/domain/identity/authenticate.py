"""Authenticate a call with a JWT of the app's identity provider.

A JWT that was verified is remembered like an auth token, for a few seconds: until then nothing is
computed and nothing is looked up.
"""

import math
from contextlib import suppress

from jwt import PyJWS
from jwt.exceptions import PyJWTError

from hubbub.domain.access.credentials import (
    AuthTokenEnded,
    Credential,
    has_ended,
)
from hubbub.domain.access.rates import find_settings
from hubbub.domain.identity.keys import find_key
from hubbub.domain.identity.provider import recall_provider
from hubbub.domain.identity.read_jwt import (
    ASYMMETRIC,
    SYMMETRIC,
    Claimed,
    Jwt,
    JwtRefused,
    check_claims,
    read_jwt,
)
from hubbub.domain.users.create import create_user
from hubbub.records.identity.model import IdentityProvider, Trust
from hubbub.records.identity.store import JwtHolder, find_holder
from hubbub.records.settings.model import LONGEST_TOKEN_SECONDS
from hubbub.records.users.model import Profile, UidAlreadyExists, UserDraft
from hubbub.runtime import Runtime

_VERIFIER = PyJWS(algorithms=[*SYMMETRIC, *ASYMMETRIC])


async def find_jwt(runtime: Runtime, app_id: str, text: str) -> Credential:
    """Return the credential of a JWT; the first one of a user may create them.

    Raises:
        AuthTokenUnknown: it is refused, has ended, or its user is not active.
        Unavailable: the keys of the provider are not known, and can't be fetched.
    """
    hash_ = runtime.sealer.hash(f"{app_id} {text}")
    known: Credential | None = runtime.cache.get(hash_)
    if known is None:
        version = runtime.cache.version
        known = await _verify(runtime, app_id, text, hash_)
        runtime.cache.put(hash_, known, app_id=app_id, version=version)
    if has_ended(known.expires_at, runtime):
        raise AuthTokenEnded
    return known


async def _verify(runtime: Runtime, app_id: str, text: str, hash_: str) -> Credential:
    provider = await recall_provider(runtime, app_id)
    if provider is None:
        raise JwtRefused("the app has no identity provider.")
    jwt = read_jwt(text)
    claimed = check_claims(jwt.claims, provider.trust, runtime.clock.now())
    await _check_signature(runtime, app_id, provider.trust, jwt)
    expires_at = await _limit(runtime, app_id, claimed)
    holder = await _find_holder(runtime, app_id, provider, claimed, jwt)
    revoked_upto = max(provider.valid_after, holder.valid_after or 0)
    if claimed.issued_at <= revoked_upto:
        raise JwtRefused("it was revoked.")
    if not holder.is_active:
        raise JwtRefused("its user does not exist, or is not active.")
    return Credential(
        hash_, app_id, uid=claimed.uid, expires_at=expires_at, issued_at=claimed.issued_at
    )


async def _check_signature(runtime: Runtime, app_id: str, trust: Trust, jwt: Jwt) -> None:
    """Check the signature by the app's secret, or by the key of its provider that the JWT names.

    What may verify decides which algorithms may be: a public key is never taken for a secret.
    """
    if trust.secret is not None:
        secret = trust.secret.encode()
        if len(secret) < SYMMETRIC.get(jwt.algorithm, math.inf):
            raise JwtRefused("its algorithm is not one for the app's secret.")
        _verify_by(secret, jwt)
    else:
        await check_published(runtime, app_id, trust.jwks_url or "", jwt)


async def check_published(runtime: Runtime, app_id: str, jwks_url: str, jwt: Jwt) -> None:
    """Check the signature by the key that the JWT names, of those that are published at an address.

    Raises:
        JwtRefused: it is none of these keys.
        KeysNotFetched: they are not known, and can't be fetched.
    """
    if jwt.algorithm not in ASYMMETRIC:
        raise JwtRefused("its algorithm is not one of the provider's keys.")
    found = await find_key(runtime, app_id, jwks_url, kid=jwt.kid, algorithm=jwt.algorithm)
    if found is None:
        raise JwtRefused("its key (kid) is not known.")
    _verify_by(found.key, jwt)


def _verify_by(key: object, jwt: Jwt) -> None:
    try:
        _VERIFIER.decode_complete(jwt.text, key, algorithms=[jwt.algorithm])  # type: ignore[arg-type]  # as it was read
    except (PyJWTError, ValueError, TypeError):
        raise JwtRefused("its signature is wrong.") from None


async def _limit(runtime: Runtime, app_id: str, claimed: Claimed) -> int:
    """Return when a JWT ends: no later than the app lets tokens live.

    Raises:
        AuthTokenEnded: by then it has ended.
    """
    longest = (await find_settings(runtime, app_id)).limit(LONGEST_TOKEN_SECONDS)
    if not longest:
        return claimed.expires_at
    expires_at = min(claimed.expires_at, claimed.issued_at + longest)
    if has_ended(expires_at, runtime):
        raise AuthTokenEnded
    return expires_at


async def _find_holder(
    runtime: Runtime, app_id: str, provider: IdentityProvider, claimed: Claimed, jwt: Jwt
) -> JwtHolder:
    """Return the user of a JWT, who is created if the app wants that and there was none."""

    async def read() -> JwtHolder:
        return await runtime.database.read(
            app_id,
            lambda snapshot: find_holder(snapshot, runtime.sealer, claimed.uid),
            is_short=True,
        )

    holder = await read()
    is_revoked = claimed.issued_at <= max(provider.valid_after, holder.valid_after or 0)
    if holder.is_active or is_revoked or not provider.creates_users:
        return holder
    name = jwt.claims.get("name")
    shown = name.strip()[:100] if isinstance(name, str) else ""
    profile = Profile(name=shown.replace("\0", "") or claimed.uid)
    with suppress(UidAlreadyExists):  # made by another call meanwhile, or deactivated, or deleted
        await create_user(runtime, app_id, UserDraft(claimed.uid, profile))
    return await read()
