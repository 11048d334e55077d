"""Secrets, and the headers by which a receiver knows who calls: signatures, Basic auth.

Signatures are those of the Standard Webhooks specification.
"""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Sequence
from hashlib import sha256

from hubbub.kernel.ids import Ids
from hubbub.records.webhooks.model import Webhook

SECRET_PREFIX = "whsec_"  # noqa: S105
SECRET_BYTES = 32
CONTENT_TYPE = "application/json"


def make_headers(webhook: Webhook, call_id: str, now: int, body: bytes) -> dict[str, str]:
    """Return all headers of a call of a webhook, which is made now."""
    headers = {
        "Content-Type": CONTENT_TYPE,
        **sign_headers(valid_secrets(webhook, now), call_id, now, body),
    }
    if webhook.uses_basic_auth:
        headers["Authorization"] = basic_auth(webhook.username or "", webhook.password or "")
    return headers


def make_secret(ids: Ids) -> str:
    """Return a new secret in the form of the Standard Webhooks specification."""
    random = bytes.fromhex(ids.hexadecimal(2 * SECRET_BYTES))
    return SECRET_PREFIX + b64encode(random).decode()


def valid_secrets(webhook: Webhook, now: int) -> list[str]:
    """Return the secret of a webhook, and the one before it while that is valid, too."""
    secrets = [webhook.secret]
    if webhook.former_secret is not None and now < (webhook.former_until or 0):
        secrets.append(webhook.former_secret)
    return secrets


def sign_headers(
    secrets: Sequence[str], call_id: str, timestamp: int, body: bytes
) -> dict[str, str]:
    """Return the headers that sign a call, once with each secret."""
    signed = f"{call_id}.{timestamp}.".encode() + body
    return {
        "webhook-id": call_id,
        "webhook-timestamp": f"{timestamp}",
        "webhook-signature": " ".join(_signature(secret, signed) for secret in secrets),
    }


def basic_auth(username: str, password: str) -> str:
    """Return the header `Authorization` with a user name and a password."""
    return f"Basic {b64encode(f'{username}:{password}'.encode()).decode()}"


def _signature(secret: str, signed: bytes) -> str:
    key = b64decode(secret.removeprefix(SECRET_PREFIX))
    return f"v1,{b64encode(hmac.new(key, signed, sha256).digest()).decode()}"
