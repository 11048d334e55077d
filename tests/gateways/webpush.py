"""A push service of browsers, with the browsers: RFC 8030, 8188, 8291 and 8292.

What it checks and decrypts is written from the standards, without the code of the sender.
"""

import hashlib
import hmac
import json
import re
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from aiohttp import web
from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.gateways.faults import LOST, RESET, Fault, Refused
from tests.gateways.http import HttpGateway

LARGEST_BODY = 4096
LONGEST_TOKEN_SECONDS = 86_400
URGENCIES = {"very-low", "low", "normal", "high"}
_TOPIC = re.compile(r"[A-Za-z0-9_-]{1,32}")
_VAPID = re.compile(r"vapid t=([\w-]+\.[\w-]+\.[\w-]+), ?k=([\w-]+)")
_SUBJECT = re.compile(r"mailto:[^@\s]+@[^@\s]+|https://\S+")


@dataclass(frozen=True, slots=True)
class Browser:
    """A browser with a subscription."""

    id: str
    endpoint: str
    server_key: str
    """The only key that may push to it."""
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    auth: bytes = field(default_factory=lambda: secrets.token_bytes(16))

    @property
    def token(self) -> str:
        """Return what `JSON.stringify(subscription)` returns."""
        keys = {"p256dh": encode(point_of(self.key.public_key())), "auth": encode(self.auth)}
        return json.dumps({"endpoint": self.endpoint, "expirationTime": None, "keys": keys})

    def decrypt(self, body: bytes) -> bytes:
        """Return what a body says to this browser.

        Raises:
            InvalidTag, ValueError: it is not for this browser, or broken.
        """
        salt, size, length = body[:16], int.from_bytes(body[16:20]), body[20]
        sender, record = body[21 : 21 + length], body[21 + length :]
        if len(record) > size or length != 65:
            raise ValueError("There must be one record, and a key.")
        public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
        shared = self.key.exchange(ec.ECDH(), public)
        info = b"WebPush: info\0" + point_of(self.key.public_key()) + sender
        secret = _expand(_hmac(self.auth, shared), info, 32)
        random = _hmac(salt, secret)
        key = _expand(random, b"Content-Encoding: aes128gcm\0", 16)
        nonce = _expand(random, b"Content-Encoding: nonce\0", 12)
        padded = AESGCM(key).decrypt(nonce, record, None).rstrip(b"\0")
        if not padded.endswith(b"\x02"):
            raise ValueError("The last record must end with 2.")
        return padded[:-1]


@dataclass(frozen=True, slots=True)
class WebMessage:
    """A push that was accepted, as the page in the browser sees it."""

    browser: str
    payload: Any
    topic: str
    ttl: int
    urgency: str
    size: int
    """Of the encrypted body."""


class WebPushGateway(HttpGateway):
    """A push service; its browsers are made by `subscribe`."""

    ERRORS: ClassVar = {
        "400": Fault(400, "Bad Request"),
        "401": Fault(401, "Unauthorized", {"WWW-Authenticate": "vapid"}),
        "403": Fault(403, "The key is not that of the subscription"),
        "404": Fault(404, "Not Found"),
        "410": Fault(410, "Gone"),
        "413": Fault(413, "Payload Too Large"),
        "429": Fault(429, "Too Many Requests", {"Retry-After": "6"}),
        "500": Fault(500, "Internal Server Error"),
        "503": Fault(503, "Service Unavailable", {"Retry-After": "5"}),
    }
    PASSING: ClassVar = ("429", "500", "503", RESET, LOST)

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        super().__init__()
        self.now = now
        self.browsers: dict[str, Browser] = {}
        self.tokens: set[str] = set()
        """The tokens of senders that were seen."""

    def subscribe(self, server_key: str) -> Browser:
        """Return a new browser, whose subscription is for one key of a sender."""
        name = secrets.token_urlsafe(16)
        browser = Browser(name, f"{self.url}/push/{name}", server_key)
        self.browsers[name] = browser
        return browser

    def unsubscribe(self, browser: Browser) -> None:
        """End a subscription."""
        del self.browsers[browser.id]

    async def accept(self, request: web.BaseRequest, body: bytes) -> web.Response:
        browser = self.browsers.get(request.path.removeprefix("/push/"))
        if browser is None:
            raise Refused("410")
        if request.method != "POST":
            raise Refused("400", "method")
        self._check_sender(request.headers.get("Authorization", ""), browser)
        if len(body) > LARGEST_BODY:
            raise Refused("413", str(len(body)))
        message = self._read(request, body, browser)
        self.received.append(message)
        location = f"{self.url}/message/{len(self.received)}"
        return web.Response(status=201, headers={"Location": location, "TTL": str(message.ttl)})

    def _check_sender(self, authorization: str, browser: Browser) -> None:
        found = _VAPID.fullmatch(authorization)
        if found is None:
            raise Refused("401", "no vapid")
        token, key = found.groups()
        if key != browser.server_key:
            raise Refused("403", "key")
        claims = _verify(token, key)
        if claims.get("aud") != self.url:
            raise Refused("401", f"aud {claims.get('aud')}")
        if not self.now() < claims["exp"] <= self.now() + LONGEST_TOKEN_SECONDS:
            raise Refused("401", f"exp {claims['exp']}")
        if not _SUBJECT.fullmatch(claims.get("sub", "")):
            raise Refused("401", "sub")
        self.tokens.add(token)

    def _read(self, request: web.BaseRequest, body: bytes, browser: Browser) -> WebMessage:
        headers = request.headers
        ttl, urgency = headers.get("TTL", ""), headers.get("Urgency", "normal")
        topic = headers.get("Topic", "-")
        if not ttl.isdigit() or urgency not in URGENCIES or not _TOPIC.fullmatch(topic):
            raise Refused("400", f"TTL {ttl}, Urgency {urgency}, Topic {topic}")
        if headers.get("Content-Encoding") != "aes128gcm":
            raise Refused("400", "encoding")
        try:
            payload = json.loads(browser.decrypt(body))
        except (InvalidTag, ValueError, IndexError) as fault:
            raise Refused("400", f"can't be decrypted: {fault!r}") from None
        return WebMessage(browser.id, payload, topic, int(ttl), urgency, len(body))


def encode(content: bytes) -> str:
    """Return base64url without padding."""
    return urlsafe_b64encode(content).decode().rstrip("=")


def decode(text: str) -> bytes:
    """Return the content of base64url without padding."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def point_of(key: ec.EllipticCurvePublicKey) -> bytes:
    """Return the uncompressed point of a key."""
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _verify(token: str, key: str) -> dict[str, Any]:
    """Return the claims of a token that was signed with ES256."""
    signed, _, signature = token.rpartition(".")
    header, claims = (json.loads(decode(part)) for part in signed.split("."))
    numbers = decode(signature)
    if header.get("alg") != "ES256" or len(numbers) != 64:
        raise Refused("401", "algorithm")
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode(key))
    der = encode_dss_signature(int.from_bytes(numbers[:32]), int.from_bytes(numbers[32:]))
    try:
        public.verify(der, signed.encode(), ec.ECDSA(SHA256()))
    except InvalidSignature:
        raise Refused("401", "signature") from None
    if not isinstance(claims, dict):
        raise Refused("401", "claims")
    return claims


def _hmac(key: bytes, content: bytes) -> bytes:
    return hmac.new(key, content, hashlib.sha256).digest()


def _expand(key: bytes, info: bytes, length: int) -> bytes:
    """Return HKDF-Expand for at most one block (RFC 5869)."""
    return _hmac(key, info + b"\x01")[:length]
