"""SendGrid sends mail from a template."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from msgspec import structs
from tests.certificate import Certificate
from tests.gateways.faults import LOST, RESET, Fault
from tests.gateways.sendgrid import SendGridGateway
from tests.providers.notifications import UNSUBSCRIBE, make_mail

from hubbub.providers.calls import ProviderCaller
from hubbub.providers.interface import SENT, Result, SendOutcome
from hubbub.providers.mail.sendgrid import SendGrid
from hubbub.records.notifications.setups import SendGridSetup

KEY = "SG.the-key"
SETUP = SendGridSetup(
    api_key=KEY,
    template_id="d-" + "0a" * 16,
    unsubscribe_group_id="4711",
    sender_name="Chat",
    sender_email="chat@example.com",
    allow_email_replies=False,
    is_enabled=True,
)


@pytest.fixture
async def gateway(certificate: Certificate) -> AsyncIterator[SendGridGateway]:
    """SendGrid."""
    started = SendGridGateway(KEY)
    await started.start(certificate)
    yield started
    await started.stop()


def open_provider(
    gateway: SendGridGateway, caller: ProviderCaller, setup: SendGridSetup = SETUP
) -> SendGrid:
    """Return the sender of an app."""
    return SendGrid(caller, gateway.url, setup)


async def test_a_mail(gateway: SendGridGateway, caller: ProviderCaller) -> None:
    """The template gets the data; the mail can be ended by one click."""
    mail = make_mail()
    provider = open_provider(gateway, caller)

    assert await provider.send(mail) == SENT
    [sent] = gateway.received
    assert sent["personalizations"] == [
        {
            "to": [{"email": "ben@example.com", "name": "Ben"}],
            "dynamic_template_data": mail.data,
        }
    ]
    assert sent["from"] == {"email": "chat@example.com", "name": "Chat"}
    assert (sent["template_id"], sent["asm"]) == ("d-" + "0a" * 16, {"group_id": 4711})
    assert sent["headers"] == {
        "List-Unsubscribe": f"<{UNSUBSCRIBE}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    assert "reply_to" not in sent


async def test_replies(gateway: SendGridGateway, caller: ProviderCaller) -> None:
    """Replies go to the address for them, if they are allowed."""
    for is_allowed in (True, False):
        setup = structs.replace(
            SETUP, allow_email_replies=is_allowed, sender_email_for_replies="re@example.com"
        )
        assert await open_provider(gateway, caller, setup).send(make_mail()) == SENT

    assert gateway.received[0]["reply_to"] == {"email": "re@example.com"}
    assert "reply_to" not in gateway.received[1]


@pytest.mark.parametrize(
    ("address", "tagged"),
    [
        ("re@example.com", "re+1f23@example.com"),
        ("re+chat@example.com", "re+chat+1f23@example.com"),
        ("r" * 59 + "@example.com", "r" * 59 + "+1f23@example.com"),
        ("r" * 60 + "@example.com", "r" * 60 + "@example.com"),
    ],
)
async def test_tags_of_replies(
    gateway: SendGridGateway, caller: ProviderCaller, address: str, tagged: str
) -> None:
    """The address for replies has the tag of the mail if there is room; the log never shows it."""
    setup = structs.replace(SETUP, allow_email_replies=True, sender_email_for_replies=address)
    provider, mail = open_provider(gateway, caller, setup), replace(make_mail(), reply_tag="1f23")

    assert await provider.send(mail) == SENT
    assert gateway.received[0]["reply_to"] == {"email": tagged}
    assert provider.render(mail)["reply_to"] == {"email": address}


async def test_what_the_log_shows(gateway: SendGridGateway, caller: ProviderCaller) -> None:
    """The log shows the mail without the key, and without the URL that ends mail."""
    shown = str(open_provider(gateway, caller).render(make_mail()))

    assert "Grüße" in shown
    assert KEY not in shown
    assert UNSUBSCRIBE not in shown


@pytest.mark.parametrize(
    ("fault", "outcome", "reason", "retry_after"),
    [
        ("400", SendOutcome.REFUSED, "Bad Request", None),
        ("recipient", SendOutcome.REFUSED, "personalizations.0.to.0.email: Does not", None),
        ("403", SendOutcome.REFUSED, "from: The from address does not match", None),
        ("413", SendOutcome.REFUSED, "Payload too large", None),
        ("429", SendOutcome.SLOWER, "too many requests", 7),
        ("500", SendOutcome.LATER, "Internal Server Error", None),
        ("503", SendOutcome.LATER, "It answered with the status 503.", 4),
    ],
)
async def test_errors(
    gateway: SendGridGateway,
    caller: ProviderCaller,
    fault: str,
    outcome: SendOutcome,
    reason: str,
    retry_after: float | None,
) -> None:
    """Its own words are the reason; a limit says when it ends."""
    gateway.faults.answer_next(fault)
    result = await open_provider(gateway, caller).send(make_mail())

    assert (result.outcome, result.retry_after) == (outcome, retry_after)
    assert result.reason.startswith(reason)
    assert not gateway.received


async def test_a_wrong_key(gateway: SendGridGateway, caller: ProviderCaller) -> None:
    """A key that is not accepted is final, and is in no reason."""
    setup = structs.replace(SETUP, api_key="SG.other")
    result = await open_provider(gateway, caller, setup).send(make_mail())

    assert result.outcome is SendOutcome.REFUSED
    assert result.reason.startswith("The provided authorization grant is invalid")


@pytest.mark.parametrize("echoed", [KEY, f"{KEY} twice {KEY}"])
async def test_a_key_that_is_repeated(
    gateway: SendGridGateway, caller: ProviderCaller, echoed: str
) -> None:
    """An answer that repeats the key puts it into no reason."""
    gateway.errors["echo"] = Fault(400, {"errors": [{"message": echoed}]})
    gateway.faults.answer_next("echo")
    result = await open_provider(gateway, caller).send(make_mail())

    assert result.reason == echoed.replace(KEY, "•••")


@pytest.mark.parametrize(
    ("setup", "error"),
    [
        (structs.replace(SETUP, unsubscribe_group_id="no number"), "asm.group_id"),
        (structs.replace(SETUP, template_id="old"), "template_id"),
        (SendGridSetup(api_key=KEY), "Bad Request"),
    ],
)
async def test_a_wrong_setup(
    gateway: SendGridGateway, caller: ProviderCaller, setup: SendGridSetup, error: str
) -> None:
    """SendGrid says what is wrong in a setup."""
    result = await open_provider(gateway, caller, setup).send(make_mail())

    assert result.outcome is SendOutcome.REFUSED
    assert result.reason.startswith(error)


async def test_nobody_to_write_to(gateway: SendGridGateway, caller: ProviderCaller) -> None:
    """Without an address there is no call."""
    result = await open_provider(gateway, caller).send(make_mail(""))

    assert result == Result(SendOutcome.REFUSED, "No e-mail address is stored.")
    assert not gateway.calls


@pytest.mark.parametrize("fault", [RESET, LOST])
async def test_broken_connections(
    gateway: SendGridGateway, caller: ProviderCaller, fault: str
) -> None:
    """A broken connection passes."""
    gateway.faults.answer_next(fault)

    assert (await open_provider(gateway, caller).send(make_mail())).outcome is SendOutcome.LATER


async def test_a_lost_answer_after_others(gateway: SendGridGateway, caller: ProviderCaller) -> None:
    """A mail that may have been accepted is not sent again by the way, but tried later."""
    provider = open_provider(gateway, caller)
    gateway.faults.answer_next("", LOST)

    assert await provider.send(make_mail()) == SENT
    assert (await provider.send(make_mail())).outcome is SendOutcome.LATER
    assert (len(gateway.received), gateway.calls) == (2, 2)


async def test_errors_at_random(gateway: SendGridGateway, caller: ProviderCaller) -> None:
    """Whatever fails in passing is accepted if it is tried often enough."""
    gateway.fail_at_random(0.6)
    provider = open_provider(gateway, caller)
    outcomes = [(await provider.send(make_mail())).outcome for _ in range(60)]

    assert {SendOutcome.SENT, SendOutcome.LATER, SendOutcome.SLOWER} == set(outcomes)
    assert len(gateway.received) >= outcomes.count(SendOutcome.SENT) > 0
