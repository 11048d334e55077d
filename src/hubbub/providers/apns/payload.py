"""Payloads of APNs, and the header fields that go with them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hubbub.providers.interface import Push
from hubbub.records.notifications.setups import ApnsSetup

ALERT, BACKGROUND, VOIP = "alert", "background", "voip"
NOW, WHEN_CONVENIENT = 10, 5
"""The priorities."""

Payload = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ApnsEnvelope:
    """What goes with a payload."""

    push_type: str
    topic: str
    priority: int

    @classmethod
    def of(cls, push: Push, setup: ApnsSetup) -> "ApnsEnvelope":
        """Return the envelope of a push: VoIP by its token, and silent if it has no text."""
        topic = setup.bundle_id or ""
        if push.platform.endswith("_voip"):
            return cls(VOIP, f"{topic}.voip", NOW)
        fields = push.fields
        if fields.get("title") or fields.get("body"):
            return cls(ALERT, topic, NOW)
        return cls(BACKGROUND, topic, WHEN_CONVENIENT)


def find_alert(fields: Mapping[str, Any]) -> Payload:
    """Return the visible part."""
    return {name: fields[name] for name in ("title", "body") if fields.get(name)}


def build_payload(
    fields: Mapping[str, Any], push: Push, envelope: ApnsEnvelope, setup: ApnsSetup
) -> Payload:
    """Return a payload: the fields stand beside `aps`."""
    own = {name: value for name, value in fields.items() if value is not None and name != "aps"}
    own["unreadMessageCount"] = push.unread
    return {"aps": _aps(fields, push, envelope, setup), **own}


def _aps(
    fields: Mapping[str, Any], push: Push, envelope: ApnsEnvelope, setup: ApnsSetup
) -> Payload:
    aps: Payload = {"badge": push.unread}
    if envelope.push_type == ALERT:
        aps["alert"] = find_alert(fields)
        if push.sound:
            aps["sound"] = push.sound
        if thread := fields.get("conversationId"):
            aps["thread-id"] = thread
        if setup.include_mutable_content:
            aps["mutable-content"] = 1
    if envelope.push_type == BACKGROUND or setup.include_content_available:
        aps["content-available"] = 1
    return aps
