"""The table `friends`: a friendship is two rows, one from each side."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from hubbub.records.friends.model import Friendship
from hubbub.storage.cached import CachedKind
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__, friendship_columns=Friendship)

FriendPair = tuple[str, str]


async def find_friends(snapshot: Snapshot, pairs: Iterable[FriendPair]) -> set[FriendPair]:
    """Return the pairs that are friends."""
    return set(await _FRIENDS.find(snapshot, pairs, _fetch_friends))


_FRIENDS = CachedKind[FriendPair, bool](SQL.find_friend)


async def _fetch_friends(snapshot: Snapshot, pairs: Iterable[FriendPair]) -> dict[FriendPair, bool]:
    asked = [{"uid": uid, "friend": friend} for uid, friend in pairs]
    rows = await snapshot.fetch_many(SQL.find_friend, asked)
    return dict.fromkeys(map(tuple, rows), True)


async def find_friendships(snapshot: Snapshot, pairs: Sequence[FriendPair]) -> list[Friendship]:
    """Return the friendships of those pairs that are friends."""
    asked = [{"uid": uid, "friend": friend} for uid, friend in pairs]
    return [Friendship(*row) for row in await snapshot.fetch_many(SQL.find_friendship, asked)]


async def list_friendships(
    snapshot: Snapshot, after: FriendPair, *, limit: int
) -> list[Friendship]:
    """Return friendships of an app, each once with the lesser uid first, those after a pair."""
    uid, friend = after
    rows = await snapshot.fetch(SQL.list_friendships, uid=uid, friend=friend, limit=limit)
    return [Friendship(*row) for row in rows]


async def list_friendships_of(snapshot: Snapshot, uid: str) -> list[Friendship]:
    """Return all friendships of a user."""
    return [Friendship(*row) for row in await snapshot.fetch(SQL.list_friendships_of, uid=uid)]


async def insert_friendships(tx: Transaction, friendships: Sequence[Friendship]) -> None:
    """Insert new friendships with their times, in both directions."""
    turned = [Friendship(each.friend, each.uid, each.created_at) for each in friendships]
    await tx.run_many(SQL.insert_friend, [*friendships, *turned])


async def list_friends_of(snapshot: Snapshot, uid: str) -> list[str]:
    """Return the uids of all friends of a user."""
    return [friend for (friend,) in await snapshot.fetch(SQL.list_friends_of, uid=uid)]


async def count_friends(snapshot: Snapshot, uids: Collection[str]) -> Counter[str]:
    """Return the number of friends of each user."""
    rows = await snapshot.fetch(SQL.count_friends, uids=list(uids))
    return Counter(dict(map(tuple, rows)))


async def insert_friends(tx: Transaction, uid: str, friends: Sequence[str], now: int) -> None:
    """Insert friendships of a user with users who are not friends yet, in both directions."""
    pairs = [pair for friend in friends for pair in ((uid, friend), (friend, uid))]
    await tx.run_many(
        SQL.insert_friend,
        [{"uid": one, "friend": other, "created_at": now} for one, other in pairs],
    )


async def delete_friends(tx: Transaction, uid: str, friends: Sequence[str]) -> None:
    """Delete friendships of a user with some users, in both directions."""
    pairs = [pair for friend in friends for pair in ((uid, friend), (friend, uid))]
    await tx.run_many(SQL.delete_friend, [{"uid": one, "friend": other} for one, other in pairs])


async def delete_friends_of(tx: Transaction, uid: str) -> None:
    """Delete all friendships of a user, in both directions."""
    friends = await list_friends_of(tx, uid)
    await tx.run_many(SQL.delete_friend, [{"uid": other, "friend": uid} for other in friends])
    await tx.run(SQL.delete_friends_of, uid=uid)
