"""Pushes through a local APNs: real TLS, HTTP/2 and provider tokens."""

import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey as Key
from tests.clock import START, ManualClock
from tests.gateways.apns import STATUSES, ApnsGateway
from tests.gateways.faults import LOST, RESET
from tests.gateways.http2 import LEAVING, LEFT, REFUSED_STREAM
from tests.providers.notifications import FIELDS
from tests.providers.push.accounts import BUNDLE, make_apns_setup, push_to

from hubbub.providers.apns.send import Apns
from hubbub.providers.calls import ProviderCaller
from hubbub.providers.interface import SENT, Push, Result, SendOutcome

DEVICE, VOIP = "apns_ios_device", "apns_ios_voip"


def token_of(number: int) -> str:
    """Return the token of a device."""
    return f"{number:064x}"


def push(number: int = 1, platform: str = DEVICE, **fields: Any) -> Push:
    """Return a push for a device."""
    return push_to(token_of(number), platform, **fields)


async def send_one(apns: Apns, platform: str = DEVICE, **fields: Any) -> Result:
    """Send one push and return its result."""
    (result,) = await apns.send([push(1, platform, **fields)])
    return result


async def test_results_are_in_the_order_of_the_pushes(
    apns: Apns, apns_gateway: ApnsGateway
) -> None:
    """Each of many pushes gets its own result; dead tokens are told apart."""
    apns_gateway.gone = {token_of(at) for at in range(0, 250, 3)}
    results = await apns.send([push(at) for at in range(250)])

    assert results == [
        Result(SendOutcome.GONE, "Unregistered") if at % 3 == 0 else SENT for at in range(250)
    ]


async def test_an_alert(apns: Apns, apns_gateway: ApnsGateway) -> None:
    """An alert has its text and the badge in `aps`, and the fields beside it."""
    assert await send_one(apns, custom={"a": 1}) == SENT
    got = apns_gateway.received[0]
    headers, payload = got["headers"], got["payload"]

    assert payload.pop("aps") == {
        "alert": {"title": "Anna", "body": "Grüße 👋"},
        "badge": 3,
        "sound": "default",
        "thread-id": "anna_user_ben",
    }
    assert payload == {**FIELDS, "custom": {"a": 1}, "unreadMessageCount": 3}
    assert headers["apns-topic"] == BUNDLE
    assert headers["apns-push-type"] == "alert"
    assert headers["apns-priority"] == "10"
    assert headers["apns-expiration"] == str(START + 3600)
    assert headers["apns-collapse-id"] == "anna_user_ben.17"


async def test_every_try_has_the_same_id(apns: Apns, apns_gateway: ApnsGateway) -> None:
    """A repeat has the id of the first try; another device has another."""
    await apns.send([push(1)])
    await apns.send([push(1), push(2)])
    first, again, other = (each["headers"]["apns-id"] for each in apns_gateway.received)

    assert first == again != other


async def test_a_voip_push(apns: Apns, apns_gateway: ApnsGateway) -> None:
    """A VoIP token gets the fields under the topic of VoIP."""
    assert await send_one(apns, VOIP, type="call", callAction="initiated") == SENT
    got = apns_gateway.received[0]

    assert got["headers"]["apns-topic"] == f"{BUNDLE}.voip"
    assert got["headers"]["apns-push-type"] == "voip"
    assert got["payload"]["callAction"] == "initiated"


async def test_a_push_without_text_is_silent(apns: Apns, apns_gateway: ApnsGateway) -> None:
    """Without a title and a body, a push runs in the background, with a low priority."""
    assert await send_one(apns, title="", body=None) == SENT
    got = apns_gateway.received[0]

    assert got["headers"]["apns-push-type"] == "background"
    assert got["headers"]["apns-priority"] == "5"
    assert got["payload"]["aps"] == {"badge": 3, "content-available": 1}


async def test_marks_of_the_setup(
    caller: ProviderCaller, apns_gateway: ApnsGateway, ec_key: Key
) -> None:
    """The setup says whether alerts also run the app, and whether it may change them."""
    setup = make_apns_setup(ec_key, include_content_available=True, include_mutable_content=True)
    assert await send_one(Apns(caller, setup, apns_gateway.url)) == SENT
    aps = apns_gateway.received[0]["payload"]["aps"]

    assert (aps["content-available"], aps["mutable-content"]) == (1, 1)


@pytest.mark.parametrize("reason", STATUSES)
async def test_errors_have_their_outcome(
    apns: Apns, apns_gateway: ApnsGateway, reason: str
) -> None:
    """Each documented error gets its outcome, with its name as the reason."""
    again = reason == "ExpiredProviderToken"
    apns_gateway.faults.answer_next(*[reason] * (1 + again))

    assert await send_one(apns) == Result(_expected(reason), reason)
    assert apns_gateway.calls == 1 + again


