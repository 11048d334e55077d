"""Make, find, list, change and delete an app's API keys."""

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
    """The two keys that every new app has."""
    built_in = [("Rest API Key", FULL_ACCESS), ("Auth Key", AUTH_ONLY)]
    return [
        ApiKey(ids.hexadecimal(KEY_LENGTH), name, scope, SYSTEM_UID, at, is_built_in=True)
        for name, scope in built_in
    ]


async def create_key(runtime: Runtime, app_id: str, name: str, scope: str) -> ApiKey:
    """Make a key.

    Raises:
        TooManyKeys: the app has as many as it may have besides the built-in ones.
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
        numbers = await lock_counters(tx)  # one at a time, so that two can't both be the last one
        most = settings_of(numbers.settings).limit(API_KEYS)
        present = await store.list_keys(tx, runtime.sealer)
        if sum(not other.is_built_in for other in present) >= most:
            raise TooManyKeys(most)
        await store.insert_key(tx, runtime.sealer, key)
        return key

    return await runtime.database.write(app_id, within)


async def get_key(runtime: Runtime, app_id: str, api_key: str) -> ApiKey:
    """The key with that text.

    Raises:
        ApiKeyNotFound: the app has none such.
    """
    return await runtime.database.read(app_id, lambda tx: _access_key(tx, runtime, api_key))


async def list_keys(
    runtime: Runtime, app_id: str, scope: str | None, search: str | None
) -> list[ApiKey]:
    """The app's keys, newest first, of one scope and with `search` in the name when asked for."""
    keys = await runtime.database.read(app_id, lambda tx: store.list_keys(tx, runtime.sealer))
    wanted = fold(search or "")
    return [key for key in keys if scope in (None, key.scope) and wanted in fold(key.name)]


async def update_key(
    runtime: Runtime, app_id: str, api_key: str, calling: str, change: tuple[str | None, str | None]
) -> ApiKey:
    """Give a key another name or scope; `calling` is the hash of the key that asks for it.

    Raises:
        ApiKeyNotFound: the app has none such.
        NoSelfAction: the key asks it of itself.
    """
    hash_ = runtime.sealer.hash(api_key)

    async def within(tx: Transaction) -> ApiKey:
        key = await _access_key(tx, runtime, api_key)
        if hash_ == calling:
            raise NoSelfAction
        name, scope = change[0] or key.name, change[1] or key.scope
        await store.update_key(tx, hash_, name, scope)
        return ApiKey(api_key, name, scope, key.created_by, key.created_at, key.is_built_in)

    changed = await runtime.database.write(app_id, within)
    runtime.cache.drop(hash_)
    return changed


async def delete_key(runtime: Runtime, app_id: str, api_key: str, calling: str) -> None:
    """Remove a key; from then on it opens nothing.

    Raises:
        ApiKeyNotFound: the app has none such.
        NoSelfAction: the key asks it of itself.
    """
    hash_ = runtime.sealer.hash(api_key)

    async def within(tx: Transaction) -> None:
        await _access_key(tx, runtime, api_key)
        if hash_ == calling:
            raise NoSelfAction
        await store.delete_key(tx, hash_)

    await runtime.database.write(app_id, within)
    runtime.cache.drop(hash_)


async def _access_key(snapshot: Snapshot, runtime: Runtime, api_key: str) -> ApiKey:
    key = await store.find_key(snapshot, runtime.sealer, api_key)
    if key is None:
        raise ApiKeyNotFound(api_key)
    return key
