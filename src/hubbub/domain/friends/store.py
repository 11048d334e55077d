"""The table `friends`."""

from collections.abc import Iterable

from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)

Pair = tuple[str, str]


async def find_friends(snapshot: Snapshot, pairs: Iterable[Pair]) -> set[Pair]:
    """Those of the pairs that are friends."""
    asked = [{"uid": uid, "friend": friend} for uid, friend in dict.fromkeys(pairs)]
    rows = await snapshot.fetch_many(SQL.find_friend, asked)
    return {(row[0], row[1]) for row in rows}


async def delete_friends_of(tx: Transaction, uid: str) -> None:
    """End all friendships of a user, from both sides."""
    friends = [row[0] for row in await tx.fetch(SQL.list_friends_of, uid=uid)]
    await tx.run_many(SQL.delete_friend, [{"uid": other, "friend": uid} for other in friends])
    await tx.run(SQL.delete_friends_of, uid=uid)
