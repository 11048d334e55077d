"""FCM's HTTP v1 interface, as far as messages are sent to devices by it."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from tests.gateways.faults import Fault, Refused
from tests.gateways.google_token import GoogleTokenGateway
from tests.gateways.http2 import Http2Gateway

LARGEST_PAYLOAD = 4096
LONGEST_TTL = 28 * 86_400
FCM_ERROR = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
APNS_HEADERS = {
    "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id", "apns-id",
    "apns-topic",
}  # fmt: skip


def _error(status: int, word: str, code: str = "", retry_after: str = "") -> Fault:
    details = [{"@type": FCM_ERROR, "errorCode": code}] if code else []
    error = {"code": status, "message": f"{word} was asked for.", "status": word}
    headers = {"Retry-After": retry_after} if retry_after else {}
    return Fault(status, {"error": {**error, "details": details}}, headers)


class FcmGateway(Http2Gateway):
    """Accepts messages for one project; tokens that begin with `gone` are not registered."""

    ERRORS: ClassVar = {
        "UNREGISTERED": _error(404, "NOT_FOUND", "UNREGISTERED"),
        "NOT_FOUND": _error(404, "NOT_FOUND"),
        "INVALID_ARGUMENT": _error(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
        "SENDER_ID_MISMATCH": _error(403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"),
        "PERMISSION_DENIED": _error(403, "PERMISSION_DENIED"),
        "QUOTA_EXCEEDED": _error(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", "60"),
        "UNAVAILABLE": _error(503, "UNAVAILABLE", "UNAVAILABLE", "7"),
        "INTERNAL": _error(500, "INTERNAL", "INTERNAL"),
        "THIRD_PARTY_AUTH_ERROR": _error(401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR"),
        "UNAUTHENTICATED": _error(401, "UNAUTHENTICATED"),
        "html": Fault(502, "<html>Bad Gateway</html>"),
    }
    PASSING: ClassVar = ("QUOTA_EXCEEDED", "UNAVAILABLE", "INTERNAL", "html")

    def __init__(self, project: str, tokens: GoogleTokenGateway) -> None:
        super().__init__()
        self.project = project
        self.tokens = tokens

    def accept(self, headers: Mapping[str, str], body: bytes) -> Fault:
        if headers[":method"] != "POST":
            raise Refused("INVALID_ARGUMENT", "method")
        if headers[":path"] != f"/v1/projects/{self.project}/messages:send":
            raise Refused("NOT_FOUND", headers[":path"])
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme != "Bearer" or not self.tokens.is_known(token):
            raise Refused("UNAUTHENTICATED", "token")
        if headers.get("content-type") != "application/json":
            raise Refused("INVALID_ARGUMENT", "content type")
        message = _read_message(body)
        if message["token"].startswith("gone"):
            raise Refused("UNREGISTERED", message["token"])
        self.received.append(message)
        return Fault(200, {"name": f"projects/{self.project}/messages/{len(self.received)}"})


def _read_message(body: bytes) -> dict[str, Any]:
    """Return the message of a request; anything that FCM does not know is refused."""
    try:
        found = json.loads(body)
        message: dict[str, Any] = found.pop("message")
    except (ValueError, KeyError, AttributeError):
        raise Refused("INVALID_ARGUMENT", "JSON") from None
    allowed = {"token", "data", "notification", "android", "apns", "webpush"}
    _check(not found and set(message) <= allowed, f"fields {sorted(message)}")
    _check(isinstance(message.get("token"), str) and 0 < len(message["token"]) <= 4096, "token")
    _check_data(message.get("data", {}))
    _check_strings(message.get("notification", {}), {"title", "body", "image"})
    _check_android(message.get("android", {}))
    _check_apns(message.get("apns", {}))
    _check_webpush(message.get("webpush", {}))
    payload = {name: message[name] for name in ("data", "notification") if name in message}
    size = len(json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode())
    _check(size <= LARGEST_PAYLOAD, f"size {size}")
    return message


def _check(is_right: bool, what: str) -> None:
    if not is_right:
        raise Refused("INVALID_ARGUMENT", what)


def _check_data(data: dict[str, Any]) -> None:
    _check_strings(data, set(data))
    for name in data:
        _check(name not in {"from", "message_type"}, name)
        _check(not name.startswith(("google.", "gcm.")), name)


def _check_strings(found: dict[str, Any], allowed: set[str]) -> None:
    _check(set(found) <= allowed, f"fields {sorted(found)}")
    _check(all(isinstance(value, str) for value in found.values()), "strings")


def _check_android(block: dict[str, Any]) -> None:
    _check(set(block) <= {"collapse_key", "ttl", "priority", "notification"}, "android")
    _check(block.get("priority", "high") in {"normal", "high"}, "priority")
    ttl = block.get("ttl", "0s")
    _check(ttl.endswith("s") and 0 <= float(ttl[:-1]) <= LONGEST_TTL, "ttl")
    shown = block.get("notification", {})
    _check(set(shown) <= {"tag", "sound", "notification_count", "channel_id"}, "notification")
    _check(isinstance(shown.get("notification_count", 0), int), "notification_count")


def _check_apns(block: dict[str, Any]) -> None:
    if not block:
        return
    _check(set(block) <= {"headers", "payload"}, "apns")
    headers = block.get("headers", {})
    _check_strings(headers, APNS_HEADERS)
    _check(len(headers.get("apns-collapse-id", "").encode()) <= 64, "apns-collapse-id")
    _check(headers.get("apns-expiration", "0").isdigit(), "apns-expiration")
    if headers.get("apns-push-type") == "background":
        _check(headers.get("apns-priority") == "5", "apns-priority")
    _check(isinstance(block["payload"]["aps"], dict), "aps")


def _check_webpush(block: dict[str, Any]) -> None:
    _check(set(block) <= {"headers", "data", "notification", "fcm_options"}, "webpush")
    headers = block.get("headers", {})
    _check_strings(headers, {"TTL", "Urgency", "Topic"})
    _check(headers.get("TTL", "0").isdigit(), "TTL")
    _check(headers.get("Urgency", "high") in {"very-low", "low", "normal", "high"}, "Urgency")
    topic = headers.get("Topic", "")
    is_base64 = not topic.strip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
    _check(len(topic) <= 32 and is_base64, "Topic")
