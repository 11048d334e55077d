"""Mail goes through the mail server of an app."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from msgspec import structs
from tests.certificate import Certificate
from tests.clock import ManualClock
from tests.gateways.faults import LOST, RESET, SILENCE
from tests.gateways.smtp import SmtpGateway
from tests.providers.notifications import UNSUBSCRIBE, make_mail
from tests.wire import LOOPBACK

from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.client import OutboundClient
from hubbub.providers.interface import SENT, Result, SendOutcome
from hubbub.providers.mail.smtp import Smtp
from hubbub.records.notifications.setups import SmtpSetup

USER, PASSWORD = "chat", "pässword 1"
SECURITIES = ["tls", "starttls", "none"]


@asynccontextmanager
async def serving(
    certificate: Certificate, security: str, username: str = USER
) -> AsyncIterator[SmtpGateway]:
    """Run a mail server."""
    gateway = SmtpGateway(security, username, PASSWORD)
    await gateway.start(certificate)
    yield gateway
    await gateway.stop()


@pytest.fixture
async def gateway(certificate: Certificate) -> AsyncIterator[SmtpGateway]:
    """A mail server with STARTTLS."""
    async with serving(certificate, "starttls") as started:
        yield started


@pytest.fixture
def provider(gateway: SmtpGateway, outbound: OutboundClient, clock: ManualClock) -> Smtp:
    """The sender of an app."""
    return Smtp(outbound, clock, setup_of(gateway))


def setup_of(gateway: SmtpGateway, password: str = PASSWORD, **changes: Any) -> SmtpSetup:
    """Return the setup of an app that uses a gateway."""
    setup = SmtpSetup(
        host=LOOPBACK,
        port=gateway.port,
        username=USER,
        password=password,
        sender_name="Chat",
        sender_email="chat@example.com",
    )
    return structs.replace(setup, **{"security": gateway.security, **changes})


@pytest.mark.parametrize("security", SECURITIES)
async def test_a_mail(
    certificate: Certificate, outbound: OutboundClient, clock: ManualClock, security: str
) -> None:
    """A mail arrives with both parts, whatever secures the connection."""
    mail = make_mail()
    async with serving(certificate, security) as gateway:
        assert await Smtp(outbound, clock, setup_of(gateway)).send(mail) == SENT
    [received] = gateway.received

    assert (received.sender, received.to) == ("chat@example.com", "ben@example.com")
    message = received.message
    assert (message["From"], message["To"]) == ("Chat <chat@example.com>", "Ben <ben@example.com>")
    assert message["Subject"] == "2 new messages from Anna"
    assert message["Date"] == "Fri, 15 Jan 2027 08:00:00 +0000"
    assert message["Message-ID"] == "<17.ben@example.com>"
    assert message["List-Unsubscribe"] == f"<{UNSUBSCRIBE}>"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert "Anna:\nGrüße 👋" in received.body("plain").replace("\r\n", "\n")
    assert UNSUBSCRIBE in received.body("plain")
    assert "Grüße 👋" in received.body("html")
    assert f'href="{UNSUBSCRIBE}"' in received.body("html")


async def test_no_log_in(
    certificate: Certificate, outbound: OutboundClient, clock: ManualClock
) -> None:
    """A server without accounts is not told a password."""
    async with serving(certificate, "tls", username="") as gateway:
        setup = setup_of(gateway, username=None)

        assert await Smtp(outbound, clock, setup).send(make_mail()) == SENT


@pytest.mark.parametrize("reply", sorted(SmtpGateway.ERRORS["EHLO"] | SmtpGateway.ERRORS["AUTH"]))
async def test_replies_before_the_mail(gateway: SmtpGateway, provider: Smtp, reply: str) -> None:
    """4xx replies pass, 5xx do not, also before there is a mail."""
    command = "AUTH" if reply in gateway.ERRORS["AUTH"] else "EHLO"
    gateway.faults.answer_next(f"{command} {reply}")

    await check_reply(gateway, provider, reply)


@pytest.mark.parametrize(
    ("command", "reply"),
    [
        (command, reply)
        for command in ("MAIL", "RCPT", "DATA")
        for reply in sorted(SmtpGateway.ERRORS[command])
    ],
)
async def test_replies(gateway: SmtpGateway, provider: Smtp, command: str, reply: str) -> None:
    """4xx replies pass, 5xx do not; the server's words are the reason."""
    gateway.faults.answer_next(f"{command} {reply}")

    result = await check_reply(gateway, provider, reply)
    assert result.reason == f"{reply[:3]}: {reply[4:]}"


