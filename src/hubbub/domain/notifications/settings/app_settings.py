"""Get, change and reset the notification settings of an app."""

from hubbub.kernel.errors import BadInput
from hubbub.outbox import lock_counters
from hubbub.records.notifications import preference_store as store
from hubbub.records.notifications.app_settings import (
    Document,
    NotificationSettings,
    merge_documents,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

LONGEST_INTERVAL = 86_400


async def get_settings(runtime: Runtime, app_id: str) -> NotificationSettings:
    """Return the notification settings of an app."""
    return await runtime.database.read(app_id, store.find_settings)


async def change_settings(runtime: Runtime, app_id: str, given: Document) -> None:
    """Change the given settings; the others stay.

    Raises:
        BadInput: the interval of e-mail or SMS is too short or too long.
    """
    _check_intervals(given, runtime.settings.notification_min_interval)

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)  # one at a time: settings are read, merged and written
        before = await store.find_given_settings(tx)
        await store.put_settings(tx, merge_documents(before, given))

    await runtime.database.write(app_id, within)


async def reset_settings(runtime: Runtime, app_id: str) -> None:
    """Reset all notification settings to their defaults."""

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        await store.delete_settings(tx)

    await runtime.database.write(app_id, within)


def _check_intervals(given: Document, least: float) -> None:
    sentence = f"This must be from {least:g} to {LONGEST_INTERVAL} seconds."
    faults = {
        f"preferences.{channel}.intervalInSeconds": [sentence]
        for channel in ("email", "sms")
        if not least <= given.get(channel, {}).get("interval_seconds", least) <= LONGEST_INTERVAL
    }
    if faults:
        raise BadInput.fields(faults)
