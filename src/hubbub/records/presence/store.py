"""The tables `sessions`, `presence_totals` and `nodes`."""

from collections.abc import Collection, Sequence

from hubbub.kernel.clock import MOST_AHEAD_SECONDS
from hubbub.records.presence.model import (
    LATE_SECONDS,
    NodeState,
    PresenceCounts,
    SessionKey,
    StoredSession,
)
from hubbub.storage.interface import Database, Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__, session_columns=StoredSession)


async def find_counts(snapshot: Snapshot, node: str) -> PresenceCounts | None:
    """Return what is stored of the app and a node; None if there is no such app."""
    row = await snapshot.fetch_one(SQL.find_counts, node=node)
    return PresenceCounts(bool(row[0]), *row[1:]) if row else None


async def find_online(database: Database, app_id: str) -> int:
    """Return the number of users who are available."""
    row = await database.point(app_id, SQL.find_online)
    return int(row[0]) if row else 0


async def store_totals(tx: Transaction, *, sessions: int, online: int) -> None:
    """Store the numbers of open sessions and of available users."""
    await tx.run_many(SQL.store_totals, [{"sessions": sessions, "online": online}])


async def find_sessions(
    snapshot: Snapshot, keys: Collection[SessionKey]
) -> dict[SessionKey, StoredSession]:
    """Return the open sessions among these, by key."""
    wanted = [{"node": node, "id": id_} for node, id_ in dict.fromkeys(keys)]
    rows = await snapshot.fetch_many(SQL.find_session, wanted)
    return {session.key: session for session in (StoredSession(*row) for row in rows)}


async def list_sessions_of_users(
    snapshot: Snapshot, limits: dict[str, int]
) -> dict[str, set[SessionKey]]:
    """Return for each uid the keys of some open sessions, as many as its limit says."""
    wanted = [{"uid": uid, "limit": limit} for uid, limit in limits.items()]
    found: dict[str, set[SessionKey]] = {uid: set() for uid in limits}
    for uid, node, id_ in await snapshot.fetch_many(SQL.list_sessions_of_user, wanted):
        found[uid].add((node, id_))
    return found


async def list_all_sessions_of(snapshot: Snapshot, uids: Collection[str]) -> list[StoredSession]:
    """Return all open sessions of users."""
    rows = await snapshot.fetch(SQL.list_all_sessions_of, uids=list(uids))
    return [StoredSession(*row) for row in rows]


async def list_sessions_of_node(
    snapshot: Snapshot, node: str, *, limit: int
) -> list[StoredSession]:
    """Return some open sessions of a node."""
    rows = await snapshot.fetch(SQL.list_sessions_of_node, node=node, limit=limit)
    return [StoredSession(*row) for row in rows]


async def insert_sessions(tx: Transaction, sessions: Sequence[StoredSession]) -> None:
    """Insert open sessions."""
    await tx.run_many(SQL.insert_session, sessions)


async def replace_sessions(tx: Transaction, sessions: Sequence[StoredSession]) -> None:
    """Store open sessions in place of closed ones with the same ids."""
    await tx.run_many(SQL.replace_session, sessions)


async def delete_sessions(tx: Transaction, sessions: Sequence[StoredSession]) -> None:
    """Delete sessions, which are closed."""
    await tx.run_many(SQL.delete_session, sessions)


async def delete_sessions_of(tx: Transaction, uids: Collection[str]) -> int:
    """Delete all sessions of users; return their number."""
    return await tx.run(SQL.delete_sessions_of_users, uids=list(uids))


async def store_beat(tx: Transaction, node: str, at: int) -> bool:
    """Store that a node runs; return whether sessions of it may have been closed meanwhile."""
    row = await tx.fetch_one(SQL.lock_node, id=node)
    await tx.run_many(SQL.put_node, [{"id": node, "beat_at": at, "state": NodeState.LIVE}])
    return row is None or row[0] != NodeState.LIVE


async def list_live(snapshot: Snapshot, after: int) -> list[str]:
    """Return the ids of the nodes whose last beat was after some time."""
    return [row[0] for row in await snapshot.fetch(SQL.list_live, after=after)]


async def list_nodes(snapshot: Snapshot, *, limit: int) -> list[tuple[str, int]]:
    """Return the ids of nodes with their last beats, the latest first."""
    return [(row[0], row[1]) for row in await snapshot.fetch(SQL.list_nodes, limit=limit)]


async def note_sign_of_life(tx: Transaction, node: str, at: int) -> None:
    """Store that a node runs; its next beat says that sessions may have been closed."""
    await tx.run_many(SQL.put_node, [{"id": node, "beat_at": at, "state": NodeState.SWEPT}])


async def claim_node(tx: Transaction, node: str, before: int) -> int | None:
    """Lock a failed node until the commit, and store that it is being swept.

    Return its last beat, or None if it is after `before`, or another node has locked it.
    """
    row = await tx.fetch_one(SQL.claim_node, id=node, **_bounds(before))
    if row is None:
        return None
    await tx.run(SQL.set_state, id=node, state=NodeState.SWEPT)
    return int(row[0])


async def set_empty(tx: Transaction, node: str, before: int) -> None:
    """Store that a failed node has no sessions left."""
    if await tx.fetch_one(SQL.claim_node, id=node, **_bounds(before)) is not None:
        await tx.run(SQL.set_state, id=node, state=NodeState.EMPTY)


async def list_failed(snapshot: Snapshot, own: str, before: int) -> list[str]:
    """Return the nodes, without `own`, that may have sessions, and whose last beat is so old."""
    rows = await snapshot.fetch(SQL.list_failed, own=own, **_bounds(before))
    return [row[0] for row in rows]


def _bounds(before: int) -> dict[str, int]:
    """Return the times between which a last beat shows that its node runs."""
    return {"before": before, "latest": before + LATE_SECONDS + MOST_AHEAD_SECONDS}


async def list_open_apps(snapshot: Snapshot, *, after: str, limit: int) -> list[str]:
    """Return apps with open sessions, in the order of their ids."""
    return [row[0] for row in await snapshot.fetch(SQL.list_open_apps, after=after, limit=limit)]


async def delete_old_nodes(tx: Transaction, before: int) -> None:
    """Delete nodes without sessions whose last beat is so old."""
    await tx.run(SQL.delete_old_nodes, before=before)
