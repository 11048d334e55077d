"""The tables `push_providers` and `contact_details`; `channels.py` and `logs.py` have others."""

from collections.abc import Collection

from hubbub.kernel.sealing import Sealer
from hubbub.records.notifications.model import ContactDetails, Provider, Setup
from hubbub.records.notifications.setups import PUSH_KINDS, PushSetup, open_setup, seal_setup
from hubbub.storage.interface import Row, Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)

PushProvider = Provider[PushSetup]


async def list_providers(
    snapshot: Snapshot, sealer: Sealer, kind: type[Setup]
) -> list[Provider[Setup]]:
    """Return the providers of a kind, in the order in which they were added."""
    rows = await snapshot.fetch(SQL.list_providers, kind=kind.kind)
    return [_open_row(snapshot, sealer, kind, row) for row in rows]


async def list_all_providers(snapshot: Snapshot, sealer: Sealer) -> list[PushProvider]:
    """Return the providers of all kinds, and of each in the order in which they were added."""
    rows = await snapshot.fetch(SQL.list_all_providers)
    return [_open_row(snapshot, sealer, PUSH_KINDS[kind], row) for kind, *row in rows]


async def count_providers(snapshot: Snapshot) -> int:
    """Return the number of providers of all kinds."""
    row = await snapshot.fetch_one(SQL.count_providers)
    return int(row[0]) if row else 0


async def insert_provider(tx: Transaction, sealer: Sealer, provider: Provider[Setup]) -> None:
    """Insert a provider, which is not a default yet."""
    await tx.run(
        SQL.insert_provider,
        kind=provider.setup.kind,
        provider_id=provider.id,
        place=provider.place,
        **_sealed(tx, sealer, provider),
        created_at=provider.created_at,
    )


async def update_provider(tx: Transaction, sealer: Sealer, provider: Provider[Setup]) -> None:
    """Store the changed setup of a provider."""
    await tx.run(
        SQL.update_provider,
        kind=provider.setup.kind,
        provider_id=provider.id,
        **_sealed(tx, sealer, provider),
        updated_at=provider.updated_at,
    )


async def set_default_provider(tx: Transaction, kind: str, provider_id: str) -> None:
    """Make a provider the default of its kind, in place of the previous one."""
    await tx.run(SQL.clear_default_provider, kind=kind)
    await tx.run(SQL.set_default_provider, kind=kind, provider_id=provider_id)


async def delete_provider(tx: Transaction, kind: str, provider_id: str) -> None:
    """Delete a provider."""
    await tx.run(SQL.delete_provider, kind=kind, provider_id=provider_id)


def _sealed(tx: Transaction, sealer: Sealer, provider: Provider[Setup]) -> dict[str, str]:
    setup = provider.setup
    return seal_setup(sealer, setup, *_sealed_place(tx.app_id, setup.kind, provider.id))


def _open_row(snapshot: Snapshot, sealer: Sealer, kind: type[Setup], row: Row) -> Provider[Setup]:
    id_, place, config, sealed, is_default, created_at, updated_at = row
    where = _sealed_place(snapshot.app_id, kind.kind, id_)
    setup = open_setup(sealer, kind, config, sealed, *where)
    return Provider(id_, place, setup, bool(is_default), created_at, updated_at)


def _sealed_place(app_id: str, kind: str, provider_id: str) -> tuple[str, ...]:
    """Return the place of a sealed value: it opens nowhere else."""
    return app_id, "push_providers", "sealed", kind, provider_id


async def find_contact_details(snapshot: Snapshot, uid: str) -> ContactDetails:
    """Return the contact details of a user, empty if none are stored."""
    row = await snapshot.fetch_one(SQL.find_contact_details, uid=uid)
    return ContactDetails(*row) if row else ContactDetails()


async def list_contact_details(
    snapshot: Snapshot, uids: Collection[str]
) -> dict[str, ContactDetails]:
    """Return the contact details of those users that have some, by uid."""
    rows = await snapshot.fetch(SQL.list_contact_details, uids=list(uids)) if uids else []
    return {uid: ContactDetails(*details) for uid, *details in rows}


async def list_all_contact_details(
    snapshot: Snapshot, after: str, *, limit: int
) -> list[tuple[str, ContactDetails]]:
    """Return contact details of an app with their uids, in their order, those after a uid."""
    rows = await snapshot.fetch(SQL.list_all_contact_details, after=after, limit=limit)
    return [(uid, ContactDetails(*details)) for uid, *details in rows]


async def put_contact_details(tx: Transaction, uid: str, details: ContactDetails) -> None:
    """Insert or replace the contact details of a user."""
    await tx.run(
        SQL.put_contact_details, uid=uid, email=details.email, phone_number=details.phone_number
    )


async def delete_contact_details(tx: Transaction, uid: str) -> None:
    """Delete the contact details of a user, if there are any."""
    await tx.run(SQL.delete_contact_details, uid=uid)
