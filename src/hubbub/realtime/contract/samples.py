"""The data of an example of each event: that of the trigger of the same name, or one from here."""

from collections.abc import Mapping
from typing import Any

from hubbub.rest.payloads.samples.all import SAMPLES
from hubbub.rest.payloads.samples.records import NOW, PAIR, user
from hubbub.rest.wire.shapes import Json

BEN = user("ben")
_CONVERSATION: Json = {
    "conversationId": PAIR,
    "conversationType": "user",
    "uids": ["anna", "ben"],
}
_BY_BEN: Json = {"conversation": _CONVERSATION, "by": BEN}
_PIN: Json = {"messageId": "101", "conversationId": PAIR, "by": BEN}
_USE: Json = {**_PIN, "interactions": [{"elementId": "map", "interactedAt": NOW + 20}]}
_MARK: Json = {**_BY_BEN, "lastReadMessageId": "101", "unreadMessageCount": "0"}
_TO_BEN: Json = {"sender": "anna", "receiver": "ben", "receiverType": "user"}
_OF_LOG: Mapping[str, Json] = {
    "messages_deleted": {**_BY_BEN, "messageIds": ["101", "102"], "deletedAt": NOW + 30},
    "message_pinned": {**_PIN, "pinnedAt": NOW + 30},
    "message_unpinned": _PIN,
    "message_interacted": _USE,
    "interaction_goal_completed": _USE,
    "interactive_form_submitted": {
        "conversationId": PAIR,
        "by": BEN,
        "submission": {
            "id": "7",
            "messageId": "101",
            "uid": "ben",
            "formData": {"name": "Ben Osei"},
            "submittedAt": NOW + 20,
        },
    },
    "conversation_read": _MARK,
    "conversation_unread": {**_MARK, "lastReadMessageId": "100", "unreadMessageCount": "1"},
    "conversation_delivered": {**_BY_BEN, "lastDeliveredMessageId": "101"},
    "conversation_reset": {**_BY_BEN, "lastMessageId": "101"},
    "conversation_updated": {**_BY_BEN, "tags": ["family"]},
    "conversation_deleted": {**_BY_BEN, "lastMessageId": "101"},
}
_EPHEMERAL: Mapping[str, Json] = {
    "typing_started": _TO_BEN,
    "typing_ended": _TO_BEN,
    "transient_message": {**_TO_BEN, "data": {"dice": [1, 6]}},
    "receipts_advanced": {
        "receiver": "hikers",
        "receiverType": "group",
        "deliveredToAllId": "101",
        "readByAllId": "100",
    },
    "user_presence_changed": {
        "user": {"uid": "ben", "name": "Ben Osei", "status": "available", "lastActiveAt": NOW}
    },
}
DATA: Mapping[str, Any] = {**SAMPLES, **_OF_LOG, **_EPHEMERAL}
"""By event."""
