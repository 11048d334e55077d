"""Twilio sends short messages."""

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace
from tests.certificate import Certificate
from tests.gateways.faults import LOST, RESET
from tests.gateways.twilio import ShortMessage, TwilioGateway
from tests.providers.notifications import make_sms

from hubbub.providers.calls import ProviderCaller
from hubbub.providers.interface import SENT, Result, SendOutcome
from hubbub.providers.twilio import Twilio, split_text
from hubbub.records.notifications.setups import TwilioSetup

SID, TOKEN, NUMBER = "AC" + "0" * 32, "the-token", "+15005550006"
SETUP = TwilioSetup(account_sid=SID, auth_token=TOKEN, sender_phone_number=NUMBER, is_enabled=True)


@pytest.fixture
async def gateway(certificate: Certificate) -> AsyncIterator[TwilioGateway]:
    """Twilio."""
    started = TwilioGateway(SID, TOKEN, NUMBER)
    await started.start(certificate)
    yield started
    await started.stop()


async def test_a_message(gateway: TwilioGateway, caller: ProviderCaller) -> None:
    """The text goes out as it is, also when it has more than the 160 characters of one segment."""
    provider = Twilio(caller, gateway.url, SETUP)
    texts = ["Anna: 2 new & unread = 👋 +1", "x" * 161]
    for text in texts:
        assert await provider.send(make_sms(content=text)) == SENT

    assert gateway.received == [ShortMessage("+14155552671", NUMBER, text) for text in texts]


async def test_a_very_long_message(gateway: TwilioGateway, caller: ProviderCaller) -> None:
    """A text over the limit of one call comes in parts, in order, cut between words."""
    text = " ".join(f"word{number}" for number in range(500))

    assert await Twilio(caller, gateway.url, SETUP).send(make_sms(content=text)) == SENT
    parts = [each.text for each in gateway.received]
    assert len(parts) == 3
    assert " ".join(parts) == text


@pytest.mark.parametrize("text", ["", "x" * 1600, "x" * 1601, "👋" * 5000, " " * 4000, "ä " * 2000])
def test_parts(text: str) -> None:
    """No part is too long for Twilio, and none loses more than spaces."""
    parts = split_text(text)

    assert all(len(part.encode("utf-16-le")) <= 3200 for part in parts)
    assert "".join(parts).replace(" ", "") == text.replace(" ", "")


async def test_a_long_message_that_fails_halfway(
    gateway: TwilioGateway, caller: ProviderCaller
) -> None:
    """No part is sent after one that has failed."""
    gateway.faults.answer_next("", "503")
    result = await Twilio(caller, gateway.url, SETUP).send(make_sms(content="x" * 4000))

    assert (result.outcome, gateway.calls) == (SendOutcome.LATER, 2)


@pytest.mark.parametrize(
    ("fault", "outcome", "retry_after"),
    [
        ("20005", SendOutcome.REFUSED, None),
        ("20404", SendOutcome.REFUSED, None),
        ("20429", SendOutcome.SLOWER, 5),
        ("21408", SendOutcome.REFUSED, None),
        ("21610", SendOutcome.REFUSED, None),
        ("21611", SendOutcome.SLOWER, None),
        ("21614", SendOutcome.REFUSED, None),
    ],
)
async def test_errors(
    gateway: TwilioGateway,
    caller: ProviderCaller,
    fault: str,
    outcome: SendOutcome,
    retry_after: float | None,
) -> None:
    """Twilio's number and words are the reason."""
    gateway.faults.answer_next(fault)
    result = await Twilio(caller, gateway.url, SETUP).send(make_sms())

    assert (result.outcome, result.retry_after) == (outcome, retry_after)
    assert result.reason.startswith(f"{fault}: ")


@pytest.mark.parametrize("fault", ["500", "503", RESET, LOST])
async def test_failures_that_pass(
    gateway: TwilioGateway, caller: ProviderCaller, fault: str
) -> None:
    """Failures of Twilio, and of connections, pass."""
    gateway.faults.answer_next(fault)

    result = await Twilio(caller, gateway.url, SETUP).send(make_sms())
    assert result.outcome is SendOutcome.LATER
    assert result.reason


async def test_a_lost_answer_after_others(gateway: TwilioGateway, caller: ProviderCaller) -> None:
    """A message that may have been accepted is not sent again by the way, but tried later."""
    provider = Twilio(caller, gateway.url, SETUP)
    gateway.faults.answer_next("", LOST)

    assert await provider.send(make_sms()) == SENT
    assert (await provider.send(make_sms())).outcome is SendOutcome.LATER
    assert (len(gateway.received), gateway.calls) == (2, 2)


@pytest.mark.parametrize(
    ("setup", "number", "code"),
    [
        (replace(SETUP, auth_token="wrong"), "+14155552671", "20003"),
        (replace(SETUP, account_sid="../x"), "+14155552671", "20003"),
        (
            replace(SETUP, sender_phone_number="+1"),
            "+14155552671",
            "21606",
        ),
        (TwilioSetup(), "+14155552671", "20003"),
        (SETUP, "+0", "21211"),
    ],
)
async def test_wrong_values(
    gateway: TwilioGateway, caller: ProviderCaller, setup: TwilioSetup, number: str, code: str
) -> None:
    """Wrong credentials and numbers are final; the token is in no reason and in no log."""
    provider = Twilio(caller, gateway.url, setup)
    result = await provider.send(make_sms(number))

    assert result.outcome is SendOutcome.REFUSED
    assert result.reason.startswith(f"{code}: ")
    assert TOKEN not in f"{result} {provider.render(make_sms(number))}"


async def test_nobody_to_write_to(gateway: TwilioGateway, caller: ProviderCaller) -> None:
    """Without a number there is no call."""
    result = await Twilio(caller, gateway.url, SETUP).send(make_sms(""))

    assert result == Result(SendOutcome.REFUSED, "No phone number is stored.")
    assert not gateway.calls


def test_what_the_log_shows(caller: ProviderCaller) -> None:
    """The log shows the three fields of the call."""
    shown = Twilio(caller, "https://api.twilio.com", SETUP).render(make_sms())

    assert shown == {"To": "+14155552671", "From": NUMBER, "Body": "Anna: 2 new messages"}
