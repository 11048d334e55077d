"""Make, find, list, change and delete a user's auth tokens."""

from dataclasses import replace
from typing import Any

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_actor, access_user
from hubbub.domain.tokens import store
from hubbub.domain.tokens.events import AuthTokensRevoked
from hubbub.domain.tokens.model import (
    MOST_TOKENS,
    AuthToken,
    AuthTokenNotAccessible,
    AuthTokenNotFound,
    make_token,
)
from hubbub.kernel.pages import Page, PageRequest
from hubbub.outbox import take_numbers
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


async def create_token(runtime: Runtime, app_id: str, uid: str, *, is_forced: bool) -> AuthToken:
    """A new token for a user; his newest one when he has any and `is_forced` is not set.

    Raises:
        UidNotFound: there is no such user, or he is deactivated.
    """
    token = make_token(runtime.ids, uid, runtime.clock.now())

    async def within(tx: Transaction) -> tuple[AuthToken, list[str]]:
        await take_numbers(tx)
        await access_user(tx, uid)
        return await issue_token(tx, runtime, token, is_forced=is_forced)

    issued, revoked = await runtime.database.write(app_id, within)
    _forget(runtime, revoked)
    return issued


async def issue_token(
    tx: Transaction, runtime: Runtime, token: AuthToken, *, is_forced: bool
) -> tuple[AuthToken, list[str]]:
    """Store `token` unless an older one does. The numbers are taken.

    Returns the token that the user has now, and the keyed hashes of the oldest, which went because
    he had 100.
    """
    present = await store.list_tokens(tx, runtime.sealer, token.uid, limit=MOST_TOKENS + 1)
    if present and not is_forced:
        return present[0], []
    await store.insert_token(tx, runtime.sealer, token)
    return token, await _revoke(tx, runtime, token.uid, present[MOST_TOKENS - 1 :])


async def get_token(runtime: Runtime, app_id: str, uid: str, auth_token: str) -> AuthToken:
    """A token of that user.

    Raises:
        UidNotFound: there is no such user, or he is deactivated.
        AuthTokenNotFound: there is no such token.
        AuthTokenNotAccessible: it is another user's.
    """
    return await runtime.database.read(
        app_id, lambda snapshot: _access_token(snapshot, runtime, uid, auth_token)
    )


async def list_tokens(
    runtime: Runtime, app_id: str, uid: str, request: PageRequest
) -> Page[AuthToken]:
    """A page of a user's tokens, newest first.

    Raises:
        UidNotFound: there is no such user, or he is deactivated.
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
    """Note the device of a token: `token` names it, and its given fields are the new ones.

    Raises:
        UidNotFound, AuthTokenNotFound, AuthTokenNotAccessible: as in `get_token`.
        FeatureRestricted: the acting user's role may not.
    """
    info = None if app_info is None else msgspec.json.encode(app_info).decode()

    async def within(tx: Transaction) -> AuthToken:
        await take_numbers(tx)
        await access_actor(tx, actor)
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
        FeatureRestricted: the acting user's role may not.
    """

    async def within(tx: Transaction) -> list[str]:
        await take_numbers(tx)
        await access_actor(tx, actor)
        token = await _access_token(tx, runtime, uid, auth_token)
        return await _revoke(tx, runtime, uid, [token])

    _forget(runtime, await runtime.database.write(app_id, within))


async def flush_tokens(runtime: Runtime, app_id: str, actor: Actor, uid: str) -> None:
    """Revoke all tokens of a user.

    Raises:
        UidNotFound: there is no such user, or he is deactivated.
    """

    async def within(tx: Transaction) -> list[str]:
        await take_numbers(tx)
        await access_actor(tx, actor)
        await access_user(tx, uid)
        return await revoke_all(tx, runtime, uid)

    _forget(runtime, await runtime.database.write(app_id, within))


async def revoke_all(tx: Transaction, runtime: Runtime, uid: str) -> list[str]:
    """Revoke all of a user's tokens within `tx`; returns their keyed hashes."""
    present = await store.list_tokens(tx, runtime.sealer, uid, limit=10 * MOST_TOKENS)
    return await _revoke(tx, runtime, uid, present)


async def _revoke(
    tx: Transaction, runtime: Runtime, uid: str, tokens: list[AuthToken]
) -> list[str]:
    hashes = [runtime.sealer.hash(token.auth_token) for token in tokens]
    if hashes:
        await store.delete_tokens(tx, hashes)
        tx.announce(AuthTokensRevoked(uid, hashes, runtime.clock.now()))
    return hashes


def _forget(runtime: Runtime, hashes: list[str]) -> None:
    for hash_ in hashes:
        runtime.known.drop(hash_)


async def _access_token(
    snapshot: Snapshot, runtime: Runtime, uid: str, auth_token: str
) -> AuthToken:
    await access_user(snapshot, uid)
    token = await store.find_token(snapshot, runtime.sealer, auth_token)
    if token is None:
        raise AuthTokenNotFound(uid)
    if token.uid != uid:
        raise AuthTokenNotAccessible
    return token
