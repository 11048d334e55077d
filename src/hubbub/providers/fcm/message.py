"""Messages of FCM (HTTP v1): the fields as strings, and what each platform needs besides."""

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import Any

import msgspec

from hubbub.providers.interface import CALL, Push
from hubbub.records.notifications.setups import Platforms, Visibility

ANDROID, IOS, WEB = "android", "ios", "web"
SHOWN = {ANDROID: False, IOS: True, WEB: True}
"""Whether a notification has a visible part where `notificationInPayload` does not say.

Apps for Android get data even when they do not run, and show it themselves. On iOS and in browsers,
a message without a visible part may never be shown.
"""
LONGEST_TTL = 28 * 86_400
MOST_TOPIC = 32

Message = dict[str, Any]
_encode = msgspec.json.Encoder().encode


class Target(msgspec.Struct, frozen=True):
    """What of a message depends on the device and the time."""

    platform: str
    is_shown: bool
    ttl: int

    @classmethod
    def of(cls, push: Push, platforms: Platforms | None, now: int) -> "Target":
        """Return the target of a push."""
        platform = push.platform.rpartition("_")[2]
        platform = platform if platform in SHOWN else ANDROID
        ttl = min(max(0, push.expires_at - now), LONGEST_TTL)
        return cls(platform, is_shown(platform, push.kind, platforms), ttl)


def is_shown(platform: str, kind: str, platforms: Platforms | None) -> bool:
    """Return whether a notification of a kind has a visible part on a platform."""
    visibility: Visibility | None = getattr(platforms, platform, None)
    if visibility is None:
        return SHOWN[platform]
    chosen = visibility.call if kind == CALL else visibility.chat
    return SHOWN[platform] if chosen is None else chosen


def to_strings(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields as FCM takes them: text, and JSON text of what is no text."""
    return {
        name: value if isinstance(value, str) else _encode(value).decode()
        for name, value in fields.items()
        if value is not None
    }


def build_message(strings: Mapping[str, str], push: Push, target: Target) -> Message:
    """Return a message without its token."""
    message: Message = {"data": {**strings, "unreadMessageCount": str(push.unread)}}
    if target.is_shown:
        shown = ((name, strings.get(name)) for name in ("title", "body"))
        message["notification"] = {name: text for name, text in shown if text}
    if target.platform == IOS:
        message["apns"] = _apns(strings, push, target)
    elif target.platform == WEB:
        message["webpush"] = _webpush(push, target)
    else:
        message["android"] = _android(push, target)
    return message


def _android(push: Push, target: Target) -> Message:
    block: Message = {
        "collapse_key": push.collapse_id,
        "ttl": f"{target.ttl}s",
        "priority": "high",
    }
    if target.is_shown:
        block["notification"] = {
            "tag": push.collapse_id,
            "notification_count": push.unread,
            **_sound(push),
        }
    return block


def _apns(strings: Mapping[str, str], push: Push, target: Target) -> Message:
    aps: Message = {"badge": push.unread}
    if target.is_shown:
        aps |= _sound(push)
        aps["thread-id"] = strings.get("conversationId", "")
    else:
        aps["content-available"] = 1
    headers = {
        "apns-push-type": "alert" if target.is_shown else "background",
        "apns-priority": "10" if target.is_shown else "5",
        "apns-expiration": str(push.expires_at),
        "apns-collapse-id": push.collapse_id,
    }
    return {"headers": headers, "payload": {"aps": aps}}


def _sound(push: Push) -> Message:
    return {"sound": push.sound} if push.sound else {}


def _webpush(push: Push, target: Target) -> Message:
    headers = {"TTL": str(target.ttl), "Urgency": "high", "Topic": _topic(push.collapse_id)}
    block: Message = {"headers": headers}
    if target.is_shown:
        block["notification"] = {"tag": push.collapse_id}
    return block


def _topic(collapse_id: str) -> str:
    """Return a topic for a collapse id: at most 32 letters of base64url (RFC 8030, 5.4)."""
    return urlsafe_b64encode(hashlib.sha256(collapse_id.encode()).digest()).decode()[:MOST_TOPIC]
