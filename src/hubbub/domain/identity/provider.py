"""Set up, show and remove the identity provider of an app, and revoke its JWTs."""

from dataclasses import replace

from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import MASK, NO_STORED_SECRET
from hubbub.outbound.errors import NotReached
from hubbub.outbox import lock_counters
from hubbub.records.identity import store
from hubbub.records.identity.model import (
    IdentityProvider,
    IdentityProviderNotFound,
    Trust,
    identity_key,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction

NO_PROVIDER = object()
"""Cached for an app that has no provider."""


async def recall_provider(runtime: Runtime, app_id: str) -> IdentityProvider | None:
    """Return the identity provider of an app, cached: a change on another node shows in seconds."""
    key = identity_key(app_id)
    known: IdentityProvider | object | None = runtime.cache.get(key)
    if known is None:
        version = runtime.cache.version
        known = await runtime.database.read(
            app_id, lambda snapshot: store.find_provider(snapshot, runtime.sealer), is_short=True
        )
        runtime.cache.put(key, known or NO_PROVIDER, app_id=app_id, version=version)
    return known if isinstance(known, IdentityProvider) else None


async def get_provider(runtime: Runtime, app_id: str) -> IdentityProvider:
    """Return the identity provider of an app.

    Raises:
        IdentityProviderNotFound: it has none.
    """

    async def within(snapshot: Snapshot) -> IdentityProvider:
        return await _access_provider(snapshot, runtime)

    return await runtime.database.read(app_id, within)


async def set_provider(
    runtime: Runtime, app_id: str, trust: Trust, *, creates_users: bool
) -> IdentityProvider:
    """Store the identity provider of an app, in place of the one before.

    Raises:
        BadInput: its address can't be called, or a masked secret stands for none.
    """
    if trust.jwks_url is not None:
        try:
            runtime.outbound.check_stored(trust.jwks_url)
        except NotReached as reason:
            raise BadInput.field("jwksUrl", str(reason)) from None

    async def within(tx: Transaction) -> IdentityProvider:
        await lock_counters(tx)
        before = await store.find_provider(tx, runtime.sealer)
        given = trust
        if trust.secret == MASK:
            if before is None or before.trust.secret is None:
                raise BadInput.field("secret", NO_STORED_SECRET)
            given = replace(trust, secret=before.trust.secret)
        valid_after = before.valid_after if before is not None else 0
        provider = IdentityProvider(given, creates_users, valid_after, runtime.clock.now())
        await store.store_provider(tx, runtime.sealer, provider)
        return provider

    provider = await runtime.database.write(app_id, within)
    runtime.cache.drop_all(app_id)
    return provider


async def delete_provider(runtime: Runtime, app_id: str) -> None:
    """Remove the identity provider of an app: its JWTs are refused from then on.

    Raises:
        IdentityProviderNotFound: it has none.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        await _access_provider(tx, runtime)
        await store.delete_provider(tx)

    await runtime.database.write(app_id, within)
    runtime.cache.drop_all(app_id)


async def revoke_jwts(runtime: Runtime, app_id: str) -> IdentityProvider:
    """Revoke all JWTs of an app that were issued up to now.

    Raises:
        IdentityProviderNotFound: it has no identity provider.
    """

    async def within(tx: Transaction) -> IdentityProvider:
        await lock_counters(tx)
        found = await _access_provider(tx, runtime)
        provider = replace(found, valid_after=max(found.valid_after, runtime.clock.now()))
        await store.store_provider(tx, runtime.sealer, provider)
        return provider

    provider = await runtime.database.write(app_id, within)
    runtime.cache.drop_all(app_id)
    return provider


async def _access_provider(snapshot: Snapshot, runtime: Runtime) -> IdentityProvider:
    provider = await store.find_provider(snapshot, runtime.sealer)
    if provider is None:
        raise IdentityProviderNotFound
    return provider
