"""The fields of a push.

    pushes = PushFields(settings, occasion)                         # once for an event
    pushes.of(uid, is_private=preferences.uses_privacy_template)    # for each person: a look-up

People of one audience get the same mapping, which must not be changed. What else depends on the
person is added by the caller: `unreadMessageCount`, and the collapse id.
"""

from collections.abc import Mapping
from typing import Any

from hubbub.domain.notices.occasions import MEMBER_ACTIONS, Json, Occasion
from hubbub.domain.notices.templates import cut
from hubbub.domain.notices.wording import Audience, Wording, audience_of
from hubbub.records.conversations.model import GROUP, USER
from hubbub.records.notifications.app_settings import NotificationSettings, PushSettings

CHAT = "chat"
LONGEST_TRIMMED = 256
"""The characters of its text that a message object keeps if it is trimmed."""

Fields = Mapping[str, Any]


class PushFields:
    """The fields of the pushes of one occasion; each text is rendered at most once."""

    def __init__(self, settings: NotificationSettings, occasion: Occasion) -> None:
        self.occasion = occasion
        self._wording = Wording(settings.templates, occasion)
        self._common = _common_fields(settings.push, occasion)
        self._rendered: dict[tuple[Audience, bool], Fields] = {}

    def of(self, uid: str, *, is_private: bool) -> Fields:
        """Return the fields for a person."""
        reader = (audience_of(self.occasion, uid), is_private)
        found = self._rendered.get(reader)
        if found is None:
            title, body = self._wording.texts(reader[0], is_private=is_private)
            found = self._rendered[reader] = {"title": title, "body": body, **self._common}
        return found


def _common_fields(push: PushSettings, occasion: Occasion) -> Fields:
    """Return the fields that are equal for all people; what is not known is left out."""
    by, receiver, message = occasion.by, occasion.receiver, occasion.message
    fields = {
        "sender": by.get("uid"),
        "senderName": by.get("name"),
        "senderAvatar": by.get("avatar"),
        "receiver": receiver.get("guid" if occasion.is_group else "uid"),
        "receiverName": receiver.get("name"),
        "receiverAvatar": receiver.get("icon" if occasion.is_group else "avatar"),
        "receiverType": GROUP if occasion.is_group else USER,
        "tag": tag_of(occasion),
        "conversationId": message.get("conversationId"),
        "type": CHAT,
        "sentAt": str(occasion.at * 1000),
        "message": _message_object(push, message) if push.include_message_object else None,
        "custom": dict(push.custom_json) or None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def tag_of(occasion: Occasion) -> str:
    """Return the id of the message that it is about, or the guid if it is about a member.

    A device replaces what it shows by a later notification with the same tag.
    """
    if occasion.item in MEMBER_ACTIONS:
        return str(occasion.receiver["guid"])
    return str(occasion.message["id"])


def _message_object(push: PushSettings, message: Json) -> Json:
    """Return the message without the parts that the settings leave out."""
    data: dict[str, Any] | None = message.get("data")
    if data is None:  # the tombstone of a deleted message
        return message
    data = dict(data)
    if not push.include_message_metadata:
        data.pop("metadata", None)
    if push.trim_text and isinstance(data.get("text"), str):
        data["text"] = cut(data["text"], LONGEST_TRIMMED)
    data["entities"] = dict(data.get("entities", {}))
    if not push.include_sender_metadata:
        _drop_metadata(data["entities"], "sender")
    if not push.include_receiver_metadata:
        _drop_metadata(data["entities"], "receiver")
    return {**message, "data": data}


def _drop_metadata(entities: dict[str, Any], role: str) -> None:
    """Leave out the metadata of a user or group."""
    if role in entities:
        entity = {k: v for k, v in entities[role]["entity"].items() if k != "metadata"}
        entities[role] = {**entities[role], "entity": entity}
