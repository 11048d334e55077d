"""What the server of one recipient does concerns that recipient alone."""

import json
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.certificate import Certificate
from tests.gateways import smtp as smtp_gateway
from tests.gateways.smtp import SmtpGateway
from tests.notifications.engine.office import TOKENS, Office
from tests.wire import LOOPBACK

from hubbub.records.notifications.sending.store import Failing, list_failing_queues
from hubbub.storage.interface import INSTALLATION

INTERVAL = 60
DEAD = "https://127.0.0.1:9/push/x"
"""Nobody listens there."""
SMTP = "/notifications/email/v1/providers/smtp"


async def test_a_dead_push_service(office: Office) -> None:
    """While the push service of one person is dead, all others get their pushes at once."""
    key = await office.add_webpush()
    await office.subscribe("ben", key)
    await office.world.users("mallory")
    subscription = json.loads(office.gateways.webpush.subscribe(key).token)
    subscription["endpoint"] = DEAD
    token = await office.world.token("mallory")
    body = {"authToken": token, "platform": "web_push", "subscription": subscription}
    await office.world.post(TOKENS, body)
    for number in range(1, 11):
        await office.say("To Mallory", "mallory")
        await office.work(after=1)
        await office.say("To Ben")
        await office.work(after=1)
        assert len(office.gateways.webpush.received) == number


@pytest.mark.parametrize(("reply", "held"), [("450 4.2.0 Greylisted", 0), ("421 Closing", 4)])
async def test_a_mailbox_that_waits(
    office: Office, certificate: Certificate, monkeypatch: pytest.MonkeyPatch, reply: str, held: int
) -> None:
    """A server that puts off one address gets all others at once, one that closes is paused."""
    gateway = SmtpGateway("tls", "chat", "secret")
    await gateway.start(certificate)

    async def answer(_: Any, __: Any, ___: Any, envelope: Any, address: str, ____: Any) -> str:
        if address.startswith("grey"):
            return reply
        envelope.rcpt_tos.append(address)
        return "250 OK"

    monkeypatch.setattr(smtp_gateway._Handler, "handle_RCPT", answer)
    server = {"host": LOOPBACK, "port": gateway.port, "username": "chat", "password": "secret"}
    sender = {"senderName": "Chat", "senderEmail": "chat@example.com"}
    await office.world.post(SMTP, {**server, **sender, "security": "tls", "isEnabled": True})
    email = {"email": {"intervalInSeconds": INTERVAL}}
    await office.world.patch("/notifications/v1/settings", {"preferences": email})
    greys, fines = [f"grey-{at}" for at in range(12)], [f"fine-{at}" for at in range(4)]
    await office.world.users(*greys, *fines)
    for uid in (*greys, *fines):
        details = {"email": f"{uid}@example.com"}
        await office.world.patch("/notifications/v1/contact-details", details, as_=uid)
    for uid in greys:
        await office.say("Hello", uid)
        await office.work()
    await office.work(after=INTERVAL)
    for uid in fines:
        await office.say("Hello", uid)
        await office.work()
    await office.work(after=INTERVAL)

    assert len(gateway.received) == len(fines) - held
    await gateway.stop()


async def test_a_provider_that_fails(office: Office) -> None:
    """A provider that fails is logged once, listed while it fails, and logged when it is back."""
    await office.add_fcm()
    await office.register("ben")
    office.gateways.fcm.faults.answer_always("UNAVAILABLE")
    await office.say("Hello")
    with capture_logs() as lines:
        for _ in range(4):
            await office.work(after=100)
        [failing] = await list_failing(office)
        office.gateways.fcm.faults.answer_always("")
        await office.work(after=100)

    assert failing.provider == "fcm:fcm-1"
    assert failing.failures == 4
    events = [each["event"] for each in lines if each["event"].startswith("provider_")]
    assert events == ["provider_failing", "provider_back"]
    assert await list_failing(office) == []


async def list_failing(office: Office) -> list[Failing]:
    """Return the providers that fail now."""
    return await office.runtime.database.read(
        INSTALLATION, lambda snapshot: list_failing_queues(snapshot, limit=10)
    )
