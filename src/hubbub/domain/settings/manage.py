"""Read, set and reset the settings of an app."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

from hubbub.domain.retention.set_rules import apply_settings
from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import MASK, NO_STORED_SECRET
from hubbub.outbound.client import OutboundClient
from hubbub.outbound.errors import NotReached
from hubbub.outbox import lock_counters
from hubbub.records.moderation.engine import store as engine
from hubbub.records.settings import store
from hubbub.records.settings.model import (
    DEFAULTS,
    ENGINE_SECRET,
    ENGINE_URL,
    AppSettings,
    SettingUnknown,
    Value,
    settings_key,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


async def get_settings(runtime: Runtime, app_id: str) -> AppSettings:
    """Return the settings of an app."""
    return await runtime.database.read(app_id, store.find_settings)


async def set_settings(runtime: Runtime, app_id: str, values: Mapping[str, Value]) -> AppSettings:
    """Set checked values; other settings stay.

    Raises:
        BadInput: a URL can't be called, or a masked secret stands for none.
    """
    _check_url(runtime.outbound, str(values.get(ENGINE_URL, "")))
    secret = values.get(ENGINE_SECRET)
    if secret:
        values = {**values, ENGINE_SECRET: MASK}  # it is stored apart, sealed

    async def store_secret(tx: Transaction, given: Mapping[str, Value]) -> None:
        if secret == MASK:
            if not given.get(ENGINE_SECRET):
                raise BadInput.field(f"settings.{ENGINE_SECRET}", NO_STORED_SECRET)
        elif secret:
            await engine.store_secret(tx, runtime.sealer, str(secret))
        elif secret is not None:
            await engine.delete_secret(tx)

    return await _change_settings(runtime, app_id, lambda given: {**given, **values}, store_secret)


async def reset_settings(runtime: Runtime, app_id: str, keys: Sequence[str]) -> AppSettings:
    """Reset settings to their defaults.

    Raises:
        SettingUnknown: a key names no setting.
    """
    for key in keys:
        if key not in DEFAULTS:
            raise SettingUnknown(key)

    async def delete_secret(tx: Transaction, given: Mapping[str, Value]) -> None:
        if ENGINE_SECRET in keys:
            await engine.delete_secret(tx)

    return await _change_settings(
        runtime,
        app_id,
        lambda given: {key: value for key, value in given.items() if key not in keys},
        delete_secret,
    )


def _check_url(outbound: OutboundClient, url: str) -> None:
    if not url:
        return
    try:
        outbound.check_stored(url)
    except NotReached as reason:
        raise BadInput.field(f"settings.{ENGINE_URL}", str(reason)) from None


async def _change_settings(
    runtime: Runtime,
    app_id: str,
    change: Callable[[Mapping[str, Value]], dict[str, Value]],
    store_secret: Callable[[Transaction, Mapping[str, Value]], Awaitable[None]],
) -> AppSettings:
    async def within(tx: Transaction) -> AppSettings:
        await lock_counters(tx)  # one at a time: settings are read, changed and written
        before = (await store.find_settings(tx)).given
        await store_secret(tx, before)
        after = change(before)
        await store.update_settings(tx, msgspec.json.encode(after).decode() if after else None)
        await apply_settings(runtime, tx, AppSettings(before), AppSettings(after))
        return AppSettings(after)

    settings = await runtime.database.write(app_id, within)
    runtime.cache.drop(settings_key(app_id), app_id=app_id)
    return settings
