"""The senders of an app are made from its setups, with the settings of the node."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.certificate import Certificate
from tests.gateways.custom import CustomGateway
from tests.gateways.faults import SILENCE
from tests.gateways.sendgrid import SendGridGateway
from tests.gateways.smtp import SmtpGateway
from tests.gateways.twilio import TwilioGateway
from tests.gateways.webpush import WebPushGateway
from tests.providers.notifications import make_mail, make_push, make_sms
from tests.providers.test_webpush import SETUP
from tests.wire import LOOPBACK

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.providers.interface import SENT, SendOutcome
from hubbub.providers.open import open_mail, open_push, open_sms
from hubbub.records.apps.model import App
from hubbub.records.notifications.setups import (
    CustomEmailSetup,
    CustomPushSetup,
    CustomSmsSetup,
    SendGridSetup,
    SmtpSetup,
    TwilioSetup,
)

APP = App("app", "App", "in", "3", "", 1, None)
NUMBER = "+15005550006"


@pytest.fixture
async def custom(certificate: Certificate) -> AsyncIterator[CustomGateway]:
    """The server of the app."""
    gateway = CustomGateway()
    await gateway.start(certificate)
    yield gateway
    await gateway.stop()


@pytest.fixture
async def sendgrid(certificate: Certificate) -> AsyncIterator[SendGridGateway]:
    """SendGrid."""
    gateway = SendGridGateway("SG.key")
    await gateway.start(certificate)
    yield gateway
    await gateway.stop()


@pytest.fixture
async def twilio(certificate: Certificate) -> AsyncIterator[TwilioGateway]:
    """Twilio."""
    gateway = TwilioGateway("AC1", "token", NUMBER)
    await gateway.start(certificate)
    yield gateway
    await gateway.stop()


@pytest.fixture
async def smtp(certificate: Certificate) -> AsyncIterator[SmtpGateway]:
    """A mail server."""
    gateway = SmtpGateway("tls", "chat", "password")
    await gateway.start(certificate)
    yield gateway
    await gateway.stop()


@pytest.fixture
async def webpush(certificate: Certificate) -> AsyncIterator[WebPushGateway]:
    """A push service."""
    gateway = WebPushGateway()
    await gateway.start(certificate)
    yield gateway
    await gateway.stop()


async def test_web_push(tmp_path: Path, certificate: Certificate, webpush: WebPushGateway) -> None:
    """The sender of Web Push is made with the key of the provider."""
    browser = webpush.subscribe(SETUP.public_key or "")
    push = make_push(platform="web_push", token=browser.token)
    async with open_runtime(settings_of(tmp_path, certificate)) as runtime:
        assert await open_push(runtime, APP, SETUP).send([push]) == [SENT]
    assert len(webpush.received) == 1


def settings_of(folder: Path, certificate: Certificate, **changes: Any) -> Settings:
    """Return the settings of a node that may call the gateways."""
    settings = Settings(
        data=folder / "data", outbound_allow="127.0.0.0/8", outbound_ca=str(certificate.cert)
    )
    return replace(settings, **changes)


async def test_all_senders(
    tmp_path: Path,
    certificate: Certificate,
    custom: CustomGateway,
    sendgrid: SendGridGateway,
    smtp: SmtpGateway,
    twilio: TwilioGateway,
) -> None:
    """Each setup makes the sender of its provider; custom ones have the time limit of webhooks."""
    urls = {"sendgrid_url": sendgrid.url, "twilio_url": twilio.url}
    settings = settings_of(tmp_path, certificate, webhook_timeout=3, **urls)
    hook = f"{custom.url}/hook"
    sender: dict[str, Any] = {"sender_name": "Chat", "sender_email": "chat@example.com"}
    grid = SendGridSetup(api_key="SG.key", template_id="d-" + "0" * 32, **sender)
    server = SmtpSetup(
        host=LOOPBACK,
        port=smtp.port,
        username="chat",
        password="password",
        security="tls",
        **sender,
    )
    twilio_setup = TwilioSetup(account_sid="AC1", auth_token="token", sender_phone_number=NUMBER)
    custom_mail, custom_sms = CustomEmailSetup(webhook_url=hook), CustomSmsSetup(webhook_url=hook)
    async with open_runtime(settings) as runtime:
        push = open_push(runtime, APP, CustomPushSetup(webhook_url=hook))
        mails = [open_mail(runtime, APP, each) for each in (custom_mail, grid, server)]
        texts = [open_sms(runtime, APP, each) for each in (custom_sms, twilio_setup)]

        assert await push.send([make_push()]) == [SENT]
        assert [await mail.send(make_mail()) for mail in mails] == [SENT] * 3
        assert [await sms.send(make_sms()) for sms in texts] == [SENT, SENT]
        assert [len(each.received) for each in (sendgrid, smtp, twilio)] == [1, 1, 1]
        assert {call["region"] for call in custom.received} == {"in"}
        assert {call["appId"] for call in custom.received} == {"app"}
        custom.faults.answer_next(SILENCE)
        [late] = await push.send([make_push()])
        assert (late.outcome, late.reason) == (SendOutcome.LATER, "It took more than 3 seconds.")
