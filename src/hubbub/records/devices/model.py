"""Devices: the push tokens that were registered with the auth tokens of users."""

import hashlib

import msgspec
from msgspec import Struct

MOST_DEVICES = 100
LONGEST_TOKEN = 4_096
ALERT, VOIP = "alert", "voip"
WEB_PUSH = "web_push"

_FLAVOURS = ("react_native", "ionic_cordova")
FCM_PLATFORMS = (
    "fcm_android",
    "fcm_ios",
    "fcm_web",
    "fcm_flutter_android",
    "fcm_flutter_ios",
    *(f"fcm_{flavour}_{system}" for flavour in _FLAVOURS for system in ("android", "ios")),
)
APNS_PLATFORMS = tuple(f"apns_{flavour}_device" for flavour in ("ios", "flutter", *_FLAVOURS))
VOIP_PLATFORMS = tuple(f"apns_{flavour}_voip" for flavour in ("ios", "flutter", *_FLAVOURS))


class Keys(Struct, frozen=True):
    """The keys of a Web Push subscription, in base64url without padding: RFC 8291."""

    p256dh: str
    auth: str


class StoredSubscription(Struct, frozen=True):
    """A Web Push subscription."""

    endpoint: str
    keys: Keys


_decode_subscription = msgspec.json.Decoder(StoredSubscription).decode


class PushDevice(Struct, frozen=True):
    """A registered push token. Times are in milliseconds."""

    uid: str
    platform: str
    token: str
    """The token of the gateway; for Web Push, a `Subscription` as JSON."""
    provider_id: str | None
    """None: the default provider of the platform's kind."""
    auth_hash: str
    """The keyed hash of the auth token with which it was registered."""
    created_at: int
    updated_at: int

    @property
    def kind(self) -> str:
        """Return the kind of the token: an auth token has one of each."""
        return VOIP if self.platform in VOIP_PLATFORMS else ALERT

    @property
    def shown_token(self) -> str:
        """Return the token as lists show it: for Web Push, the endpoint."""
        if self.platform != WEB_PUSH:
            return self.token
        return _decode_subscription(self.token).endpoint


def digest_of(token: str) -> str:
    """Return the digest by which a push token is looked up: tokens are too long for a key."""
    return hashlib.blake2b(token.encode(), digest_size=32).hexdigest()
