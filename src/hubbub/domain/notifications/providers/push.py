"""Add, list, change and delete the push providers of an app, and choose the default ones.

An app has at most one default provider of each kind: the first complete one, until another one,
complete or not, is chosen.
"""

from collections.abc import Sequence
from dataclasses import replace

from hubbub.domain.notifications.providers.check_setups import check_credentials
from hubbub.kernel.fields import keep, merge
from hubbub.kernel.ids import Ids
from hubbub.outbox import lock_counters
from hubbub.outbox.consumer import start_position
from hubbub.records.notifications import store
from hubbub.records.notifications.model import (
    MOST_PROVIDERS,
    Provider,
    ProviderAlreadyExists,
    ProviderNotFound,
    Setup,
    TooManyProviders,
)
from hubbub.records.notifications.sending.model import PLANNING
from hubbub.records.notifications.setups import ApnsSetup, FcmSetup
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

MADE_ID_LENGTH = 20


def make_provider_id(ids: Ids) -> str:
    """Return a new id for a provider that was added without one."""
    return ids.hexadecimal(MADE_ID_LENGTH)


async def list_providers(runtime: Runtime, app_id: str, kind: type[Setup]) -> list[Provider[Setup]]:
    """Return the providers of a kind, in the order in which they were added."""
    return await runtime.database.read(
        app_id, lambda snapshot: store.list_providers(snapshot, runtime.sealer, kind)
    )


async def add_provider(
    runtime: Runtime, app_id: str, provider_id: str, setup: Setup
) -> list[Provider[Setup]]:
    """Add a provider; return all providers of its kind.

    It becomes the default if it is complete and its kind has no default yet.

    Raises:
        ProviderAlreadyExists: another provider of the kind has the id.
        TooManyProviders: the app has 100 providers of all kinds.
        BadInput: the credentials can't be used.
    """
    await _check(runtime, app_id, setup)
    return await insert_checked(runtime, app_id, provider_id, setup)


async def insert_checked(
    runtime: Runtime, app_id: str, provider_id: str, setup: Setup
) -> list[Provider[Setup]]:
    """Add a provider whose credentials are known to be usable; return all of its kind.

    Raises:
        ProviderAlreadyExists: another provider of the kind has the id.
        TooManyProviders: the app has 100 providers of all kinds.
    """
    now = runtime.clock.now()

    async def within(tx: Transaction) -> list[Provider[Setup]]:
        counters = await lock_counters(tx)  # one at a time: two can't both be the first
        await start_position(tx, PLANNING, counters.event)
        present = await store.list_providers(tx, runtime.sealer, type(setup))
        if any(other.id == provider_id for other in present):
            raise ProviderAlreadyExists(provider_id)
        if await store.count_providers(tx) >= MOST_PROVIDERS:
            raise TooManyProviders
        place = present[-1].place + 1 if present else 1
        added = Provider(provider_id, place, setup, is_default=False, created_at=now)
        await store.insert_provider(tx, runtime.sealer, added)
        await _ensure_default(tx, [*present, added])
        return await store.list_providers(tx, runtime.sealer, type(setup))

    return await runtime.database.write(app_id, within)


async def update_provider(runtime: Runtime, app_id: str, provider_id: str, given: Setup) -> None:
    """Change the given fields of a provider; the others stay, also credentials and platforms.

    Masked secrets keep their values.

    It becomes the default if it is complete now and its kind has no default yet.

    Raises:
        ProviderNotFound: the app has no provider of that kind and id.
        BadInput: the given credentials can't be used.
    """
    changes = keep(None, given)
    await _check(runtime, app_id, changes)
    now = runtime.clock.now()

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)  # one at a time: the setup is read, merged and written
        present = await store.list_providers(tx, runtime.sealer, type(given))
        before = _access_provider(present, provider_id)
        after = replace(before, setup=merge(before.setup, changes), updated_at=now)
        await store.update_provider(tx, runtime.sealer, after)
        await _ensure_default(tx, [after if other is before else other for other in present])

    await runtime.database.write(app_id, within)


async def delete_provider(
    runtime: Runtime, app_id: str, provider_id: str, kind: type[Setup]
) -> None:
    """Delete a provider; if it was the default, the oldest complete one becomes the default.

    Raises:
        ProviderNotFound: the app has no provider of that kind and id.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        present = await store.list_providers(tx, runtime.sealer, kind)
        leaving = _access_provider(present, provider_id)
        await store.delete_provider(tx, kind.kind, provider_id)
        await _ensure_default(tx, [other for other in present if other is not leaving])

    await runtime.database.write(app_id, within)


async def choose_default_provider(
    runtime: Runtime, app_id: str, provider_id: str, kind: type[Setup]
) -> None:
    """Make a provider the default of its kind, complete or not.

    Raises:
        ProviderNotFound: the app has no provider of that kind and id.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        _access_provider(await store.list_providers(tx, runtime.sealer, kind), provider_id)
        await store.set_default_provider(tx, kind.kind, provider_id)

    await runtime.database.write(app_id, within)


async def _check(runtime: Runtime, app_id: str, setup: Setup) -> None:
    if isinstance(setup, FcmSetup | ApnsSetup):
        await runtime.threads.run(app_id, lambda: check_credentials(setup))


async def _ensure_default(tx: Transaction, providers: Sequence[Provider[Setup]]) -> None:
    """Make the oldest complete provider of a kind the default if there is no default."""
    if any(provider.is_default for provider in providers):
        return
    heir = next((provider for provider in providers if provider.setup.is_complete), None)
    if heir is not None:
        await store.set_default_provider(tx, heir.setup.kind, heir.id)


def _access_provider(providers: Sequence[Provider[Setup]], provider_id: str) -> Provider[Setup]:
    for provider in providers:
        if provider.id == provider_id:
            return provider
    raise ProviderNotFound(provider_id)
