"""End the sessions of users who are deactivated or deleted, in the transaction that does it."""

from collections import Counter
from collections.abc import Collection

from hubbub.domain.presence.batch import announce_connection, are_connections_heard
from hubbub.records.presence import store
from hubbub.records.presence.model import DISCONNECTED
from hubbub.records.users.model import AVAILABLE, OFFLINE
from hubbub.records.users.store import set_offline
from hubbub.storage.interface import Transaction


async def end_sessions(tx: Transaction, uids: Collection[str], now: int) -> None:
    """Delete all sessions of users, who are offline now; the counters are locked."""
    if await are_connections_heard(tx):
        await _announce_ends(tx, uids, now)
    online = await set_offline(tx, uids, now)
    ended = await store.delete_sessions_of(tx, uids)
    if not ended and not online:
        return
    counts = await store.find_counts(tx, "")
    assert counts is not None, "an app with counters has a row"
    await store.store_totals(tx, sessions=counts.sessions - ended, online=counts.online - online)


async def _announce_ends(tx: Transaction, uids: Collection[str], now: int) -> None:
    """Announce the end of each session; with the last one of a user, that they are offline."""
    sessions = await store.list_all_sessions_of(tx, uids)
    left = Counter(session.uid for session in sessions)
    for session in sessions:
        left[session.uid] -= 1
        is_last = not left[session.uid]
        status = OFFLINE if is_last else AVAILABLE
        announce_connection(tx, session, DISCONNECTED, status=status, has_changed=is_last, now=now)
