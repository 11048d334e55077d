"""The table `idempotency_keys`."""

import msgspec

from hubbub.kernel.sealing import Sealer
from hubbub.records.idempotency.model import KEPT_SECONDS, Answer, Claim, Kept
from hubbub.storage.interface import Database, Snapshot, Transaction
from hubbub.storage.one_transaction import in_app
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)


async def insert_claim(tx: Transaction, claim: Claim, now: int) -> bool:
    """Take the key until the transaction ends; False when it was taken, and its call carried out.

    It waits for a transaction that has it: when that is rolled back, the key is free. The row is
    the claim's app's, whichever app the transaction is about.
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


async def store_answer(tx: Transaction, sealer: Sealer, claim: Claim, answer: Answer) -> None:
    """Keep the answer of a claim that was inserted in this transaction."""
    text = msgspec.json.encode(answer).decode()
    with in_app(tx, claim.app_id):
        await tx.run(SQL.store_answer, hash=claim.hash, answer=sealer.seal(text, *_place_of(claim)))


async def find_kept(database: Database, claim: Claim) -> Kept | None:
    """What is kept of the call with that claim's key, be it expired."""
    row = await database.point(claim.app_id, SQL.find_kept, hash=claim.hash)
    return Kept(*row) if row else None


def open_answer(sealer: Sealer, claim: Claim, kept: Kept) -> Answer:
    """The answer that was kept."""
    return msgspec.json.decode(sealer.open(kept.answer, *_place_of(claim)), type=Answer)


def _place_of(claim: Claim) -> tuple[str, ...]:
    return claim.app_id, "idempotency_keys", "answer", claim.hash


async def has_expired(snapshot: Snapshot, now: int) -> bool:
    """Whether the app has rows of keys that are free again."""
    return await snapshot.fetch_one(SQL.find_expired, expired=now - KEPT_SECONDS) is not None


async def delete_expired(tx: Transaction, now: int, *, limit: int) -> int:
    """Remove up to `limit` rows of keys that are free again; returns how many there were."""
    return await tx.run(SQL.delete_expired, expired=now - KEPT_SECONDS, limit=limit)
