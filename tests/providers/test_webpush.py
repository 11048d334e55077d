"""Web Push: what browsers get is encrypted for them, and signed by us."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from msgspec import structs
from tests.certificate import Certificate
from tests.clock import ManualClock
from tests.gateways.faults import LOST, RESET
from tests.gateways.webpush import Browser, WebPushGateway, encode, point_of
from tests.pem import p384_key
from tests.providers.notifications import make_push

from hubbub.domain.notifications.settings.subscriptions import encode_subscription
from hubbub.outbound.client import OutboundClient
from hubbub.providers.calls import ProviderCaller
from hubbub.providers.interface import SENT, Push, Result, SendOutcome
from hubbub.providers.webpush.send import WebPush, make_topic
from hubbub.providers.webpush.subscription import read_subscription
from hubbub.providers.webpush.vapid import Vapid
from hubbub.records.devices.model import Keys, StoredSubscription
from hubbub.records.notifications.setups import WebPushSetup

LIMIT = 4096


def make_setup() -> WebPushSetup:
    """Return a provider as the interface makes it."""
    key = ec.generate_private_key(ec.SECP256R1())
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    public = encode(point_of(key.public_key()))
    return WebPushSetup(subject="mailto:ops@example.com", public_key=public, private_key=pem)


SETUP = make_setup()


@pytest.fixture
async def gateway(certificate: Certificate, clock: ManualClock) -> AsyncIterator[WebPushGateway]:
    """A push service."""
    started = WebPushGateway(clock.now)
    await started.start(certificate)
    yield started
    await started.stop()


@pytest.fixture
def browser(gateway: WebPushGateway) -> Browser:
    """A browser that takes pushes of the app."""
    return gateway.subscribe(SETUP.public_key or "")


@pytest.fixture
def provider(caller: ProviderCaller, clock: ManualClock) -> WebPush:
    """The sender of the app."""
    return WebPush(caller, Vapid(SETUP, clock))


def push_to(browser: Browser, uid: str = "ben", **fields: Any) -> Push:
    """Return a push to a browser."""
    return make_push(uid, platform="web_push", token=browser.token, **fields)


async def test_a_push(gateway: WebPushGateway, browser: Browser, provider: WebPush) -> None:
    """The browser decrypts the fields; a repeat has the same topic, so it replaces the first."""
    push = push_to(browser, message={"id": "17"}, custom={"a": [1]})

    assert await provider.send([push, push]) == [SENT, SENT]
    first, second = gateway.received
    assert first.payload == {**push.fields, "unreadMessageCount": 3}
    assert (first.browser, first.ttl, first.urgency) == (browser.id, 3600, "high")
    assert first.topic == second.topic == make_topic("c" * 64) != make_topic("d" * 64)
    assert first.size < LIMIT


async def test_many_browsers(gateway: WebPushGateway, provider: WebPush) -> None:
    """Each browser gets its own push, with one token for all of a push service."""
    browsers = [gateway.subscribe(SETUP.public_key or "") for _ in range(150)]
    pushes = [push_to(each, each.id, body=each.id) for each in browsers]

    assert await provider.send(pushes) == [SENT] * 150
    assert {each.browser for each in gateway.received} == {each.id for each in browsers}
    assert all(each.payload["body"] == each.browser for each in gateway.received)
    assert len(gateway.tokens) == 1


async def test_tokens_are_renewed(
    gateway: WebPushGateway, browser: Browser, provider: WebPush, clock: ManualClock
) -> None:
    """A token is kept for hours, and never used after its end."""
    for _ in range(30):
        assert await provider.send([push_to(browser)]) == [SENT]
        clock.advance(3600)

    assert len(gateway.tokens) == 3
    assert gateway.received[-1].ttl == 0


@pytest.mark.parametrize(
    ("fault", "outcome", "retry_after"),
    [
        ("400", SendOutcome.REFUSED, None),
        ("401", SendOutcome.REFUSED, None),
        ("403", SendOutcome.REFUSED, None),
        ("404", SendOutcome.GONE, None),
        ("410", SendOutcome.GONE, None),
        ("413", SendOutcome.REFUSED, None),
        ("429", SendOutcome.LATER, 6),
        ("500", SendOutcome.LATER, None),
        ("503", SendOutcome.LATER, 5),
        (RESET, SendOutcome.LATER, None),
        (LOST, SendOutcome.LATER, None),
    ],
)
async def test_errors(
    gateway: WebPushGateway,
    browser: Browser,
    provider: WebPush,
    fault: str,
    outcome: SendOutcome,
    retry_after: float | None,
) -> None:
    """Only 404 and 410 mean that a browser is gone; one that has a limit holds up no other."""
    gateway.faults.answer_next(fault)
    [result] = await provider.send([push_to(browser)])

    assert (result.outcome, result.retry_after) == (outcome, retry_after)
    assert result.reason
    assert browser.endpoint not in result.reason


async def test_a_browser_that_is_gone(
    gateway: WebPushGateway, browser: Browser, provider: WebPush
) -> None:
    """A browser that has unsubscribed is gone, and no other."""
    other = gateway.subscribe(SETUP.public_key or "")
    gateway.unsubscribe(browser)
    results = await provider.send([push_to(browser), push_to(other)])

    assert [each.outcome for each in results] == [SendOutcome.GONE, SendOutcome.SENT]


async def test_a_browser_of_another_app(
    gateway: WebPushGateway, browser: Browser, caller: ProviderCaller, clock: ManualClock
) -> None:
    """A subscription for another key is refused, and not taken for gone."""
    stranger = WebPush(caller, Vapid(make_setup(), clock))
    [result] = await stranger.send([push_to(browser)])

    assert result.outcome is SendOutcome.REFUSED
    assert not gateway.received


@pytest.mark.parametrize("letter", ["x", "ä", "👋", "\n", "<"])
async def test_long_payloads(
    gateway: WebPushGateway, browser: Browser, provider: WebPush, letter: str
) -> None:
    """Over the limit, `message` goes first; then `body` is cut, and what is left fits."""
    fits = push_to(browser, message={"text": letter * 3000})
    too_long = push_to(browser, body=letter * 6000, message={"text": "x"})

    assert await provider.send([fits, too_long]) == [SENT, SENT]
    first, second = sorted(gateway.received, key=lambda each: len(each.payload["body"]))
    assert first.payload["body"] == fits.fields["body"]
    assert "message" not in second.payload
    assert set(second.payload["body"]) == {letter}
    assert LIMIT - 12 < second.size <= LIMIT
    assert provider.render(too_long)["payload"] == second.payload


async def test_a_payload_that_can_not_be_cut(
    gateway: WebPushGateway, browser: Browser, provider: WebPush
) -> None:
    """Custom fields that are too long are a refusal, without a call."""
    [result] = await provider.send([push_to(browser, custom={"a": "x" * 5000})])

    assert result.outcome is SendOutcome.REFUSED
    assert not gateway.calls


def _subscription(endpoint: object = "https://push.example/1", **keys: object) -> str:
    both = {"p256dh": encode(b"\x04" + b"\x01" * 64), "auth": encode(b"a" * 16), **keys}
    return json.dumps({"endpoint": endpoint, "keys": both})


@pytest.mark.parametrize("padding", ["", "=", "=="])
async def test_a_stored_subscription(
    gateway: WebPushGateway,
    browser: Browser,
    provider: WebPush,
    outbound: OutboundClient,
    padding: str,
) -> None:
    """A subscription in the form in which it is stored is one to push to."""
    given = json.loads(browser.token)
    keys = Keys(given["keys"]["p256dh"] + padding, given["keys"]["auth"] + padding)
    token = encode_subscription(outbound, StoredSubscription(browser.endpoint, keys))

    assert await provider.send([make_push(platform="web_push", token=token)]) == [SENT]


@pytest.mark.parametrize(
    ("endpoint", "origin"),
    [
        ("https://Push.example/a/b?c", "https://push.example"),
        ("https://push.example:443/a", "https://push.example"),
        ("https://push.example:8443/a", "https://push.example:8443"),
    ],
)
def test_origins(endpoint: str, origin: str) -> None:
    """A token is for the origin of the endpoint, as browsers write it."""
    assert read_subscription(_subscription(endpoint, p256dh=POINT)).origin == origin


POINT = encode(point_of(ec.generate_private_key(ec.SECP256R1()).public_key()))


@pytest.mark.parametrize(
    "token",
    [
        "",
        "null",
        "[" * 100_000,
        '{"endpoint": "https://push.example/1"}',
        _subscription(),  # no point of the curve
        _subscription(p256dh=POINT[:-4]),
        _subscription(p256dh=encode(b"\x00")),
        _subscription(p256dh="ä" * 87),
        _subscription(p256dh=POINT, auth=encode(b"a" * 15)),
        _subscription(p256dh=POINT, auth=""),
        _subscription("", p256dh=POINT),
        _subscription(7, p256dh=POINT),
        _subscription("https://[::1", p256dh=POINT),
    ],
)
async def test_tokens_that_are_no_subscriptions(provider: WebPush, token: str) -> None:
    """A token that is no subscription is refused, and does not harm the others."""
    push = make_push(platform="web_push", token=token)
    [result] = await provider.send([push])

    assert result.outcome is SendOutcome.REFUSED
    assert "subscription" in result.reason


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://10.0.0.1/push",
        "https://169.254.169.254/latest",
        "http://push.invalid/1",
        "https://user:hush@127.0.0.1/1",
        "file:///etc/passwd",
        "https://push.invalid/1\r\nX: y",
    ],
)
async def test_endpoints_that_may_not_be_called(provider: WebPush, endpoint: str) -> None:
    """An endpoint is an address that a user has named: the rule for addresses holds."""
    token = _subscription(endpoint, p256dh=POINT)
    [result] = await provider.send([make_push(platform="web_push", token=token)])

    assert result.outcome in {SendOutcome.LATER, SendOutcome.REFUSED}
    assert result.reason
    assert "hush" not in result.reason


async def test_what_the_log_shows(browser: Browser, provider: WebPush) -> None:
    """The log shows the payload, and not where the browser is reached."""
    push = push_to(browser)
    [result] = await provider.send([push])
    shown = json.dumps(result.payload, ensure_ascii=False)

    assert result.payload == provider.render(push)
    assert "Grüße" in shown
    for secret in (browser.id, encode(browser.auth), "vapid"):
        assert secret not in shown


@pytest.mark.parametrize("pem", [None, "", "-----BEGIN PRIVATE KEY-----\nx\n", p384_key()])
async def test_keys_that_are_none(
    gateway: WebPushGateway,
    browser: Browser,
    caller: ProviderCaller,
    clock: ManualClock,
    pem: str | None,
) -> None:
    """A provider whose key can't sign sends nothing, and says so."""
    vapid = Vapid(structs.replace(SETUP, private_key=pem), clock)
    [result] = await WebPush(caller, vapid).send([push_to(browser)])

    assert result == Result(SendOutcome.REFUSED, "No token: the provider has no key of P-256.")
    assert not gateway.calls


async def test_errors_at_random(
    gateway: WebPushGateway, browser: Browser, provider: WebPush, clock: ManualClock
) -> None:
    """Whatever fails in passing is accepted if it is tried often enough, and nobody is gone."""
    gateway.fail_at_random(0.5)
    waiting = [push_to(browser, body=str(number)) for number in range(100)]
    for _ in range(30):
        results = await provider.send(waiting)
        assert {each.outcome for each in results} <= {SendOutcome.SENT, SendOutcome.LATER}
        waiting = [
            push
            for push, each in zip(waiting, results, strict=True)
            if each.outcome is SendOutcome.LATER
        ]
        clock.advance(30)

    assert not waiting
    assert {each.payload["body"] for each in gateway.received} == set(map(str, range(100)))
