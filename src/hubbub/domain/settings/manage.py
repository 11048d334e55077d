"""Read, set and reset the settings of an app."""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from hubbub.outbox import lock_counters
from hubbub.records.settings import store
from hubbub.records.settings.model import DEFAULTS, AppSettings, SettingUnknown, Value, settings_key
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


async def get_settings(runtime: Runtime, app_id: str) -> AppSettings:
    """Return the settings of an app."""
    return await runtime.database.read(app_id, store.find_settings)


async def set_settings(runtime: Runtime, app_id: str, values: Mapping[str, Value]) -> AppSettings:
    """Set checked values; other settings stay."""
    return await _change_settings(runtime, app_id, lambda given: {**given, **values})


async def reset_settings(runtime: Runtime, app_id: str, keys: Sequence[str]) -> AppSettings:
    """Reset settings to their defaults.

    Raises:
        SettingUnknown: a key names no setting.
    """
    for key in keys:
        if key not in DEFAULTS:
            raise SettingUnknown(key)
    return await _change_settings(
        runtime,
        app_id,
        lambda given: {key: value for key, value in given.items() if key not in keys},
    )


async def _change_settings(
    runtime: Runtime, app_id: str, change: Callable[[Mapping[str, Value]], dict[str, Value]]
) -> AppSettings:
    async def within(tx: Transaction) -> AppSettings:
        await lock_counters(tx)  # one at a time: settings are read, changed and written
        after = change((await store.find_settings(tx)).given)
        await store.update_settings(tx, msgspec.json.encode(after).decode() if after else None)
        return AppSettings(after)

    settings = await runtime.database.write(app_id, within)
    runtime.cache.drop(settings_key(app_id), app_id=app_id)
    return settings
