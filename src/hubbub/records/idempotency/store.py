"""The table `idempotency_keys`."""

import msgspec

from hubbub.kernel.sealing import Sealer
from hubbub.records.idempotency.model import KEPT_SECONDS, Claim, KeyRow, StoredAnswer
from hubbub.storage.interface import Database, Snapshot, Transaction
from hubbub.storage.one_transaction import in_app
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)
_decode_answer = msgspec.json.Decoder(StoredAnswer).decode


async def insert_claim(tx: Transaction, claim: Claim, now: int) -> bool:
    """Insert the row of a claim's key; return False if the key is taken.

    Waits for another transaction that has inserted the key; if that one is rolled back, the key is
    free. The row belongs to the app of the claim, which may not be the app of the transaction.
    """
    with in_app(tx, claim.app_id):
        touched = await tx.run(
            SQL.claim_key,
            hash=claim.hash,
            request=claim.request,
            created_at=now,
            expired=now - KEPT_SECONDS,
        )
    return touched == 1


async def store_answer(tx: Transaction, sealer: Sealer, claim: Claim, answer: StoredAnswer) -> None:
    """Store the answer to a claim that was inserted in this transaction."""
    text = msgspec.json.encode(answer).decode()
    with in_app(tx, claim.app_id):
        await tx.run(SQL.store_answer, hash=claim.hash, answer=sealer.seal(text, *_location(claim)))


async def find_key(database: Database, claim: Claim) -> KeyRow | None:
    """Return the row of the claim's key, even if it has expired."""
    row = await database.point(claim.app_id, SQL.find_key, hash=claim.hash)
    return KeyRow(*row) if row else None


def open_answer(sealer: Sealer, claim: Claim, row: KeyRow) -> StoredAnswer:
    """Return the answer that is stored in a row."""
    return _decode_answer(sealer.open(row.answer, *_location(claim)))


def _location(claim: Claim) -> tuple[str, ...]:
    return claim.app_id, "idempotency_keys", "answer", claim.hash


async def has_expired_keys(snapshot: Snapshot, now: int) -> bool:
    """Return whether the app has rows of expired keys."""
    return await snapshot.fetch_one(SQL.find_expired_key, expired=now - KEPT_SECONDS) is not None


async def delete_expired_keys(tx: Transaction, now: int, *, limit: int) -> int:
    """Delete up to `limit` rows of expired keys; return the number deleted."""
    return await tx.run(SQL.delete_expired_keys, expired=now - KEPT_SECONDS, limit=limit)