async def check_reply(gateway: SmtpGateway, provider: Smtp, reply: str) -> Result:
    """Check the outcome of a reply, and that the next mail is accepted."""
    result = await provider.send(make_mail())
    expected = SendOutcome.LATER if reply.startswith("4") else SendOutcome.REFUSED
    assert result.outcome is expected
    assert not gateway.received
    assert await provider.send(make_mail()) == SENT
    return result


@pytest.mark.parametrize("fault", [RESET, LOST])
async def test_broken_connections(gateway: SmtpGateway, provider: Smtp, fault: str) -> None:
    """A broken connection passes; a mail that comes twice has the same Message-ID."""
    gateway.faults.answer_next(fault)

    assert (await provider.send(make_mail())).outcome is SendOutcome.LATER
    assert await provider.send(make_mail()) == SENT
    assert {mail.message["Message-ID"] for mail in gateway.received} == {"<17.ben@example.com>"}


async def test_a_slow_server(
    gateway: SmtpGateway, outbound: OutboundClient, clock: ManualClock
) -> None:
    """A server that does not answer within the limit is given up."""
    gateway.faults.answer_next(SILENCE)
    provider = Smtp(outbound, clock, setup_of(gateway), timeout_seconds=0.3)

    result = Result(SendOutcome.LATER, "It took more than 0.3 seconds.")
    assert await provider.send(make_mail()) == result


async def test_nobody_listens(
    gateway: SmtpGateway, outbound: OutboundClient, clock: ManualClock
) -> None:
    """A server that is gone passes."""
    await gateway.stop()

    result = await Smtp(outbound, clock, setup_of(gateway)).send(make_mail())
    assert result.outcome is SendOutcome.LATER
    assert result.reason.startswith("It can't be connected to")


@pytest.mark.parametrize("security", SECURITIES)
async def test_a_wrong_password(
    certificate: Certificate, outbound: OutboundClient, clock: ManualClock, security: str
) -> None:
    """A wrong password is final, and in no reason."""
    async with serving(certificate, security) as gateway:
        provider = Smtp(outbound, clock, setup_of(gateway, "the-wrong-one"))
        result = await provider.send(make_mail())

    assert result == Result(SendOutcome.REFUSED, "535: The user name or password is wrong.")
    assert set(gateway.refused) == {"credentials"}


async def test_a_server_without_tls(
    certificate: Certificate, outbound: OutboundClient, clock: ManualClock
) -> None:
    """No password is sent in clear to a server that should have STARTTLS, and has not."""
    async with serving(certificate, "none") as gateway:
        setup = setup_of(gateway, security="starttls")
        result = await Smtp(outbound, clock, setup).send(make_mail())

    assert result.outcome is SendOutcome.REFUSED
    assert "STARTTLS" in result.reason
    assert not gateway.refused


@pytest.mark.parametrize("security", ["tls", "starttls"])
async def test_a_certificate_that_is_not_trusted(
    certificate: Certificate, clock: ManualClock, security: str
) -> None:
    """A server whose certificate is not trusted gets no mail."""
    outbound = OutboundClient(parse_rule("127.0.0.0/8"))
    async with serving(certificate, security) as gateway:
        result = await Smtp(outbound, clock, setup_of(gateway)).send(make_mail())

    assert result.outcome is SendOutcome.LATER
    assert "certificate verify failed" in result.reason
    assert not gateway.received


