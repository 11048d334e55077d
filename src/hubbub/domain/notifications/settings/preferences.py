"""Get, change and reset the notification preferences of a user, and their time zone."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_own
from hubbub.kernel.clock import is_time_zone
from hubbub.kernel.errors import BadInput
from hubbub.outbox import lock_counters
from hubbub.records.notifications import preference_store as store
from hubbub.records.notifications.preferences import (
    Choices,
    Preferences,
    overlay,
    permitted_choices,
    resolve_preferences,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


async def get_preferences(runtime: Runtime, app_id: str, actor: Actor, uid: str) -> Preferences:
    """Return the preferences of a user that are in effect.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
        NotOwnUser: another user acts.
    """

    async def within(snapshot: Snapshot) -> Preferences:
        await access_own(snapshot, actor, uid)
        settings = await store.find_settings(snapshot)
        return resolve_preferences(settings, await store.find_choices(snapshot, uid))

    return await runtime.database.read(app_id, within, user=actor.uid)


async def change_preferences(
    runtime: Runtime, app_id: str, actor: Actor, uid: str, given: Choices
) -> Preferences:
    """Store what a user chooses, as far as the app leaves it to users; return what is in effect.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
        NotOwnUser: another user acts.
        BadInput: the time zone does not exist.
    """
    check_time_zone(given.timezone)

    async def within(tx: Transaction) -> Preferences:
        await lock_counters(tx)  # one at a time: choices are read, merged and written
        await access_own(tx, actor, uid)
        settings = await store.find_settings(tx)
        return resolve_preferences(settings, await store_choices(tx, uid, given))

    return await runtime.database.write(app_id, within)


async def store_choices(tx: Transaction, uid: str, given: Choices) -> Choices:
    """Add what the app permits to the choices of a user, and return all of them."""
    permitted = permitted_choices(await store.find_settings(tx), given)
    before = await store.find_choices(tx, uid)
    choices = overlay(before, permitted)
    if choices != before:
        await store.put_choices(tx, uid, choices)
    return choices


async def reset_preferences(runtime: Runtime, app_id: str, actor: Actor, uid: str) -> Preferences:
    """Forget what a user chose, except the time zone; return what is in effect.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
        NotOwnUser: another user acts.
    """

    async def within(tx: Transaction) -> Preferences:
        await lock_counters(tx)
        await access_own(tx, actor, uid)
        before = await store.find_choices(tx, uid)
        choices = Choices(timezone=before.timezone)
        await store.put_choices(tx, uid, choices)
        return resolve_preferences(await store.find_settings(tx), choices)

    return await runtime.database.write(app_id, within)


def check_time_zone(name: str | None) -> None:
    """Refuse the name of a time zone that does not exist.

    Raises:
        BadInput: there is no such time zone.
    """
    if name is not None and not is_time_zone(name):
        raise BadInput.field("timezone", "This must be an IANA time zone, such as Europe/Berlin.")
