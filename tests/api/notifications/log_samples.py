"""Log entries of notifications, stored as the engine stores them."""

from typing import Any

from tests.world import Node, World

from hubbub.kernel.pages import Slice, SliceRequest
from hubbub.records.notifications.logs import (
    Log,
    LogFilter,
    NotificationEntry,
    insert_logs,
    list_logs,
)

AT_MS = 1_800_000_000_000
ALL: SliceRequest[str] = SliceRequest(limit=1000)


def pushed(**changes: Any) -> NotificationEntry:
    """Return the entry of a push to Ben about a message of Anna."""
    fields: dict[str, Any] = {
        "uid": "ben",
        "channel": "push",
        "provider": "fcm",
        "provider_id": "google",
        "trigger": "after_message",
        "started_at_ms": AT_MS,
        "ended_at_ms": AT_MS + 250,
        "is_triggered": True,
        "is_success": True,
        "message_id": 65,
        "message_sent_at_ms": AT_MS - 1000,
        "message_category": "message",
        "message_type": "text",
        "sender": "anna",
        "receiver": "ben",
        "receiver_type": "user",
        "token_type": "fcm_android",
        "push_token": "f-1",
        "payload": {"title": "Anna", "body": "Hello"},
    }
    return NotificationEntry(**fields | changes)


async def store(node: Node, world: World, *entries: NotificationEntry) -> None:
    """Store entries in one transaction."""
    ids = node.runtime.ids
    await node.runtime.database.write(world.app_id, lambda tx: insert_logs(tx, ids, entries))


async def find(
    node: Node, world: World, wanted: LogFilter | None = None, page: SliceRequest[str] = ALL
) -> Slice[Log]:
    """Return a slice of the stored entries."""
    return await node.runtime.database.read(
        world.app_id, lambda snapshot: list_logs(snapshot, wanted or LogFilter(), page)
    )
