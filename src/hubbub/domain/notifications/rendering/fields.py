"""The fields of a push.

    pushes = PushFields(settings, happening, show)                  # once for an event
    pushes.of(uid, is_private=preferences.uses_privacy_template)    # for each person: a look-up

People of one variant get the same mapping, which must not be changed. What else depends on the
person is added by the caller: `unreadMessageCount`, and the collapse id.
"""

from collections.abc import Mapping
from typing import Any

from hubbub.domain.notifications.happening import Happening
from hubbub.domain.notifications.rendering.context import Json, Show, context_of
from hubbub.domain.notifications.rendering.templates import cut
from hubbub.domain.notifications.rendering.wording import Variant, Wording, variant_of
from hubbub.records.conversations.model import conversation_id
from hubbub.records.groups.model import Group
from hubbub.records.notifications.app_settings import NotificationSettings, PushSettings
from hubbub.records.notifications.items import MEMBER_ACTIONS

CHAT = "chat"
LONGEST_TRIMMED = 256
"""The characters of its text that a message object keeps if it is trimmed."""

Fields = Mapping[str, Any]


class PushFields:
    """The fields of the pushes of one event; each text is rendered at most once."""

    def __init__(self, settings: NotificationSettings, happening: Happening, show: Show) -> None:
        message = show(happening.view)
        context = context_of(happening, message, show)
        self._happening = happening
        self._wording = Wording(settings.templates, happening, context)
        self._common = _common_fields(settings.push, happening, message)
        self._rendered: dict[tuple[Variant, bool], Fields] = {}

    def of(self, uid: str, *, is_private: bool) -> Fields:
        """Return the fields for a person."""
        reader = (variant_of(self._happening, uid), is_private)
        found = self._rendered.get(reader)
        if found is None:
            title, body = self._wording.texts(reader[0], is_private=is_private)
            found = self._rendered[reader] = {"title": title, "body": body, **self._common}
        return found


def _common_fields(push: PushSettings, happening: Happening, message: Json) -> Fields:
    """Return the fields that are equal for all people; what is not known is left out."""
    by, receiver = happening.by, happening.receiver
    if isinstance(receiver, Group):
        to, picture = receiver.guid, receiver.icon
    else:
        to, picture = receiver.uid, receiver.avatar
    fields = {
        "sender": by.uid,
        "senderName": by.name,
        "senderAvatar": by.avatar,
        "receiver": to,
        "receiverName": receiver.name,
        "receiverAvatar": picture,
        "receiverType": happening.message.receiver_type,
        "tag": tag_of(happening),
        "conversationId": conversation_id(happening.message.key),
        "type": CHAT,
        "sentAt": str(happening.at * 1000),
        "message": _message_object(push, message) if push.include_message_object else None,
        "custom": dict(push.custom_json) or None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def tag_of(happening: Happening) -> str:
    """Return the id of the message that it is about, or the guid if it is about a member.

    A device replaces what it shows by a later notification with the same tag.
    """
    if happening.item in MEMBER_ACTIONS:
        return happening.message.receiver
    return str(happening.message.id)


def _message_object(push: PushSettings, message: Json) -> Json:
    """Return the message without the parts that the settings leave out."""
    data = dict(message["data"])
    if not push.include_message_metadata:
        data.pop("metadata", None)
    if push.trim_text and isinstance(data.get("text"), str):
        data["text"] = cut(data["text"], LONGEST_TRIMMED)
    data["entities"] = dict(data["entities"])
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
