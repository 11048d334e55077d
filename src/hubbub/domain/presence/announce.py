"""Announce connections to the webhooks that are to be told of them."""

from hubbub.outbox.registry import NAMES
from hubbub.records.presence.events import UserConnectionStatusChanged
from hubbub.records.presence.model import StoredSession
from hubbub.records.webhooks.store import is_heard
from hubbub.storage.interface import Transaction


async def are_connections_heard(tx: Transaction) -> bool:
    """Return whether a webhook is told who connects and disconnects; other apps write no event."""
    return await is_heard(tx, NAMES[UserConnectionStatusChanged])


def announce_connection(
    tx: Transaction,
    session: StoredSession,
    action: str,
    *,
    status: str,
    has_changed: bool,
    now: int,
) -> None:
    """Announce that a session was opened or closed, with the status that the user has by that."""
    tx.announce(
        UserConnectionStatusChanged(
            uid=session.uid,
            status=status,
            action=action,
            platform=session.platform,
            connected_at=session.connected_at,
            presence_changed=has_changed,
            at=now,
        )
    )