def _expected(reason: str) -> SendOutcome:
    if reason in {"Unregistered", "BadDeviceToken"}:
        return SendOutcome.GONE
    if reason == "TooManyProviderTokenUpdates":
        return SendOutcome.SLOWER
    is_passing = STATUSES[reason] >= 500 or reason == "TooManyRequests"  # to one device
    return SendOutcome.LATER if is_passing else SendOutcome.REFUSED


@pytest.mark.parametrize("fault", [RESET, LOST])
async def test_a_broken_connection_is_tried_later(
    apns: Apns, apns_gateway: ApnsGateway, fault: str
) -> None:
    """A push whose connection breaks may have been accepted: it is tried later."""
    apns_gateway.faults.answer_next(fault)

    assert (await send_one(apns)).outcome is SendOutcome.LATER
    assert await send_one(apns) == SENT


@pytest.mark.parametrize("fault", [REFUSED_STREAM, LEFT, LEAVING])
async def test_what_was_not_looked_at_is_sent_again(
    apns: Apns, apns_gateway: ApnsGateway, fault: str
) -> None:
    """A push that the server says it has not looked at is sent at once, each exactly once."""
    apns_gateway.faults.answer_next("", "", fault)
    results = await apns.send([push(at) for at in range(20)])

    assert results == [SENT] * 20
    assert sorted(each["token"] for each in apns_gateway.received) == [
        token_of(at) for at in range(20)
    ]


async def test_a_provider_token_is_kept(
    apns: Apns, apns_gateway: ApnsGateway, clock: ManualClock
) -> None:
    """A provider token serves for 40 minutes: Apple allows between 20 and 60."""
    for minutes, tokens in ((0, 1), (39, 1), (2, 2), (39, 2)):
        clock.advance(minutes * 60)
        assert await send_one(apns) == SENT
        assert len(apns_gateway.tokens) == tokens


async def test_an_expired_provider_token_is_renewed(
    apns: Apns, apns_gateway: ApnsGateway, clock: ManualClock
) -> None:
    """If APNs takes the token for expired, the pushes are sent once more with a new one."""
    assert await send_one(apns) == SENT
    clock.advance(1)
    apns_gateway.faults.answer_next("", "ExpiredProviderToken", "ExpiredProviderToken")

    assert await apns.send([push(at) for at in range(5)]) == [SENT] * 5
    assert len(apns_gateway.tokens) == 2


async def test_a_key_of_another_team_is_refused(
    caller: ProviderCaller, apns_gateway: ApnsGateway
) -> None:
    """A token that is signed with another key is refused."""
    stranger = make_apns_setup(generate_private_key(SECP256R1()))
    result = await send_one(Apns(caller, stranger, apns_gateway.url))

    assert result == Result(SendOutcome.REFUSED, "InvalidProviderToken")


async def test_a_log_entry(apns: Apns) -> None:
    """The log gets the payload, and what goes with it, under the names of the interface."""
    [result] = await apns.send([push(custom={"a": 1})])
    shown = apns.render(push(custom={"a": 1}))

    assert result.payload == shown
    assert shown == {
        "payload": {**FIELDS, "custom": {"a": 1}, "unreadMessageCount": 3},
        "contentAvailable": 0,
        "mutableContent": 0,
        "topic": BUNDLE,
        "alert": {"title": "Anna", "body": "Grüße 👋"},
        "badge": 3,
        "priority": 10,
        "pushType": "alert",
        "sound": "default",
        "collapseId": "anna_user_ben.17",
        "expiry": START + 3600,
        "type": "apns",
    }


@pytest.mark.parametrize(("platform", "least"), [(DEVICE, 3900), (VOIP, 4900)])
async def test_a_payload_that_is_too_large(
    apns: Apns, apns_gateway: ApnsGateway, platform: str, least: int
) -> None:
    """Over the limit, which is higher for VoIP, `message` goes and the body is cut."""
    large = push(1, platform, body="é" * 4000, message={"text": "x" * 6000})
    assert await apns.send([large]) == [SENT]
    payload = apns_gateway.received[0]["payload"]

    assert "message" not in payload
    assert set(payload["body"]) == {"é"}
    assert least <= len(json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode())


async def test_a_payload_that_can_not_be_cut(apns: Apns, apns_gateway: ApnsGateway) -> None:
    """If the fields without a body are too large, the push is refused."""
    large = push(custom={"text": "x" * 5000})
    assert await apns.send([large]) == [Result(SendOutcome.REFUSED, "PayloadTooLarge")]

    assert not apns_gateway.calls
