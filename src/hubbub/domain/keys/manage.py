"""Create, find, list, change and delete the API keys of an app."""

from dataclasses import replace

from hubbub.kernel.ids import Ids
from hubbub.kernel.text import SYSTEM_UID, fold
from hubbub.outbox import lock_counters
from hubbub.records.keys import store
from hubbub.records.keys.model import (
    AUTH_ONLY,
    FULL_ACCESS,
    KEY_LENGTH,
    ApiKey,
    ApiKeyNotFound,
    NoSelfAction,
    TooManyKeys,
)
from hubbub.records.settings.model import API_KEYS, settings_of
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


def make_built_in_keys(ids: Ids, at: int) -> list[ApiKey]:
    """Return the two keys of a new app."""
    built_in = [("Rest API Key", FULL_ACCESS), ("Auth Key", AUTH_ONLY)]
    return [
        ApiKey(ids.hexadecimal(KEY_LENGTH), name, scope, SYSTEM_UID, at, is_built_in=True)
        for name, scope in built_in
    ]


async def create_key(runtime: Runtime, app_id: str, name: str, scope: str) -> ApiKey:
    """Create a key.

    Raises:
        TooManyKeys: the app is at its limit, which does not count the built-in keys.
    """
    key = ApiKey(
        runtime.ids.hexadecimal(KEY_LENGTH),
        name,
        scope,
        SYSTEM_UID,
        runtime.clock.now(),
        is_built_in=False,
    )

    async def within(tx: Transaction) -> ApiKey:
        counters = await lock_counters(tx)  # one at a time: two can't both be the last one
        most = settings_of(counters.settings).limit(API_KEYS)
        present = await store.list_keys(tx, runtime.sealer)
        if sum(not other.is_built_in for other in present) >= most:
            raise TooManyKeys(most)
        await store.insert_key(tx, runtime.sealer, key)
        return key

    return await runtime.database.write(app_id, within)


async def get_key(runtime: Runtime, app_id: str, api_key: str) -> ApiKey:
    """Return the key with that text.

    Raises:
        ApiKeyNotFound: the app does not have the key.
    """
    return await runtime.database.read(app_id, lambda tx: _access_key(tx, runtime, api_key))


async def list_keys(
    runtime: Runtime, app_id: str, scope: str | None, search: str | None
) -> list[ApiKey]:
    """Return the keys of the app, newest first, filtered by scope and by text in the name."""
    keys = await runtime.database.read(app_id, lambda tx: store.list_keys(tx, runtime.sealer))
    text = fold(search or "")
    return [key for key in keys if scope in (None, key.scope) and text in fold(key.name)]


async def update_key(
    runtime: Runtime,
    app_id: str,
    api_key: str,
    calling: str,
    *,
    name: str | None,
    scope: str | None,
) -> ApiKey:
    """Change the name or scope of a key; `calling` is the hash of the calling key.

    Raises:
        ApiKeyNotFound: the app does not have the key.
        NoSelfAction: the calling key is the key itself.
    """
    hash_ = runtime.sealer.hash(api_key)

    async def within(tx: Transaction) -> ApiKey:
        before = await _access_key(tx, runtime, api_key)
        if hash_ == calling:
            raise NoSelfAction
        after = replace(before, name=name or before.name, scope=scope or before.scope)
        await store.update_key(tx, hash_, after.name, after.scope)
        return after

    changed = await runtime.database.write(app_id, within)
    runtime.cache.drop(hash_, app_id=app_id)
    return changed


async def delete_key(runtime: Runtime, app_id: str, api_key: str, calling: str) -> None:
    """Delete a key, which makes it invalid; `calling` is the hash of the calling key.

    Raises:
        ApiKeyNotFound: the app does not have the key.
        NoSelfAction: the calling key is the key itself.
    """
    hash_ = runtime.sealer.hash(api_key)

    async def within(tx: Transaction) -> None:
        await _access_key(tx, runtime, api_key)
        if hash_ == calling:
            raise NoSelfAction
        await store.delete_key(tx, hash_)

    await runtime.database.write(app_id, within)
    runtime.cache.drop(hash_, app_id=app_id)


async def _access_key(snapshot: Snapshot, runtime: Runtime, api_key: str) -> ApiKey:
    key = await store.find_key(snapshot, runtime.sealer, api_key)
    if key is None:
        raise ApiKeyNotFound(api_key)
    return key
