"""The gateways refuse what the real ones refuse; otherwise what they accept would show nothing."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.certificate import Certificate
from tests.clock import START, ManualClock
from tests.gateways.custom import CustomGateway
from tests.gateways.http import HttpGateway, basic_auth
from tests.gateways.sendgrid import SendGridGateway
from tests.gateways.smtp import SmtpGateway
from tests.gateways.twilio import TwilioGateway
from tests.gateways.webpush import WebPushGateway
from tests.providers.test_webpush import SETUP, make_setup

from hubbub.outbound.client import OutboundClient
from hubbub.providers.webpush.encryption import encrypt
from hubbub.providers.webpush.subscription import read_subscription
from hubbub.providers.webpush.vapid import Vapid

Headers = dict[str, str]


@asynccontextmanager
async def running(gateway: HttpGateway, certificate: Certificate) -> AsyncIterator[HttpGateway]:
    """Run a gateway."""
    await gateway.start(certificate)
    yield gateway
    await gateway.stop()


async def post(outbound: OutboundClient, url: str, body: bytes, headers: Headers) -> int:
    """Return the status that a call is answered with."""
    return (await outbound.post(url, body, headers, seconds=60)).status


JSON = {"Content-Type": "application/json"}
MAIL = {
    "from": {"email": "chat@example.com"},
    "personalizations": [{"to": [{"email": "ben@example.com"}], "dynamic_template_data": {}}],
    "template_id": "d-" + "0" * 32,
}


@pytest.mark.parametrize(
    ("changes", "headers", "status"),
    [
        ({}, {}, 202),
        ({}, {"Authorization": "Bearer other"}, 401),
        ({}, {"Content-Type": "text/plain"}, 415),
        ({"personalizations": []}, {}, 400),
        ({"personalizations": [{"to": [{"email": "ben"}]}]}, {}, 400),
        ({"from": {"email": "chat@example.com", "uid": "x"}}, {}, 400),
        ({"template_id": None}, {}, 400),
        ({"asm": {"group_id": "1"}}, {}, 400),
        ({"headers": {"Subject": "x"}}, {}, 400),
    ],
)
async def test_sendgrid(
    certificate: Certificate,
    outbound: OutboundClient,
    changes: dict[str, Any],
    headers: Headers,
    status: int,
) -> None:
    """The key, the content type and each field are checked."""
    async with running(SendGridGateway("key"), certificate) as gateway:
        body = json.dumps({**MAIL, **changes}).encode()
        headers = {**JSON, "Authorization": "Bearer key", **headers}

        assert await post(outbound, f"{gateway.url}/v3/mail/send", body, headers) == status
        assert await post(outbound, f"{gateway.url}/v2/mail", body, headers) == 404
        assert len(gateway.received) == (status == 202)


@pytest.mark.parametrize(
    ("changes", "headers", "status"),
    [
        ({}, {}, 201),
        ({}, {"Authorization": basic_auth("AC1", "other")}, 401),
        ({}, {"Content-Type": "text/plain"}, 400),
        ({"To": "0664"}, {}, 400),
        ({"From": "+436641234567"}, {}, 400),
        ({"Body": ""}, {}, 400),
        ({"Body": "x" * 1601}, {}, 400),
    ],
)
async def test_twilio(
    certificate: Certificate,
    outbound: OutboundClient,
    changes: dict[str, str],
    headers: Headers,
    status: int,
) -> None:
    """The account, the form and each field are checked."""
    async with running(TwilioGateway("AC1", "token", "+15005550006"), certificate) as gateway:
        form = {"To": "+14155552671", "From": "+15005550006", "Body": "Hi", **changes}
        url = f"{gateway.url}/2010-04-01/Accounts/AC1/Messages.json"
        headers = {
            "Authorization": basic_auth("AC1", "token"),
            "Content-Type": "application/x-www-form-urlencoded",
            **headers,
        }

        assert await post(outbound, url, urlencode(form).encode(), headers) == status
        assert len(gateway.received) == (status == 201)


CALL = {
    "trigger": "push-notification-payload-generated",
    "data": {"to": {"uid": "ben"}, "notificationDetails": {}},
    "appId": "app",
    "region": "eu",
    "webhook": "custom",
}


@pytest.mark.parametrize(
    "changes", [{}, {"extra": 1}, {"trigger": "other"}, {"webhook": "w1"}, {"data": {"to": {}}}]
)
async def test_custom(
    certificate: Certificate, outbound: OutboundClient, changes: dict[str, Any]
) -> None:
    """The envelope, the trigger and the details are checked."""
    async with running(CustomGateway(), certificate) as gateway:
        body = json.dumps({**CALL, **changes}).encode()

        assert await post(outbound, gateway.url, body, JSON) == 400
        assert gateway.refused


Change = Callable[[bytes, Headers], tuple[bytes, Headers]]
SIGNER, OTHER = Vapid(SETUP, ManualClock()), Vapid(make_setup(), ManualClock())


def _with(**changes: str) -> Change:
    renamed = {name.replace("_", "-"): text for name, text in changes.items()}
    return lambda body, headers: (body, {**headers, **renamed})


def _forged(body: bytes, headers: Headers) -> tuple[bytes, Headers]:
    """Put the key of the subscription beside a token that another key has signed."""
    url = headers["Audience"]
    token, key = OTHER.authorize(url), headers["Authorization"].rpartition("k=")[2]
    return body, {**headers, "Authorization": token.rpartition("k=")[0] + f"k={key}"}


def _expired(body: bytes, headers: Headers) -> tuple[bytes, Headers]:
    old = Vapid(SETUP, ManualClock(START - 86_400))
    return body, {**headers, "Authorization": old.authorize(headers["Audience"])}


def _too_lasting(body: bytes, headers: Headers) -> tuple[bytes, Headers]:
    late = Vapid(SETUP, ManualClock(START + 86_400))
    return body, {**headers, "Authorization": late.authorize(headers["Audience"])}


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (_with(), 201),
        (_with(Authorization=""), 401),
        (_with(Authorization=SIGNER.authorize("https://other.example")), 401),
        (_with(Authorization=OTHER.authorize("https://other.example")), 403),
        (_forged, 401),
        (_expired, 401),
        (_too_lasting, 401),
        (_with(TTL="soon"), 400),
        (_with(Urgency="now"), 400),
        (_with(Topic="x" * 33), 400),
        (_with(Content_Encoding="aesgcm"), 400),
        (lambda body, headers: (body[:-1] + bytes([body[-1] ^ 1]), headers), 400),
        (lambda body, headers: (body[1:], headers), 400),
        (lambda body, headers: (b"", headers), 400),
        (lambda body, headers: (body + b"x" * 4096, headers), 413),
    ],
)
async def test_webpush(
    certificate: Certificate, outbound: OutboundClient, change: Change, status: int
) -> None:
    """The token of the sender, the headers and the encryption are checked."""
    gateway = WebPushGateway(ManualClock().now)
    async with running(gateway, certificate):
        browser = gateway.subscribe(SETUP.public_key or "")
        headers = {
            "Audience": gateway.url,
            "Authorization": SIGNER.authorize(gateway.url),
            "Content-Encoding": "aes128gcm",
            "TTL": "60",
            "Topic": "x",
        }
        body = encrypt(b"{}", read_subscription(browser.token).keys)

        assert await post(outbound, browser.endpoint, *change(body, headers)) == status
        assert len(gateway.received) == (status == 201)


async def test_an_outage(certificate: Certificate, outbound: OutboundClient) -> None:
    """A gateway may stop, and start again at the same address with what it has received."""
    gateway = CustomGateway()
    async with running(gateway, certificate):
        details = {
            "title": "", "body": "", "receiverType": "user", "conversationId": "c",
            "type": "chat", "sentAt": "1", "unreadMessageCount": 0,
        }  # fmt: skip
        data = {"to": {"uid": "ben"}, "notificationDetails": details}
        body = json.dumps({**CALL, "data": data}).encode()
        url = gateway.url
        assert await post(outbound, url, body, JSON) == 200
        await gateway.stop()
        await gateway.start(certificate, int(url.rpartition(":")[2]))

        assert gateway.url == url
        assert await post(outbound, url, body, JSON) == 200
        assert len(gateway.received) == 2


async def test_an_outage_of_mail(certificate: Certificate) -> None:
    """A mail server may stop, and start again at the same port."""
    gateway = SmtpGateway("tls", "chat", "password")
    await gateway.start(certificate)
    port = gateway.port
    await gateway.stop()
    await gateway.start(certificate, port)
    await gateway.stop()

    assert gateway.port == port
