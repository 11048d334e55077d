"""The signatures of calls of webhooks, checked by the library of the specification."""

import time
from base64 import b64encode
from typing import Any

import pytest
from msgspec.structs import replace
from standardwebhooks.webhooks import Webhook as Verifier
from standardwebhooks.webhooks import WebhookVerificationError

from hubbub.domain.webhooks.sign import make_headers, sign_headers
from hubbub.records.webhooks.model import Webhook

OLD = f"whsec_{b64encode(bytes(range(24))).decode()}"
NEW = f"whsec_{b64encode(bytes(range(100, 132))).decode()}"
OTHER = f"whsec_{b64encode(b'another secret, of others').decode()}"
BODY = '{"trigger": "message_sent", "data": {"text": "Grüße 👋"}}'.encode()


def webhook(**fields: Any) -> Webhook:
    """Return a webhook with some fields of its own."""
    return Webhook(1, "w", "w", "https://example.com/", **{"secret": NEW, **fields})


@pytest.mark.parametrize("secrets", [[OLD], [NEW], [NEW, OLD]])
def test_the_published_library_accepts(secrets: list[str]) -> None:
    """Each secret that signs is enough to verify; another one is not."""
    headers = sign_headers(secrets, "42-1", int(time.time()), BODY)

    for secret in secrets:
        assert Verifier(secret).verify(BODY, headers)["trigger"] == "message_sent"
    with pytest.raises(WebhookVerificationError):
        Verifier(OTHER).verify(BODY, headers)


@pytest.mark.parametrize("header", ["webhook-id", "webhook-timestamp"])
def test_what_is_signed(header: str) -> None:
    """The id, the time and the body are signed."""
    headers = sign_headers([NEW], "42", int(time.time()), BODY)
    with pytest.raises(WebhookVerificationError):
        Verifier(NEW).verify(BODY, headers | {header: f"{int(time.time()) - 1}"})
    with pytest.raises(WebhookVerificationError):
        Verifier(NEW).verify(BODY + b" ", headers)


def test_a_known_signature() -> None:
    """The example of the specification has the signature that is printed there."""
    headers = sign_headers(
        ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
    )
    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_the_former_secret_signs_until_its_time() -> None:
    """After a rotation both secrets sign, blank between, until the former one ends."""
    rotated = webhook(former_secret=OLD, former_until=1_000)

    both = make_headers(rotated, "1", 999, BODY)["webhook-signature"].split(" ")
    alone = make_headers(rotated, "1", 1_000, BODY)["webhook-signature"].split(" ")

    assert (len(both), len(alone)) == (2, 1)
    assert len(make_headers(webhook(), "1", 999, BODY)["webhook-signature"].split(" ")) == 1


def test_basic_authentication() -> None:
    """User name and password are sent only if the webhook says so."""
    named = webhook(username="Jürgen", password="pa:ss")

    assert "Authorization" not in make_headers(named, "1", 1, BODY)
    headers = make_headers(replace(named, uses_basic_auth=True), "1", 1, BODY)
    assert headers["Authorization"] == "Basic SsO8cmdlbjpwYTpzcw=="
    assert headers["Content-Type"] == "application/json"
