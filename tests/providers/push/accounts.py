"""Accounts at push gateways, and pushes to send."""

from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from tests.clock import START
from tests.providers.notifications import FIELDS

from hubbub.providers.interface import CHAT, Push
from hubbub.records.notifications.setups import (
    ApnsSetup,
    FcmSetup,
    Platforms,
    ServiceAccount,
)

PROJECT, SENDER, KEY_ID = "chat-1", "sender@chat-1.iam.gserviceaccount.com", "4f2a"

TEAM, BUNDLE = "TEAM123456", "com.example.chat"


def make_apns_setup(key: EllipticCurvePrivateKey, **config: Any) -> ApnsSetup:
    """Return a complete setup of APNs."""
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    return ApnsSetup(key_id=KEY_ID, team_id=TEAM, bundle_id=BUNDLE, p8_key=pem, **config)


def make_fcm_setup(key: RSAPrivateKey, platforms: Platforms | None = None) -> FcmSetup:
    """Return a complete setup of FCM."""
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    account = ServiceAccount(PROJECT, SENDER, pem, KEY_ID)
    return FcmSetup(service_account_creds=account, notification_in_payload=platforms)


def push_to(
    token: str,
    platform: str = "fcm_android",
    *,
    kind: str = CHAT,
    unread: int = 3,
    **fields: Any,
) -> Push:
    """Return a push to a device, with some fields changed."""
    shown = {**FIELDS, **fields}
    return Push("ben", platform, token, shown, unread, "anna_user_ben.17", START + 3600, kind)
