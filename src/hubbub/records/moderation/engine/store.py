"""The table `moderation_secrets`."""

from hubbub.kernel.sealing import Sealer
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)
ENGINE = "engine"


async def find_secret(snapshot: Snapshot, sealer: Sealer) -> str | None:
    """Return the secret with which calls to the app's engine are signed."""
    row = await snapshot.fetch_one(SQL.find_secret, name=ENGINE)
    return sealer.open(row[0], *_place(snapshot.app_id)) if row else None


async def store_secret(tx: Transaction, sealer: Sealer, secret: str) -> None:
    """Store the secret, in place of the one before."""
    sealed = sealer.seal(secret, *_place(tx.app_id))
    await tx.run(SQL.store_secret, name=ENGINE, sealed=sealed)


async def delete_secret(tx: Transaction) -> None:
    """Delete the secret."""
    await tx.run(SQL.delete_secret, name=ENGINE)


def _place(app_id: str) -> tuple[str, ...]:
    return app_id, "moderation_secrets", "sealed", ENGINE
