"""Samples that operators send by providers at the console: sent as notifications are."""

import json
from typing import Any

import pytest
from tests.console.conftest import console_of
from tests.console.visitors import Visitor, make_operator
from tests.engines import one_engine
from tests.notifications.engine.office import Office
from tests.world import Node

from hubbub.domain.audit.find import list_audit
from hubbub.records.audit.model import AuditEntry, AuditFilter
from hubbub.records.operators.model import OperatorRole

ACCEPTED, NOT_ACCEPTED = "has accepted the sample", "has not accepted the sample"
TOKEN = "device-of-ben"


@pytest.fixture
async def developer(office: Office) -> Visitor:
    """A developer of the app."""
    node = Node(office.runtime, office.clock, office.sender, {})
    name = await make_operator(node, OperatorRole.DEVELOPER, office.world.app_id)
    visitor = Visitor(console_of(node), name)
    await visitor.sign_in()
    return visitor


async def send(developer: Visitor, office: Office, path: str, to: str, status: int = 200) -> str:
    """Send a sample by a provider, and return the page."""
    path = f"/apps/{office.world.app_id}/providers/{path}/test"
    return await developer.post(path, {"to": to}, status=status)


async def entries(office: Office) -> list[AuditEntry]:
    """Return what the audit log has of samples."""
    wanted = AuditFilter(app=office.world.app_id, action="provider")
    return list(await list_audit(office.runtime, wanted, limit=9, oldest_first=True))


@one_engine
async def test_a_sample_is_sent_by_each_provider(office: Office, developer: Visitor) -> None:
    """Each provider sends a sample to whom the operator names, and the page says that it did."""
    await office.add_fcm()
    await office.add_sendgrid(isEnabled=False)
    await office.add_twilio()
    await office.add_custom("push")
    browser = office.gateways.webpush.subscribe(await office.add_webpush())

    for path, to in (
        ("push/fcm/fcm-1", TOKEN),
        ("push/webpush/web-1", browser.token),
        ("channels/sendgrid", "Ben@EXAMPLE.com"),
        ("channels/twilio", "+1 415 555 0123"),
        ("channels/custom_push", "ben"),
    ):
        assert ACCEPTED in await send(developer, office, path, to), path

    gateways = office.gateways
    received: list[Any] = [
        gateways.fcm.received,
        gateways.webpush.received,
        gateways.sendgrid.received,
        gateways.twilio.received,
        gateways.custom.received,
    ]
    assert [len(each) for each in received] == [1] * 5
    [person] = gateways.sendgrid.received[0]["personalizations"]
    assert person["to"] == [{"email": "Ben@example.com"}]
    assert gateways.custom.received[0]["data"]["to"] == {"uid": "ben"}
    said = [(each.subject, json.loads(each.after or "{}")) for each in await entries(office)]
    assert dict(said) == {
        "fcm/fcm-1": {},
        "webpush/web-1": {},
        "sendgrid": {"to": "Ben@example.com"},
        "twilio": {"to": "+14155550123"},
        "custom_push": {"to": "ben"},
    }
    assert await office.logs() == []


@one_engine
async def test_why_a_sample_was_not_accepted(office: Office, developer: Visitor) -> None:
    """The reason of a provider that refuses is shown; no device is removed by it."""
    await office.add_fcm()
    auth_token = await office.register("ben", TOKEN)
    office.gateways.fcm.faults.answer_always("UNREGISTERED")

    page = await send(developer, office, "push/fcm/fcm-1", TOKEN)

    assert NOT_ACCEPTED in page
    assert "UNREGISTERED" in page
    path = f"/notifications/push/v1/tokens?authToken={auth_token}"
    devices = await office.world.get(path)
    assert len(devices["pushTokens"]) == 1


@one_engine
async def test_a_wrong_sample_is_refused(office: Office, developer: Visitor) -> None:
    """Nothing is sent by a provider that is not there, nor to what is no address of its kind."""
    await office.add_sendgrid()
    await office.add_twilio()
    for path, to, status in (
        ("channels/sendgrid", "ben", 400),
        ("channels/sendgrid", "", 400),
        ("channels/twilio", "ben@example.com", 400),
        ("channels/custom_push", "ben", 404),
        ("channels/pigeon", "ben", 404),
        ("push/fcm/fcm-1", TOKEN, 404),
    ):
        await send(developer, office, path, to, status)

    assert office.gateways.sendgrid.received == []
    assert office.gateways.twilio.received == []
    assert await entries(office) == []
