"""The tables of metrics."""

from collections.abc import Collection, Sequence

from hubbub.records.metrics.model import ActiveCounts, ActiveUser, Traffic
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__, active_user_columns=ActiveUser, traffic_columns=Traffic)


async def find_active_users(snapshot: Snapshot, uids: Collection[str]) -> dict[str, ActiveUser]:
    """Return the users who were active before, and the bots, among `uids`."""
    rows = await snapshot.fetch(SQL.find_active_users, uids=list(uids)) if uids else []
    return {uid: ActiveUser(uid, bool(is_bot), *days) for uid, is_bot, *days in rows}


async def put_active_users(tx: Transaction, users: Sequence[ActiveUser]) -> None:
    """Store users in place of the rows with their uids."""
    await tx.run_many(SQL.put_active_user, users)


async def delete_active_users(tx: Transaction, uids: Collection[str]) -> None:
    """Delete the days of users. They stay in the counts."""
    if uids:
        await tx.run(SQL.delete_active_users, uids=list(uids))


async def add_active_counts(tx: Transaction, counts: ActiveCounts) -> None:
    """Change the numbers of active users."""
    rows = [
        {"day": day, "previous": previous, "users": users}
        for (day, previous), users in counts.items()
        if users
    ]
    await tx.run_many(SQL.add_active_count, rows)


async def count_active_users(snapshot: Snapshot, first_day: int, last_day: int) -> int:
    """Count the users who were active on any day of a range, both ends included."""
    row = await snapshot.fetch_one(SQL.count_active_users, first=first_day, last=last_day)
    return int(row[0]) if row else 0


async def add_traffic(tx: Transaction, traffic: Sequence[Traffic]) -> None:
    """Add to the traffic of some seconds."""
    await tx.run_many(SQL.add_traffic, traffic)


async def sum_traffic(
    snapshot: Snapshot, first_at: int, *, seconds: int, times: int
) -> Sequence[Traffic]:
    """Return the traffic in each of `times` spans of so many seconds, from a time on."""
    last = first_at + seconds * times - 1
    rows = await snapshot.fetch(SQL.sum_traffic, first=first_at, last=last, seconds=seconds)
    found = {int(row[0]): [int(count) for count in row[1:]] for row in rows}
    return [Traffic(first_at + seconds * each, *found.get(each, ())) for each in range(times)]


async def delete_traffic_before(tx: Transaction, at: int) -> None:
    """Delete the traffic of the time before."""
    await tx.run(SQL.delete_traffic_before, at=at)


async def raise_peak(tx: Transaction, day: int, connections: int) -> None:
    """Store a number of open connections, if it is the highest of the day."""
    await tx.run_many(SQL.raise_peak, [{"day": day, "connections": connections}])


async def find_peak(snapshot: Snapshot, first_day: int, last_day: int) -> int:
    """Return the most connections that were open at once in a range, both ends included."""
    row = await snapshot.fetch_one(SQL.find_peak, first=first_day, last=last_day)
    return int(row[0]) if row else 0
