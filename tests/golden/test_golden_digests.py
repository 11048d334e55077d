"""E-mails and SMS about unread messages, and what the providers of both are sent."""

from collections.abc import Awaitable, Callable

from tests.golden.recording import Recording
from tests.golden.stage import Stage
from tests.notifications.engine.office import Office
from tests.wire import LOOPBACK

INTERVAL = 60
EMAIL, SMS = "email", "sms"
REPLIES = {"allowEmailReplies": True, "senderEmailForReplies": "replies@reply.example.com"}
SMTP = "/notifications/email/v1/providers/smtp"


async def test_mail_providers_are_sent_these_bytes(stage: Stage) -> None:
    """Mail providers are sent the recorded bytes: subjects, texts and HTML."""
    recording = Recording(EMAIL)
    for name, add in {"sendgrid": add_sendgrid, "smtp": add_smtp, "custom": add_mail}.items():
        await tell(stage, recording, name, add)

    assert recording.kinds == {"sendgrid", "smtp", "custom"}
    recording.check()


async def test_sms_providers_are_sent_these_bytes(stage: Stage) -> None:
    """SMS providers are sent the recorded bytes."""
    recording = Recording(SMS)
    for name, add in {"twilio": add_twilio, "custom": add_sms}.items():
        await tell(stage, recording, name, add)

    assert recording.kinds == {"twilio", "custom"}
    recording.check()


Add = Callable[[Stage, Office], Awaitable[object]]
"""Adds a provider to an app."""


async def add_sendgrid(_: Stage, office: Office) -> None:
    """Add SendGrid, with replies."""
    await office.add_sendgrid(**REPLIES)


async def add_smtp(stage: Stage, office: Office) -> None:
    """Add a mail server."""
    server = {"host": LOOPBACK, "port": stage.smtp.port, "username": "chat", "password": "secret"}
    sender = {"senderName": "Chat", "senderEmail": "chat@example.com"}
    await office.world.post(SMTP, {**server, **sender, "security": "tls", "isEnabled": True})


async def add_mail(_: Stage, office: Office) -> None:
    """Add a custom provider of e-mail."""
    await office.add_custom(EMAIL, useStoredEmailID=True)


async def add_twilio(_: Stage, office: Office) -> None:
    """Add Twilio."""
    await office.add_twilio()


async def add_sms(_: Stage, office: Office) -> None:
    """Add a custom provider of SMS."""
    await office.add_custom(SMS, useStoredPhNo=True)


async def tell(stage: Stage, recording: Recording, name: str, add: Add) -> None:
    """Send messages in an app with a provider, and record what it is sent for them."""
    office = await stage.office(f"golden-{name}")
    await add(stage, office)
    limits = {channel: {"intervalInSeconds": INTERVAL} for channel in (EMAIL, SMS)}
    await office.world.patch("/notifications/v1/settings", {"preferences": limits})
    contact = {"email": "ben@example.com", "phno": "+14155550123"}
    await office.world.patch("/notifications/v1/contact-details", contact, as_="ben")
    await office.group("hikers", "anna", "ben")
    await office.say("Grüße 👋")
    await office.say("<b>1 < 2</b> & more\nsecond line")
    await record(stage, office, recording, (name, "two texts"))
    await office.say("Hello <@uid:ben>", "#hikers")
    await office.say("From Cora", by="cora")
    await record(stage, office, recording, (name, "a group and a user"))
    choice = {"usePrivacyTemplate": True}
    await office.world.patch("/notifications/v1/preferences?uid=ben", choice)
    await office.say("Secret")
    await record(stage, office, recording, (name, "in private"))


async def record(stage: Stage, office: Office, recording: Recording, of: tuple[str, str]) -> None:
    """Wait until unread messages are told, and record what is sent."""
    await office.work()
    await office.work(after=INTERVAL)
    recording.add(*of, stage.take_sent())
