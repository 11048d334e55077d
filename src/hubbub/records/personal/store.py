"""Readings over the tables of all areas for one person; it writes none."""

from typing import Any

import msgspec

from hubbub.storage.interface import Row, Snapshot
from hubbub.storage.queries import Query, load_queries

SQL = load_queries(__package__)
_decode = msgspec.json.Decoder().decode

FURTHER: dict[str, tuple[Query, tuple[str, ...]]] = {
    "authTokens": (
        SQL.list_tokens,
        ("createdAt", "platform", "userAgent", "appInfo", "device", "expiresAt"),
    ),
    "devices": (SQL.list_devices, ("platform", "kind", "createdAtMs", "updatedAtMs")),
    "sessions": (SQL.list_sessions, ("connectedAt", "platform", "resource")),
    "notificationPreferences": (SQL.find_choices, ("choices",)),
    "mutedConversations": (SQL.list_mutes, ("type", "id", "untilMs")),
    "unsubscribed": (SQL.list_unsubscribed, ("channel",)),
    "savedMessages": (SQL.list_saved, ("sender", "muid", "savedAt")),
    "pinnedConversations": (SQL.list_pinned, ("type", "id", "pinnedAt")),
    "conversationTags": (SQL.list_tags, ("type", "id", "tag")),
    "interactions": (SQL.list_interactions, ("sender", "muid", "element", "at")),
    "submissions": (SQL.list_submissions, ("sender", "muid", "formData", "submittedAt")),
    "votes": (SQL.list_votes, ("sender", "muid", "options", "at")),
    "reminders": (SQL.list_reminders, ("sender", "muid", "at", "createdAt")),
    "drafts": (SQL.list_drafts, ("type", "id", "data", "updatedAt")),
    "scheduledMessages": (
        SQL.list_scheduled,
        ("type", "id", "message", "sendAt", "repeat", "timeZone", "status", "createdAt"),
    ),
    "formerMessages": (SQL.list_former, ("sender", "muid", "data", "writtenAt")),
    "notifications": (
        SQL.list_notified,
        ("channel", "provider", "trigger", "sender", "atMs", "isTriggered", "reason", "isSuccess"),
    ),
    "activeDays": (SQL.find_active_days, ("firstDay", "days")),
}
"""What lines do not carry of a person, with the names of its columns."""
DOCUMENTS = {"choices", "formData", "appInfo", "data"}
"""Columns with JSON."""
BITS = {"options"}
"""Columns with a number in which each bit stands for an option, the lowest for the first."""
COUNTED = (
    "user",
    "messages to groups",
    "messages in conversations of two",
    "files of these messages",
    "reactions",
    "mentions",
    "memberships",
    "bans",
    "friends",
    "blocks",
    "contact details",
    "auth tokens",
    "devices",
    "preferences of notifications",
    "muted conversations",
    "saved messages",
    "pins of conversations",
    "tags of conversations",
    "receipts",
    "uses of interactive messages",
    "submissions of forms",
    "votes",
    "reminders",
    "drafts",
    "scheduled messages",
    "former versions of messages",
    "log of notifications",
    "e-mails and SMS that waited",
)
"""What `count_rows` counts, in the order of its columns."""


async def find_further(snapshot: Snapshot, uid: str) -> dict[str, list[dict[str, Any]]]:
    """Return what lines do not carry of a person, by what it is."""
    return {
        name: [_fields(columns, row) for row in await snapshot.fetch(query, uid=uid)]
        for name, (query, columns) in FURTHER.items()
    }


def _fields(columns: tuple[str, ...], row: Row) -> dict[str, Any]:
    fields = {name: value for name, value in zip(columns, row, strict=True) if value is not None}
    for name in DOCUMENTS & fields.keys():
        try:
            fields[name] = _decode(fields[name])
        except msgspec.MsgspecError:  # a text that is no JSON
            continue
    if "message" in fields:  # a draft, whose data is JSON text
        fields["message"] = _decode(_decode(fields["message"])["data"])
    for name in BITS & fields.keys():
        fields[name] = [place for place in range(63) if fields[name] >> place & 1]
    return {name: bool(value) if name.startswith("is") else value for name, value in fields.items()}


async def count_rows(snapshot: Snapshot, uid: str) -> dict[str, int]:
    """Count what a permanent deletion of a user removes, by what it is."""
    row = await snapshot.fetch_one(SQL.count_rows, uid=uid)
    return dict(zip(COUNTED, map(int, row or ()), strict=True))
