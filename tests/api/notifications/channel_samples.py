"""Samples of providers that an app has at most one of: complete bodies, and their secrets."""

from dataclasses import dataclass, field

import pytest
from tests.world import Json, Node, World

from hubbub.domain.notifications.providers.channels import get_channel
from hubbub.records.notifications.setups import (
    ChannelSetup,
    CustomEmailSetup,
    CustomPushSetup,
    CustomSmsSetup,
    SendGridSetup,
    SmtpSetup,
    TwilioSetup,
)

SECRET = "Xyzzy-8f14e45f"
MADE = "repliesWebhook"
"""The field that the server makes."""


@dataclass(frozen=True)
class Sample:
    """A provider: its path, a body with all fields, and the field that is a secret."""

    path: str
    kind: type[ChannelSetup]
    secret: str
    body: Json
    optional: frozenset[str] = field(default=frozenset())
    """The fields that may be absent when it is saved."""

    def __str__(self) -> str:
        return self.kind.kind


def _custom(channel: str, kind: type[ChannelSetup], **more: bool) -> Sample:
    body = {
        "isEnabled": True,
        "webhookURL": "https://example.com/notify",
        "useBasicAuth": True,
        "basicAuthUsername": "chat",
        "basicAuthPassword": SECRET,
        **more,
    }
    path = f"/notifications/{channel}/v1/providers/custom"
    return Sample(path, kind, "basicAuthPassword", body)


TWILIO = Sample(
    "/notifications/sms/v1/providers/twilio",
    TwilioSetup,
    "twilioAuthToken",
    {
        "twilioAccountSID": "AC5b2c",
        "twilioAuthToken": SECRET,
        "twilioSenderPhoneNumber": "+14155552671",
        "isEnabled": True,
    },
    frozenset({"isEnabled"}),
)
SENDGRID = Sample(
    "/notifications/email/v1/providers/sendgrid",
    SendGridSetup,
    "sendGridApiKey",
    {
        "sendGridApiKey": SECRET,
        "sendGridTemplateID": "d-5b2c",
        "sendGridUnsubscribeGroupID": "12345",
        "senderName": "Chat",
        "senderEmail": "chat@example.com",
        "allowEmailReplies": True,
        "senderEmailForReplies": "chat@replies.example.com",
        "isEnabled": True,
    },
    frozenset({"isEnabled", "senderEmailForReplies"}),
)
SMTP = Sample(
    "/notifications/email/v1/providers/smtp",
    SmtpSetup,
    "password",
    {
        "host": "mail.example.com",
        "port": 587,
        "username": "chat",
        "password": SECRET,
        "security": "starttls",
        "senderName": "Chat",
        "senderEmail": "chat@example.com",
        "isEnabled": True,
    },
    frozenset({"isEnabled", "username"}),
)
CUSTOM_PUSH = _custom("push", CustomPushSetup)
CUSTOM_EMAIL = _custom("email", CustomEmailSetup, useStoredEmailID=True)
CUSTOM_SMS = _custom("sms", CustomSmsSetup, useStoredPhNo=True)
SAMPLES = (TWILIO, SENDGRID, SMTP, CUSTOM_PUSH, CUSTOM_EMAIL, CUSTOM_SMS)
EACH = pytest.mark.parametrize("sample", SAMPLES, ids=str)


def one(data: Json) -> Json:
    """Return the provider in the data of an answer, without what the server makes; or nothing."""
    found: list[Json] = data.get("pushProviders", [data])
    return {name: value for name, value in (found or [{}])[0].items() if name != MADE}


async def stored_secret(world: World, node: Node, sample: Sample) -> str | None:
    """Return the secret as a sender gets it."""
    found = one(await world.get(f"{sample.path}?withSecrets=true"))
    setup = await get_channel(node.runtime, world.app_id, sample.kind)
    assert setup is not None
    assert repr(found.get(sample.secret)) in str(setup)
    return found.get(sample.secret)
