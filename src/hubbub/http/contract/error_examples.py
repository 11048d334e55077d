"""Examples of errors: the refusals that the server makes, with sample ids in them."""

import inspect
from collections.abc import Mapping
from typing import Any

import msgspec

from hubbub.http.errors import body_of
from hubbub.kernel.errors import BadInput, Refusal, TooLarge, TooMany, Unavailable

_MESSAGE = "message"
SAMPLES: Mapping[str, Any] = {
    "actor": "anna",
    "api_key": "b3d0…",
    "app_id": "my-app",
    "delivery_id": "ea79602ee4aa3253-17",
    "field": "permissions.sendMessage.mode",
    "friend": "anna",
    "guid": "hikers",
    "id_": "sendMessage.mode",
    "index": 0,
    "key": "createMessage",
    "limit": 100,
    "message_id": 17,
    "most": 25,
    "muid": "a-muid",
    "name": "garden.png",
    "named": 17,
    "names": ["colour"],
    "known": ["name", "uid"],
    "provider_id": "my-fcm",
    "reason": "Links are not allowed here.",
    "receiver": "ben",
    "resets_at": 1_790_000_060,
    "retry_after_seconds": 12,
    "role": "guide",
    "scope": "moderator",
    "sender": "anna",
    "sentence": "It must be an object.",
    "trigger_id": "message_sent",
    "uid": "ben",
    "webhook_id": "orders",
}
"""The values in examples, by the name of the parameter of the refusal."""
MESSAGES: Mapping[str, str] = {
    TooLarge.code: "The body has more than 1,048,576 bytes.",
    TooMany.code: "More than 600 calls were made in this minute.",
    Unavailable.code: "The database is not available. Nothing was changed; try again.",
}
"""The messages of refusals that have other words each time, by code."""
FIELDS: Mapping[str, tuple[str, str]] = {
    BadInput.code: ("perPage", "Expected `int` <= 1000"),
    "ERR_EMPTY_CUSTOM_DATA": ("data.customData", "The customData is empty."),
    "ERR_EMPTY_MESSAGE_CATEGORY": ("category", "The category is empty."),
    "ERR_EMPTY_MESSAGE_FILE": ("data.attachments", "A media message needs attachments."),
    "ERR_EMPTY_MESSAGE_TEXT": ("data.text", "The text is empty."),
    "ERR_EMPTY_MESSAGE_TYPE": ("type", "The type is empty."),
    "ERR_EMPTY_RECEIVER": ("receiver", "The receiver is empty."),
    "ERR_IMPORT_INVALID_GROUP_FORMAT": ("groups.hikers.name", "This field is required."),
    "ERR_IMPORT_INVALID_MEMBER_FORMAT": ("members.hikers_member_ben.uid", "It is required."),
    "ERR_IMPORT_INVALID_MESSAGE_FORMAT": ("messages.a-muid.sender", "This field is required."),
    "ERR_IMPORT_INVALID_USER_FORMAT": ("users.ben.name", "This field is required."),
    "ERR_INVALID_CUSTOM_DATA": ("data.customData", "The customData must be an object."),
    "ERR_INVALID_MEDIA_MESSAGE": ("data.attachments", "The attachments must be a list."),
    "ERR_INVALID_MESSAGE_CATEGORY": ("category", "The category must be one of the three."),
    "ERR_INVALID_MESSAGE_DATA": ("data", "The data must be an object."),
    "ERR_INVALID_MESSAGE_TEXT": ("data.text", "The text must be a string."),
    "ERR_INVALID_MESSAGE_TYPE": ("type", "There is no such type in the category."),
    "ERR_INVALID_METADATA": ("data.metadata", "The metadata must be an object."),
    "ERR_INVALID_RECEIVER_TYPE": ("receiverType", "The receiverType must be user or group."),
}
"""The field and the sentence in examples of invalid requests, by code."""


def example_of(code: str, kind: type[Refusal] | None) -> Any:
    """Return the body of an error with a code; a `kind` of refusal gives its own words.

    Raises:
        KeyError: the code has no class, and no field here.
    """
    refusal = BadInput.field(*FIELDS[code], code=code) if _is_plain(kind) else _make(kind)
    return msgspec.to_builtins(body_of(refusal))


def _is_plain(kind: type[Refusal] | None) -> bool:
    return kind is None or kind is BadInput


def _make(kind: type[Refusal] | None) -> Refusal:
    """Return a refusal of a kind; if a parameter has no sample, its message is its meaning."""
    assert kind is not None
    meaning = (kind.__doc__ or "").partition("\n")[0]
    values = {_MESSAGE: MESSAGES.get(kind.code, meaning), **SAMPLES}
    parameters = inspect.signature(kind).parameters.values()
    needed = [each.name for each in parameters if each.default is each.empty]
    if not values.keys() >= set(needed):
        return Refusal(meaning, code=kind.code)
    return kind(**{name: values[name] for name in needed})
