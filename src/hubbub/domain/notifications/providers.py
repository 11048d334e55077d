"""Add, list, change and delete an app's push providers, and choose the default ones.

Of each kind an app has one default provider at most. It is the first one that is complete, until
another is chosen, be that one complete or not.
"""

from collections.abc import Sequence
from dataclasses import replace

from hubbub.domain.notifications.credentials import check_secrets
from hubbub.kernel.ids import Ids
from hubbub.outbox import lock_counters
from hubbub.records.notifications import store
from hubbub.records.notifications.model import (
    MOST_PROVIDERS,
    Provider,
    ProviderAlreadyExists,
    ProviderNotFound,
    Setup,
    TooManyProviders,
    merge,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

MADE_ID_LENGTH = 20


def make_provider_id(ids: Ids) -> str:
    """The id of a provider that was given none."""
    return ids.hexadecimal(MADE_ID_LENGTH)


async def list_providers(runtime: Runtime, app_id: str, kind: type[Setup]) -> list[Provider[Setup]]:
    """The app's providers of a kind in the order in which they were added."""
    return await runtime.database.read(
        app_id, lambda snapshot: store.list_providers(snapshot, runtime.sealer, kind)
    )


async def add_provider(
    runtime: Runtime, app_id: str, provider_id: str, setup: Setup
) -> list[Provider[Setup]]:
    """Add a provider; returns all of its kind.

    It becomes the default one when it is complete and its kind has no default yet.

    Raises:
        ProviderAlreadyExists: the id is taken by one of its kind.
        TooManyProviders: the app has 100 of all kinds.
        BadInput: its credentials can't be used.
    """
    await runtime.threads.run(lambda: check_secrets(setup.secrets))
    now = runtime.clock.now()

    async def within(tx: Transaction) -> list[Provider[Setup]]:
        await lock_counters(tx)  # one at a time, so that two can't both be the first
        present = await store.list_providers(tx, runtime.sealer, type(setup))
        if any(other.id == provider_id for other in present):
            raise ProviderAlreadyExists(provider_id)
        if await store.count_providers(tx) >= MOST_PROVIDERS:
            raise TooManyProviders
        place = present[-1].place + 1 if present else 1
        added = Provider(provider_id, place, setup, is_default=False, created_at=now)
        await store.insert_provider(tx, runtime.sealer, added)
        await _settle_default(tx, [*present, added])
        return await store.list_providers(tx, runtime.sealer, type(setup))

    return await runtime.database.write(app_id, within)


async def update_provider(runtime: Runtime, app_id: str, provider_id: str, given: Setup) -> None:
    """Change what is given of a provider; the rest stays, credentials and platforms too.

    It becomes the default one when it is complete now and its kind has no default yet.

    Raises:
        ProviderNotFound: there is none of that kind and id.
        BadInput: credentials that are given can't be used.
    """
    await runtime.threads.run(lambda: check_secrets(given.secrets))
    now = runtime.clock.now()

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)  # one at a time: a change is read, merged and written
        present = await store.list_providers(tx, runtime.sealer, type(given))
        before = _access_provider(present, provider_id)
        after = replace(before, setup=merge(before.setup, given), updated_at=now)
        await store.update_provider(tx, runtime.sealer, after)
        await _settle_default(tx, [after if other is before else other for other in present])

    await runtime.database.write(app_id, within)


async def delete_provider(
    runtime: Runtime, app_id: str, provider_id: str, kind: type[Setup]
) -> None:
    """Remove a provider; after the default one the oldest that is complete becomes the default.

    Raises:
        ProviderNotFound: there is none of that kind and id.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        present = await store.list_providers(tx, runtime.sealer, kind)
        leaving = _access_provider(present, provider_id)
        await store.delete_provider(tx, kind.kind, provider_id)
        await _settle_default(tx, [other for other in present if other is not leaving])

    await runtime.database.write(app_id, within)


async def choose_default_provider(
    runtime: Runtime, app_id: str, provider_id: str, kind: type[Setup]
) -> None:
    """Make a provider the default one of its kind, be it complete or not.

    Raises:
        ProviderNotFound: there is none of that kind and id.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        _access_provider(await store.list_providers(tx, runtime.sealer, kind), provider_id)
        await store.set_default_provider(tx, kind.kind, provider_id)

    await runtime.database.write(app_id, within)


def find_heir(providers: Sequence[Provider[Setup]]) -> Provider[Setup] | None:
    """Who of a kind's providers, oldest first, is to become the default; None: nobody now."""
    if any(provider.is_default for provider in providers):
        return None
    return next((provider for provider in providers if provider.setup.is_complete), None)


async def _settle_default(tx: Transaction, providers: Sequence[Provider[Setup]]) -> None:
    heir = find_heir(providers)
    if heir is not None:
        await store.set_default_provider(tx, heir.setup.kind, heir.id)


def _access_provider(providers: Sequence[Provider[Setup]], provider_id: str) -> Provider[Setup]:
    for provider in providers:
        if provider.id == provider_id:
            return provider
    raise ProviderNotFound(provider_id)
