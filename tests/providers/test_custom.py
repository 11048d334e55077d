"""Custom providers are called once for each person."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from msgspec import structs
from tests.certificate import Certificate
from tests.gateways.custom import CustomGateway
from tests.gateways.faults import LOST, RESET, SILENCE
from tests.providers.notifications import make_mail, make_push, make_sms

from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.client import OutboundClient
from hubbub.providers.calls import ProviderCaller
from hubbub.providers.custom import CustomMail, CustomPush, CustomSms, CustomWebhook
from hubbub.providers.interface import SENT, Result, SendOutcome
from hubbub.records.notifications.setups import CustomSetup

PASSWORD = "sésame:1"


@pytest.fixture
async def server(certificate: Certificate) -> AsyncIterator[CustomGateway]:
    """The server of the app."""
    gateway = CustomGateway("hubbub", PASSWORD)
    await gateway.start(certificate)
    yield gateway
    await gateway.stop()


@pytest.fixture
def webhook(server: CustomGateway, caller: ProviderCaller) -> CustomWebhook:
    """The webhook that the app has named."""
    setup = CustomSetup(
        webhook_url=f"{server.url}/push?a=b",
        uses_basic_auth=True,
        basic_auth_username="hubbub",
        basic_auth_password=PASSWORD,
    )
    return CustomWebhook(caller, "app", "eu", setup)


async def test_a_push(server: CustomGateway, webhook: CustomWebhook) -> None:
    """A person without tokens gets a call with the fields and their count of unread messages."""
    push = make_push(message={"id": "17"}, custom={"a": 1})
    provider = CustomPush(webhook)

    [result] = await provider.send([push])
    assert result == SENT
    assert server.received == [
        {
            "trigger": "push-notification-payload-generated",
            "data": {
                "to": {"uid": "ben"},
                "notificationDetails": {**push.fields, "unreadMessageCount": 3},
            },
            "appId": "app",
            "region": "eu",
            "webhook": "custom",
        }
    ]
    assert provider.render(push) == result.payload == server.received[0]


async def test_a_call_for_each_person(server: CustomGateway, webhook: CustomWebhook) -> None:
    """Many pushes are many calls; each has its own outcome, in the order of the pushes."""
    people = [f"user-{number}" for number in range(300)]
    results = await CustomPush(webhook).send([make_push(uid) for uid in people])

    assert results == [SENT] * 300
    assert sorted(call["data"]["to"]["uid"] for call in server.received) == sorted(people)


async def test_outcomes_in_order(server: CustomGateway, webhook: CustomWebhook) -> None:
    """Only the push whose call was refused has failed."""
    provider = CustomPush(webhook)
    results = []
    for name in ("", "400", ""):
        server.faults.answer_next(name)
        results += await provider.send([make_push()])

    assert [each.outcome for each in results] == [
        SendOutcome.SENT,
        SendOutcome.REFUSED,
        SendOutcome.SENT,
    ]


async def test_mail_and_sms(server: CustomGateway, webhook: CustomWebhook) -> None:
    """Mail and SMS carry their data, also for people of whom no address is stored."""
    mail, sms = make_mail(""), make_sms("")

    assert await CustomMail(webhook).send(mail) == SENT
    assert await CustomSms(webhook).send(sms) == SENT
    assert [call["trigger"] for call in server.received] == [
        "email-notification-payload-generated",
        "sms-notification-payload-generated",
    ]
    assert [call["data"] for call in server.received] == [mail.data, sms.data]
    assert CustomMail(webhook).render(mail) == server.received[0]
    assert CustomSms(webhook).render(sms) == server.received[1]


async def test_only_stored_addresses(server: CustomGateway, webhook: CustomWebhook) -> None:
    """With `useStoredEmailID` and `useStoredPhNo`, there are no calls for people without."""
    mail, sms = CustomMail(webhook, only_stored=True), CustomSms(webhook, only_stored=True)

    assert (await mail.send(make_mail(""))).outcome is SendOutcome.REFUSED
    assert (await sms.send(make_sms(""))).outcome is SendOutcome.REFUSED
    assert not server.calls
    assert await mail.send(make_mail()) == SENT
    assert await sms.send(make_sms()) == SENT


@pytest.mark.parametrize(
    ("fault", "result"),
    [
        ("302", Result(SendOutcome.REFUSED, "It answered with the status 302.")),
        ("404", Result(SendOutcome.REFUSED, "It answered with the status 404.")),
        ("429", Result(SendOutcome.SLOWER, "It answered with the status 429.", 3)),
        ("500", Result(SendOutcome.LATER, "It answered with the status 500.")),
        ("503", Result(SendOutcome.LATER, "It answered with the status 503.", 2)),
    ],
)
async def test_errors(
    server: CustomGateway, webhook: CustomWebhook, fault: str, result: Result
) -> None:
    """The status decides; a redirect is not followed."""
    server.faults.answer_next(fault)

    assert await CustomPush(webhook).send([make_push()]) == [result]
    assert await CustomPush(webhook).send([make_push()]) == [SENT]


async def test_wrong_credentials(server: CustomGateway, webhook: CustomWebhook) -> None:
    """Wrong credentials, and none, are refused; no reason has the password."""
    setup = webhook.setup
    wrong = replace(webhook, setup=structs.replace(setup, basic_auth_password="wrong"))
    none = replace(webhook, setup=structs.replace(setup, uses_basic_auth=False))
    results = [await CustomMail(each).send(make_mail()) for each in (wrong, none)]

    assert results == [Result(SendOutcome.REFUSED, "It answered with the status 401.")] * 2
    assert not server.received


@pytest.mark.parametrize("fault", [RESET, LOST])
async def test_broken_connections(
    server: CustomGateway, webhook: CustomWebhook, fault: str
) -> None:
    """A broken connection passes."""
    server.faults.answer_next(fault)
    result = await CustomMail(webhook).send(make_mail())

    assert result.outcome is SendOutcome.LATER
    assert len(server.received) == (fault == LOST)


async def test_a_lost_answer_after_others(server: CustomGateway, webhook: CustomWebhook) -> None:
    """A call that the app's server may have taken is not made again by the way, but tried later."""
    server.faults.answer_next("", LOST, LOST, LOST)

    assert await CustomSms(webhook).send(make_sms()) == SENT
    results = [
        await CustomSms(webhook).send(make_sms()),
        await CustomMail(webhook).send(make_mail()),
        *await CustomPush(webhook).send([make_push()]),
    ]
    assert [each.outcome for each in results] == [SendOutcome.LATER] * 3
    assert (len(server.received), server.calls) == (4, 4)


