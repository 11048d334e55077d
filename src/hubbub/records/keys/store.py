"""The tables `api_keys` and `credentials`; the latter has auth tokens, too."""

from collections.abc import Collection
from dataclasses import dataclass

from hubbub.kernel.sealing import Sealer
from hubbub.records.keys.model import ApiKey
from hubbub.storage.interface import INSTALLATION, Database, Row, Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)

KEY = "apikey"
TOKEN = "token"  # noqa: S105  # a kind of credential, not one


@dataclass(frozen=True, slots=True)
class FoundKey:
    """A credential; it has neither a scope nor a user if it is the token of an inactive user."""

    hash: str
    app_id: str
    scope: str | None
    """That of a key."""
    uid: str | None
    """The active user of a token."""
    expires_at: int | None
    """When a token ends, if it does."""


async def find_credential(database: Database, hash_: str) -> FoundKey | None:
    """Return the credential with a keyed hash, of any app."""
    row = await database.point(INSTALLATION, SQL.find_credential, hash=hash_)
    return FoundKey(*row) if row else None


async def find_credentials(snapshot: Snapshot, hashes: Collection[str]) -> list[FoundKey]:
    """Return the credentials with keyed hashes, of any apps."""
    rows = await snapshot.fetch(SQL.find_credentials, hashes=list(hashes))
    return [FoundKey(*row) for row in rows]


async def insert_credential(tx: Transaction, hash_: str, kind: str) -> None:
    """Insert the keyed hash of a credential of the transaction's app."""
    await tx.run(SQL.insert_credential, hash=hash_, kind=kind)


async def delete_credential(tx: Transaction, hash_: str) -> None:
    """Delete the keyed hash of a credential."""
    await tx.run(SQL.delete_credential, hash=hash_)


async def insert_key(tx: Transaction, sealer: Sealer, key: ApiKey) -> None:
    """Insert a key and its credential."""
    hash_ = sealer.hash(key.api_key)
    await tx.run(
        SQL.insert_key,
        hash=hash_,
        sealed=sealer.seal(key.api_key, tx.app_id, "api_keys", "sealed", hash_),
        name=key.name,
        scope=key.scope,
        is_built_in=key.is_built_in,
        created_by=key.created_by,
        created_at=key.created_at,
    )
    await insert_credential(tx, hash_, KEY)


async def find_key(snapshot: Snapshot, sealer: Sealer, api_key: str) -> ApiKey | None:
    """Return the key with that text."""
    row = await snapshot.fetch_one(SQL.find_key, hash=sealer.hash(api_key))
    return _open_row(snapshot, sealer, row) if row else None


async def list_keys(snapshot: Snapshot, sealer: Sealer) -> list[ApiKey]:
    """Return all keys of the app, newest first."""
    return [_open_row(snapshot, sealer, row) for row in await snapshot.fetch(SQL.list_keys)]


async def update_key(tx: Transaction, hash_: str, name: str, scope: str) -> None:
    """Store the name and scope of a key."""
    await tx.run(SQL.update_key, hash=hash_, name=name, scope=scope)


async def delete_key(tx: Transaction, hash_: str) -> None:
    """Delete a key and its credential."""
    await tx.run(SQL.delete_key, hash=hash_)
    await delete_credential(tx, hash_)


def _open_row(snapshot: Snapshot, sealer: Sealer, row: Row) -> ApiKey:
    sealed, name, scope, created_by, created_at, is_built_in, hash_ = row
    secret = sealer.open(sealed, snapshot.app_id, "api_keys", "sealed", hash_)
    return ApiKey(secret, name, scope, created_by, created_at, bool(is_built_in))
