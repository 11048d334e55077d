"""Samples of the triggers about users, groups, members and webhooks."""

from typing import Any

from hubbub.rest.payloads.samples.records import (
    ANNA,
    BEN,
    NOW,
    group,
    member_action,
    named_user,
)
from hubbub.rest.wire.shapes import Json

_BLOCK: Json = {"users": {"ben": named_user("ben")}, "by": ANNA}
_CHANGED = group(updatedAt=NOW, updatedBy="anna", onlineMembersCount=1)


def _member(action: str, *, by: str = "anna", **scopes: str) -> Json:
    """Return the data of what was done to Ben in the group; without `by` if Ben did it."""
    data: dict[str, Any] = {
        "group": group(),
        "members": {"ben": {**BEN, **scopes}},
        "message": member_action(action, by, **scopes),
    }
    return data if by == "ben" else {**data, "by": ANNA}


SAMPLES: dict[str, Json] = {
    "user_blocked": _BLOCK,
    "user_unblocked": _BLOCK,
    "user_connection_status_changed": {
        "timestamp": NOW * 1000,
        "user": {**ANNA, "status": "available"},
        "status": "available",
        "currentConnection": {
            "action": "connected",
            "platform": "web",
            "connectedAt": NOW * 1000,
        },
        "userPresenceChanged": True,
    },
    "group_created": {
        "group": group(membersCount=1, createdAt=NOW, scope="admin", joinedAt=NOW, hasJoined=True),
        "members": {"anna": ANNA},
    },
    "group_updated": {"group": _CHANGED},
    "group_deleted": {"group": _CHANGED},
    "group_owner_transferred": {
        "group": group(owner="ben", updatedAt=NOW, updatedBy="anna"),
        "oldOwner": ANNA,
    },
    "group_member_added": _member("added"),
    "group_member_joined": _member("joined", by="ben"),
    "group_member_left": _member("left", by="ben"),
    "group_member_kicked": _member("kicked"),
    "group_member_banned": _member("banned"),
    "group_member_unbanned": _member("unbanned"),
    "group_member_scope_changed": _member(
        "scopeChanged", scope="moderator", oldScope="participant"
    ),
    "group_member_removed": _member("kicked"),
    "webhook_paused": {"webhook": {"id": "orders", "name": "Orders", "pausedAt": NOW}},
}
