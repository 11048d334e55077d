"""The users, the group and the messages in samples, which stand beside the payloads."""

from typing import Any

from hubbub.rest.wire.shapes import Json

NOW = 1_790_000_000
"""The time of what samples are about, in seconds."""
PAIR = "anna_user_ben"
GUID = "hikers"


def sample_user(uid: str, **fields: Any) -> Json:
    """Return a user."""
    return {
        "uid": uid,
        "name": uid.capitalize(),
        "avatar": f"https://example.com/{uid}.png",
        "status": "offline",
        "role": "default",
        "lastActiveAt": NOW - 60,
        **fields,
    }


ANNA, BEN = sample_user("anna"), sample_user("ben")


def sample_named_user(uid: str) -> Json:
    """Return the uid and the name of a user."""
    return {"uid": uid, "name": uid.capitalize()}


def sample_group(**fields: Any) -> Json:
    """Return a group."""
    return {
        "guid": GUID,
        "name": "Hikers",
        "description": "For all who like to hike",
        "icon": "https://example.com/hikers.png",
        "type": "public",
        "owner": "anna",
        "membersCount": 2,
        "conversationId": f"group_{GUID}",
        "createdAt": NOW - 86_400,
        **fields,
    }


def user_entity(uid: str, **fields: Any) -> Json:
    """Return a user in a message, and that it is one."""
    entity = {
        "uid": uid,
        "name": uid.capitalize(),
        "role": "default",
        "avatar": f"https://example.com/{uid}.png",
        "status": "offline",
        **fields,
    }
    return {"entity": entity, "entityType": "user"}


RECEIVER = user_entity("ben", conversationId=PAIR)
PAIR_CONVERSATION: Json = {
    "conversationId": PAIR,
    "conversationType": "user",
    "uids": ["anna", "ben"],
}
BEN_ON_MESSAGE: Json = {"messageId": "101", "conversationId": PAIR, "by": BEN}
GROUP_ENTITY: Json = {"entity": sample_group(), "entityType": "group"}


def sample_message(text: str = "Hello Ben", *, data: Json | None = None, **fields: Any) -> Json:
    """Return a text message from Anna to Ben; `data` has further fields of its data."""
    entities = {"sender": user_entity("anna"), "receiver": RECEIVER}
    return {
        "id": "101",
        "muid": "a-message-of-anna",
        "conversationId": PAIR,
        "sender": "anna",
        "receiverType": "user",
        "receiver": "ben",
        "category": "message",
        "type": "text",
        "data": {"text": text, "entities": entities, **(data or {})},
        "sentAt": NOW,
        "updatedAt": NOW,
        **fields,
    }


def message_action(action: str, on: Json) -> Json:
    """Return the action message of what Anna did to a message."""
    entities = {
        "by": user_entity("anna"),
        "on": {"entity": on, "entityType": "message"},
        "for": RECEIVER,
    }
    return {
        "id": "102",
        "conversationId": PAIR,
        "sender": "anna",
        "receiverType": "user",
        "receiver": "ben",
        "category": "action",
        "type": "message",
        "data": {"action": action, "entities": entities},
        "sentAt": NOW + 30,
        "updatedAt": NOW + 30,
    }


def member_action(action: str, by: str, **scopes: str) -> Json:
    """Return the action message of what was done to Ben in the group."""
    entities = {
        "by": user_entity(by),
        "on": user_entity("ben", **scopes),
        "for": GROUP_ENTITY,
    }
    return {
        "id": "103",
        "conversationId": f"group_{GUID}",
        "sender": by,
        "receiverType": "group",
        "receiver": GUID,
        "category": "action",
        "type": "groupMember",
        "data": {"action": action, "entities": entities},
        "sentAt": NOW,
        "updatedAt": NOW,
    }
