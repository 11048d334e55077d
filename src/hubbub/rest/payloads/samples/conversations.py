"""Samples of the events that sessions are told, but no webhook."""

from hubbub.rest.payloads.samples.records import NOW, PAIR, user
from hubbub.rest.wire.shapes import Json

_BEN = user("ben")
_CONVERSATION: Json = {
    "conversationId": PAIR,
    "conversationType": "user",
    "uids": ["anna", "ben"],
}
_BY_BEN: Json = {"conversation": _CONVERSATION, "by": _BEN}
_PIN: Json = {"messageId": "101", "conversationId": PAIR, "by": _BEN}
_USE: Json = {**_PIN, "interactions": [{"elementId": "map", "interactedAt": NOW + 20}]}
_MARK: Json = {**_BY_BEN, "lastReadMessageId": "101", "unreadMessageCount": "0"}
SAMPLES: dict[str, Json] = {
    "messages_deleted": {**_BY_BEN, "messageIds": ["101", "102"], "deletedAt": NOW + 30},
    "message_pinned": {**_PIN, "pinnedAt": NOW + 30},
    "message_unpinned": _PIN,
    "message_interacted": _USE,
    "interaction_goal_completed": _USE,
    "interactive_form_submitted": {
        "conversationId": PAIR,
        "by": _BEN,
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
