"""The Apple Push Notification service."""

import json
import re
import uuid
from collections.abc import Mapping
from typing import Any, ClassVar

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from tests.clock import ManualClock
from tests.gateways.faults import Fault, Refused
from tests.gateways.google_token import read_jwt
from tests.gateways.http2 import Http2Gateway

LONGEST_USE = 3600
LARGEST_PAYLOAD, LARGEST_VOIP = 4096, 5120
PUSH_TYPES = {"alert", "background", "voip", "location", "complication", "fileprovider", "mdm"}
_PATH = re.compile(r"/3/device/(.*)")
_TOKEN = re.compile(r"[0-9a-f]{64,200}")
STATUSES = {
    "BadCollapseId": 400, "BadDeviceToken": 400, "BadExpirationDate": 400, "BadMessageId": 400,
    "BadPriority": 400, "BadTopic": 400, "DeviceTokenNotForTopic": 400, "DuplicateHeaders": 400,
    "IdleTimeout": 400, "InvalidPushType": 400, "MissingDeviceToken": 400, "MissingTopic": 400,
    "PayloadEmpty": 400, "TopicDisallowed": 400, "BadCertificate": 403,
    "BadCertificateEnvironment": 403, "ExpiredProviderToken": 403, "Forbidden": 403,
    "InvalidProviderToken": 403, "MissingProviderToken": 403, "UnrelatedKeyIdInToken": 403,
    "BadPath": 404, "MethodNotAllowed": 405, "ExpiredToken": 410, "Unregistered": 410,
    "PayloadTooLarge": 413, "TooManyProviderTokenUpdates": 429, "TooManyRequests": 429,
    "InternalServerError": 500, "ServiceUnavailable": 503, "Shutdown": 503,
}  # fmt: skip
"""The documented errors."""


def _error(status: int, reason: str) -> Fault:
    body: dict[str, Any] = {"reason": reason}
    if status == 410:
        body["timestamp"] = 1_700_000_000_000
    return Fault(status, body)


class ApnsGateway(Http2Gateway):
    """Accepts pushes of one team for one app; tokens of `gone` are not registered any more."""

    ERRORS: ClassVar = {reason: _error(status, reason) for reason, status in STATUSES.items()}
    PASSING: ClassVar = ("TooManyRequests", "InternalServerError", "ServiceUnavailable", "Shutdown")

    def __init__(self, team: str, bundle: str, clock: ManualClock) -> None:
        super().__init__()
        self.team = team
        self.bundle = bundle
        self.clock = clock
        self.keys: dict[str, EllipticCurvePublicKey] = {}
        self.gone: set[str] = set()
        self.tokens: list[str] = []
        """The provider tokens that were accepted, in order."""

    def accept(self, headers: Mapping[str, str], body: bytes) -> Fault:
        if headers[":method"] != "POST":
            raise Refused("MethodNotAllowed")
        path = _PATH.fullmatch(headers[":path"])
        if path is None:
            raise Refused("BadPath", headers[":path"])
        self._check_provider(headers.get("authorization", ""))
        _check_headers(headers)
        self._check_topic(headers)
        if not path[1]:
            raise Refused("MissingDeviceToken")
        if not _TOKEN.fullmatch(path[1]):
            raise Refused("BadDeviceToken", path[1])
        if path[1] in self.gone:
            raise Refused("Unregistered", path[1])
        payload = _read_payload(headers, body)
        self.received.append({"token": path[1], "headers": dict(headers), "payload": payload})
        return Fault(200, headers={"apns-id": headers.get("apns-id") or str(uuid.uuid4()).upper()})

    def _check_provider(self, authorization: str) -> None:
        scheme, _, token = authorization.partition(" ")
        if scheme != "bearer" or not token:
            raise Refused("MissingProviderToken")
        header, claims, signature, signed = read_jwt(token, "InvalidProviderToken")
        key = self.keys.get(header.get("kid", ""))
        if key is None or header.get("alg") != "ES256" or claims.get("iss") != self.team:
            raise Refused("InvalidProviderToken", "key or team")
        try:
            key.verify(_der(signature), signed, ECDSA(SHA256()))
        except InvalidSignature:
            raise Refused("InvalidProviderToken", "signature") from None
        age = self.clock.now() - claims.get("iat", 0)
        if not 0 <= age <= LONGEST_USE:
            raise Refused("ExpiredProviderToken", f"age {age}")
        if token not in self.tokens:
            self.tokens.append(token)

    def _check_topic(self, headers: Mapping[str, str]) -> None:
        topic, push_type = headers.get("apns-topic"), headers.get("apns-push-type")
        if not topic:
            raise Refused("MissingTopic")
        if push_type not in PUSH_TYPES:
            raise Refused("InvalidPushType", f"{push_type}")
        expected = f"{self.bundle}.voip" if push_type == "voip" else self.bundle
        if topic != expected:
            raise Refused("TopicDisallowed" if topic.endswith(".voip") else "BadTopic", topic)


def _check_headers(headers: Mapping[str, str]) -> None:
    if headers.get("apns-priority", "10") not in {"1", "5", "10"}:
        raise Refused("BadPriority")
    if headers.get("apns-push-type") == "background" and headers.get("apns-priority") != "5":
        raise Refused("BadPriority", "of a background push")
    if not headers.get("apns-expiration", "0").isdigit():
        raise Refused("BadExpirationDate")
    if len(headers.get("apns-collapse-id", "").encode()) > 64:
        raise Refused("BadCollapseId")
    try:
        uuid.UUID(headers.get("apns-id", str(uuid.uuid4())))
    except ValueError:
        raise Refused("BadMessageId") from None


def _read_payload(headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
    if not body:
        raise Refused("PayloadEmpty")
    if len(body) > (LARGEST_VOIP if headers["apns-push-type"] == "voip" else LARGEST_PAYLOAD):
        raise Refused("PayloadTooLarge", f"{len(body)}")
    payload = json.loads(body)
    if not isinstance(payload, dict) or not isinstance(payload.get("aps"), dict):
        raise Refused("PayloadEmpty", "no aps")
    return payload


def _der(signature: bytes) -> bytes:
    """Return a signature in the form that is verified, from that of JWS."""
    if len(signature) != 64:
        raise Refused("InvalidProviderToken", "length of the signature")
    return encode_dss_signature(int.from_bytes(signature[:32]), int.from_bytes(signature[32:]))