async def test_a_server_that_is_slow_or_gone(
    server: CustomGateway, webhook: CustomWebhook, outbound: OutboundClient
) -> None:
    """No answer within the limit, or nobody who listens, passes; reasons have no URL."""
    server.faults.answer_next(SILENCE)
    hasty = replace(webhook, caller=replace(webhook.caller, timeout_seconds=0.2))
    late = await CustomMail(hasty).send(make_mail())
    await server.stop()
    gone = await CustomMail(webhook).send(make_mail())

    assert late == Result(SendOutcome.LATER, "It took more than 0.2 seconds.")
    assert gone.outcome is SendOutcome.LATER
    assert "a=b" not in gone.reason


async def test_other_addresses_are_not_called(
    server: CustomGateway, webhook: CustomWebhook
) -> None:
    """The address rule holds: this machine is not called unless the operator allows it."""
    client = OutboundClient(parse_rule("192.0.2.0/24"))
    guarded = replace(webhook, caller=replace(webhook.caller, outbound=client))
    result = await CustomMail(guarded).send(make_mail())
    await client.close()

    assert (result.outcome, server.calls) == (SendOutcome.LATER, 0)
    assert result.reason.startswith("It can't be connected to")
    assert "HUBBUB_OUTBOUND_ALLOW" in result.reason, "who asks the operator knows what for"
    assert "127.0.0.1" not in result.reason
    assert "127.0.0.1 is not public" in result.detail, "the operator's log says so"


async def test_bodies_are_json(server: CustomGateway, webhook: CustomWebhook) -> None:
    """Text is sent as UTF-8, whatever it has in it."""
    strange = 'line\nquote" \u2028 \x00 </script> 👩‍👩‍👧'
    mail = make_mail(subject=strange)

    assert await CustomMail(webhook).send(mail) == SENT
    assert server.received[0]["data"]["subject"] == strange
    assert json.loads(json.dumps(CustomMail(webhook).render(mail))) == server.received[0]