@pytest.mark.parametrize("security", SECURITIES)
@pytest.mark.parametrize("host", [LOOPBACK, "localhost", "0x7f000001", "::1"])
async def test_addresses_that_may_not_be_called(
    certificate: Certificate, clock: ManualClock, security: str, host: str
) -> None:
    """This machine is not called unless the operator allows it, however it is spelled."""
    outbound = OutboundClient(parse_rule("192.0.2.0/24"), str(certificate.cert))
    async with serving(certificate, security) as gateway:
        setup = setup_of(gateway, host=host)
        result = await Smtp(outbound, clock, setup).send(make_mail())

    assert (result.outcome, gateway.calls) == (SendOutcome.LATER, 0)
    assert result.reason.startswith("It can't be connected to")


async def test_no_tls_to_the_internet(clock: ManualClock) -> None:
    """Without TLS, no public address is called."""
    outbound = OutboundClient(parse_rule("127.0.0.0/8"))
    setup = SmtpSetup(
        host="192.88.99.1",
        port=25,
        security="none",
        sender_name="Chat",
        sender_email="chat@example.com",
    )
    result = await Smtp(outbound, clock, setup).send(make_mail())

    assert result.reason.startswith("It can't be connected to")


@pytest.mark.parametrize("host", ["", "a..b", "x" * 300, "no.such.host.invalid", "a\r\nb", "[::1"])
async def test_hosts_that_are_none(
    gateway: SmtpGateway, outbound: OutboundClient, clock: ManualClock, host: str
) -> None:
    """A host that does not exist, or can't, is a reason and no failure of ours."""
    result = await Smtp(outbound, clock, setup_of(gateway, host=host)).send(make_mail())

    assert result.outcome in {SendOutcome.LATER, SendOutcome.REFUSED}
    assert result.reason


@pytest.mark.parametrize(
    "email",
    [
        "ben@example.com\r\nBcc: eve@example.com",
        "<ben@example.com>",
        "ben@example.com, eve@example.com",
        "ben",
        "bén@example.com",
        '"a\\" b"@example.com',
    ],
)
async def test_addresses_that_are_none(gateway: SmtpGateway, provider: Smtp, email: str) -> None:
    """No address, or none in ASCII, is refused before anybody is called."""
    result = await provider.send(make_mail(email))

    assert result.outcome is SendOutcome.REFUSED
    assert not gateway.calls


async def test_an_international_domain(gateway: SmtpGateway, provider: Smtp) -> None:
    """A domain in another script is written in ASCII."""
    assert await provider.send(make_mail("ben@bücher.example")) == SENT
    assert gateway.received[0].to == "ben@xn--bcher-kva.example"


async def test_nobody_to_write_to(gateway: SmtpGateway, provider: Smtp) -> None:
    """Without an address there is no call."""
    assert await provider.send(make_mail("")) == Result(
        SendOutcome.REFUSED, "No e-mail address is stored."
    )
    assert not gateway.calls


async def test_no_setup(outbound: OutboundClient, clock: ManualClock) -> None:
    """A setup without fields is refused."""
    result = await Smtp(outbound, clock, SmtpSetup()).send(make_mail())

    assert result.outcome is SendOutcome.REFUSED


def test_what_the_log_shows(provider: Smtp) -> None:
    """The log shows the text without the password, and without the URL that ends mail."""
    shown = provider.render(make_mail())

    assert shown["to"] == {"email": "ben@example.com", "name": "Ben"}
    assert "Grüße" in shown["text"]
    assert PASSWORD not in str(shown)
    assert UNSUBSCRIBE not in str(shown)


async def test_errors_at_random(gateway: SmtpGateway, provider: Smtp) -> None:
    """Whatever fails in passing is accepted if it is tried often enough."""
    gateway.fail_at_random(0.5)
    outcomes = [(await provider.send(make_mail())).outcome for _ in range(40)]

    assert set(outcomes) == {SendOutcome.SENT, SendOutcome.LATER}
    assert len(gateway.received) >= outcomes.count(SendOutcome.SENT)
