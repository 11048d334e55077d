"""Create, find, list, change and revoke the auth tokens of a user."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_own, access_user
from hubbub.kernel.pages import Page, PageRequest
from hubbub.outbox import lock_counters
from hubbub.records.devices.store import delete_devices_of_auth_tokens, delete_devices_of_users
from hubbub.records.identity.store import revoke_of_user
from hubbub.records.settings.model import TOKENS_PER_USER, settings_of
from hubbub.records.tokens import store
from hubbub.records.tokens.events import AuthTokenRevoked
from hubbub.records.tokens.model import (
    AuthToken,
    AuthTokenNotAccessible,
    AuthTokenNotFound,
    TokenWish,
    life_of,
    make_token,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction

ANY_TOKEN = TokenWish()
"""A token that the user has already will do."""
NEW_TOKEN = TokenWish(is_forced=True)


async def create_token(
    runtime: Runtime, app_id: str, uid: str, wish: TokenWish = ANY_TOKEN
) -> AuthToken:
    """Create a token for a user; return their newest one instead, if that is what is wanted.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
        BadInput: it should live longer than the app allows.
    """
    token = make_token(runtime.ids, uid, runtime.clock.now())

    async def within(tx: Transaction) -> tuple[AuthToken, list[str]]:
        await lock_counters(tx)
        await access_user(tx, uid)
        return await issue_token(tx, runtime, token, wish)

    issued, revoked = await runtime.database.write(app_id, within)
    drop_cached(runtime, app_id, revoked)
    return issued


async def issue_token(
    tx: Transaction, runtime: Runtime, token: AuthToken, wish: TokenWish
) -> tuple[AuthToken, list[str]]:
    """Store `token`, unless the user has one already that will do.

    Returns the user's token, and the keyed hashes of the oldest tokens, which are revoked if the
    user is over the limit.

    Raises:
        BadInput: it should live longer than the app allows.
    """
    settings = settings_of((await lock_counters(tx)).settings)
    life = life_of(settings, wish.expires_in)
    if not wish.is_for_new:
        newest = await store.list_tokens(tx, runtime.sealer, token.uid, limit=1)
        if newest and newest[0].will_do(token.created_at, life):
            return newest[0], []
    ends = None if life is None else token.created_at + life
    token = replace(token, device=wish.device, expires_at=ends)
    await store.insert_token(tx, runtime.sealer, token)
    most = settings.limit(TOKENS_PER_USER)
    return token, await _revoke_older(tx, runtime, token.uid, keep=most)


async def get_token(runtime: Runtime, app_id: str, uid: str, auth_token: str) -> AuthToken:
    """Return a token of that user.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
        AuthTokenNotFound: the token does not exist.
        AuthTokenNotAccessible: the token belongs to another user.
    """

    async def within(snapshot: Snapshot) -> AuthToken:
        await access_user(snapshot, uid)
        return await _access_token(snapshot, runtime, uid, auth_token)

    return await runtime.database.read(app_id, within)


async def list_tokens(
    runtime: Runtime, app_id: str, uid: str, request: PageRequest
) -> Page[AuthToken]:
    """Return a page of a user's tokens, newest first.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
    """

    async def within(snapshot: Snapshot) -> Page[AuthToken]:
        await access_user(snapshot, uid)
        tokens = await store.list_tokens(
            snapshot, runtime.sealer, uid, limit=request.per_page, offset=request.offset
        )
        return Page(tokens, await store.count_tokens(snapshot, uid), request)

    return await runtime.database.read(app_id, within)


async def update_token(
    runtime: Runtime,
    app_id: str,
    actor: Actor,
    token: AuthToken,
    app_info: dict[str, Any] | None,
) -> AuthToken:
    """Store the device of a token: the given fields of `token` replace the stored ones.

    Raises:
        UidNotFound, AuthTokenNotFound, AuthTokenNotAccessible: as in `get_token`.
        FeatureRestricted: the role of the acting user may not.
        NotOwnUser: the acting user is another user.
    """
    info = None if app_info is None else msgspec.json.encode(app_info).decode()

    async def within(tx: Transaction) -> AuthToken:
        await lock_counters(tx)
        await access_own(tx, actor, token.uid)
        found = await _access_token(tx, runtime, token.uid, token.auth_token)
        changed = replace(
            found,
            platform=token.platform or found.platform,
            user_agent=token.user_agent or found.user_agent,
            app_info=info or found.app_info,
        )
        await store.update_token(tx, runtime.sealer, changed)
        return changed

    return await runtime.database.write(app_id, within)


async def delete_token(
    runtime: Runtime, app_id: str, actor: Actor, uid: str, auth_token: str
) -> None:
    """Revoke one token.

    Raises:
        UidNotFound, AuthTokenNotFound, AuthTokenNotAccessible: as in `get_token`.
        FeatureRestricted: the role of the acting user may not.
        NotOwnUser: the acting user is another user.
    """

    async def within(tx: Transaction) -> list[str]:
        await lock_counters(tx)
        await access_own(tx, actor, uid)
        await _access_token(tx, runtime, uid, auth_token)
        hashes = [runtime.sealer.hash(auth_token)]
        return await delete_tokens(tx, runtime, uid, hashes, by=actor.uid)

    drop_cached(runtime, app_id, await runtime.database.write(app_id, within))


async def flush_tokens(runtime: Runtime, app_id: str, actor: Actor, uid: str) -> None:
    """Revoke all tokens of a user.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
        FeatureRestricted: the role of the acting user may not.
        NotOwnUser: the acting user is another user.
    """

    async def within(tx: Transaction) -> list[str]:
        await lock_counters(tx)
        await access_own(tx, actor, uid)
        return await revoke_all(tx, runtime, uid, by=actor.uid)

    await runtime.database.write(app_id, within)
    runtime.cache.drop_all(app_id)  # JWTs are cached by hashes that are stored nowhere


async def revoke_all(
    tx: Transaction, runtime: Runtime, uid: str, *, by: str | None = None
) -> list[str]:
    """Revoke all tokens of a user within `tx`, and their JWTs; return the hashes of the tokens."""
    now = runtime.clock.now()
    if not await revoke_of_user(tx, runtime.sealer, uid, now):
        return await _revoke_older(tx, runtime, uid, keep=0, by=by)
    hashes = await store.list_older_hashes(tx, uid, 0)
    await store.delete_tokens(tx, hashes)
    await delete_devices_of_users(tx, [uid])  # those of JWTs, too, which nobody can tell apart
    tx.announce(AuthTokenRevoked(uid, hashes, now, by or "", now))
    return hashes


async def _revoke_older(
    tx: Transaction, runtime: Runtime, uid: str, *, keep: int, by: str | None = None
) -> list[str]:
    """Revoke all tokens of a user except the newest `keep`; return their keyed hashes."""
    older = await store.list_older_hashes(tx, uid, keep)
    return await delete_tokens(tx, runtime, uid, older, by=by)


async def delete_tokens(
    tx: Transaction, runtime: Runtime, uid: str, hashes: list[str], *, by: str | None
) -> list[str]:
    """Revoke tokens of a user, with the devices that were registered with them; return them."""
    if hashes:
        await store.delete_tokens(tx, hashes)
        await delete_devices_of_auth_tokens(tx, hashes)
        tx.announce(AuthTokenRevoked(uid, hashes, runtime.clock.now(), by or ""))
    return hashes


def drop_cached(runtime: Runtime, app_id: str, hashes: Iterable[str]) -> None:
    """Have this node forget tokens that were revoked."""
    for hash_ in hashes:
        runtime.cache.drop(hash_, app_id=app_id)


async def _access_token(
    snapshot: Snapshot, runtime: Runtime, uid: str, auth_token: str
) -> AuthToken:
    token = await store.find_token(snapshot, runtime.sealer, auth_token)
    if token is None:
        raise AuthTokenNotFound(uid)
    if token.uid != uid:
        raise AuthTokenNotAccessible
    return token
