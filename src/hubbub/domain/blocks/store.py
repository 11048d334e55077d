"""The table `blocks`."""

from collections.abc import Iterable

from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)

Pair = tuple[str, str]
"""Who has blocked, and whom."""


async def find_blocks(snapshot: Snapshot, pairs: Iterable[Pair]) -> dict[Pair, int]:
    """Since when each of the pairs is a block, of those that are."""
    asked = [{"uid": uid, "blocked": blocked} for uid, blocked in dict.fromkeys(pairs)]
    rows = await snapshot.fetch_many(SQL.find_block, asked)
    return {(row[0], row[1]): row[2] for row in rows}


async def delete_blocks_around(tx: Transaction, uid: str) -> None:
    """Lift all blocks by a user, and all of him."""
    await tx.run(SQL.delete_blocks_by, uid=uid)
    await tx.run(SQL.delete_blocks_of, uid=uid)
