"""Samples of the triggers about messages, receipts and reactions."""

from hubbub.rest.payloads.samples.records import (
    NOW,
    PAIR,
    message,
    message_action,
    named_user,
)
from hubbub.rest.wire.shapes import Json

_MENTIONED: Json = {
    "ben": {
        "uid": "ben",
        "name": "Ben",
        "role": "default",
        "avatar": "https://example.com/ben.png",
        "status": "offline",
    }
}
_EDITED = message("Hello Ben!", updatedAt=NOW + 30, editedAt=NOW + 30, editedBy="anna")
_DELETED: Json = {
    "id": "101",
    "conversationId": PAIR,
    "deletedAt": NOW + 30,
    "deletedBy": "anna",
}
_REACTION: Json = {
    "id": "205",
    "messageId": "101",
    "reaction": "👍",
    "uid": "ben",
    "reactedAt": NOW + 20,
    "reactedBy": named_user("ben"),
}


def _receipt(action: str) -> Json:
    """Return the data of a receipt: Ben has a message of Anna's."""
    return {
        "receiver": "anna",
        "receiverType": "user",
        "type": "receipts",
        "sender": "ben",
        "messageSender": "anna",
        "body": {
            "action": action,
            "messageId": "101",
            "user": {**named_user("ben"), "status": "offline"},
            "timestamp": NOW + 10,
        },
    }


SAMPLES: dict[str, Json] = {
    "before_message": {"action": "send", "message": message()},
    "message_sent": {"message": message()},
    "user_mentioned": {"message": message("Hello <@uid:ben>", data={"mentions": _MENTIONED})},
    "message_edited": {"message": message_action("edited", _EDITED)},
    "message_deleted": {"message": message_action("deleted", _DELETED), "permanent": False},
    "message_delivery_receipt": _receipt("delivered"),
    "message_read_receipt": _receipt("read"),
    "message_reaction_added": {"reaction": _REACTION},
    "message_reaction_removed": {"reaction": _REACTION},
}
