"""The tables `identity_providers` and `jwt_revocations`."""

from dataclasses import dataclass

from hubbub.kernel.sealing import Sealer
from hubbub.records.identity.model import LONGEST_JWT_LIFE, IdentityProvider, Trust
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)


async def find_provider(snapshot: Snapshot, sealer: Sealer) -> IdentityProvider | None:
    """Return the identity provider of the app."""
    row = await snapshot.fetch_one(SQL.find_provider)
    if row is None:
        return None
    jwks_url, sealed, issuer, audience, uid_claim, creates_users, valid_after, updated_at = row
    secret = sealer.open(sealed, *_place(snapshot.app_id)) if sealed else None
    trust = Trust(jwks_url, secret, issuer, audience, uid_claim)
    return IdentityProvider(trust, bool(creates_users), valid_after, updated_at)


async def store_provider(tx: Transaction, sealer: Sealer, provider: IdentityProvider) -> None:
    """Store the identity provider, in place of the one before."""
    trust = provider.trust
    await tx.run(
        SQL.store_provider,
        jwks_url=trust.jwks_url,
        secret=sealer.seal(trust.secret, *_place(tx.app_id)) if trust.secret else None,
        issuer=trust.issuer,
        audience=trust.audience,
        uid_claim=trust.uid_claim,
        creates_users=provider.creates_users,
        valid_after=provider.valid_after,
        updated_at=provider.updated_at,
    )


async def delete_provider(tx: Transaction) -> None:
    """Delete the identity provider."""
    await tx.run(SQL.delete_provider)


async def revoke_of_user(tx: Transaction, sealer: Sealer, uid: str, at: int) -> bool:
    """Revoke the JWTs of a user issued up to `at`; return False in an app without a provider."""
    if not await tx.fetch(SQL.revoke_of_user, holder=hash_of(sealer, tx.app_id, uid), at=at):
        return False
    await tx.run(SQL.forget_revocations, before=at - LONGEST_JWT_LIFE)
    return True


@dataclass(frozen=True, slots=True)
class JwtHolder:
    """The user whom a JWT names."""

    is_active: bool
    valid_after: int | None
    """Their JWTs that were issued up to then are refused."""


async def find_holder(snapshot: Snapshot, sealer: Sealer, uid: str) -> JwtHolder:
    """Return the user whom a JWT names."""
    holder = hash_of(sealer, snapshot.app_id, uid)
    row = await snapshot.fetch_one(SQL.find_holder, uid=uid, holder=holder)
    assert row is not None
    return JwtHolder(row[0] is not None, row[1])


def hash_of(sealer: Sealer, app_id: str, uid: str) -> str:
    """Return the keyed hash of a uid, which outlives the user."""
    return sealer.hash(f"{app_id} {uid}")


def _place(app_id: str) -> tuple[str, ...]:
    return app_id, "identity_providers", "secret", app_id
