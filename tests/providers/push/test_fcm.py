"""Pushes through a local FCM: real TLS, HTTP/2 and tokens."""

import asyncio
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from msgspec.structs import replace
from tests.clock import ManualClock
from tests.gateways.faults import LOST, RESET
from tests.gateways.fcm import FcmGateway
from tests.gateways.google_token import GoogleTokenGateway
from tests.gateways.http2 import LEAVING, LEFT, REFUSED_STREAM
from tests.providers.notifications import FIELDS
from tests.providers.push.accounts import make_fcm_setup, push_to
from tests.world import Json

from hubbub.providers.calls import ProviderCaller
from hubbub.providers.fcm.send import Fcm
from hubbub.providers.interface import SENT, Result, SendOutcome


async def send_one(fcm: Fcm, token: str = "t1", **fields: Any) -> Result:
    """Send one push and return its result."""
    (result,) = await fcm.send([push_to(token, **fields)])
    return result


async def test_results_are_in_the_order_of_the_pushes(fcm: Fcm, fcm_gateway: FcmGateway) -> None:
    """Each of many pushes gets its own result, whichever answer is first."""
    pushes = [push_to(f"{'gone' if at % 3 == 0 else 'live'}-{at}") for at in range(250)]
    results = await fcm.send(pushes)

    assert [each.outcome for each in results] == [
        SendOutcome.GONE if at % 3 == 0 else SendOutcome.SENT for at in range(250)
    ]
    assert not [why for why in fcm_gateway.refused if "UNREGISTERED" not in why]


async def test_data_are_the_fields_as_strings(fcm: Fcm, fcm_gateway: FcmGateway) -> None:
    """`data` has the fields as strings: JSON text for objects, and the total of unread messages."""
    custom, message = {"a": [1]}, {"id": "17", "data": {"text": "ü"}}
    assert await send_one(fcm, custom=custom, message=message, sessionId=None) == SENT

    data = fcm_gateway.received[0]["data"]
    assert json.loads(data.pop("custom")) == custom
    assert json.loads(data.pop("message")) == message
    assert data == {**FIELDS, "unreadMessageCount": "3"}


@pytest.mark.parametrize(
    ("name", "outcome", "pause"),
    [
        ("UNREGISTERED", SendOutcome.GONE, None),
        ("NOT_FOUND", SendOutcome.REFUSED, None),
        ("INVALID_ARGUMENT", SendOutcome.REFUSED, None),
        ("SENDER_ID_MISMATCH", SendOutcome.REFUSED, None),
        ("PERMISSION_DENIED", SendOutcome.REFUSED, None),
        ("THIRD_PARTY_AUTH_ERROR", SendOutcome.REFUSED, None),
        ("QUOTA_EXCEEDED", SendOutcome.SLOWER, 60),
        ("UNAVAILABLE", SendOutcome.LATER, 7),
        ("INTERNAL", SendOutcome.LATER, None),
    ],
)
async def test_errors_have_their_outcome(
    fcm: Fcm, fcm_gateway: FcmGateway, name: str, outcome: SendOutcome, pause: float | None
) -> None:
    """Each documented error gets its outcome, its name as the reason, and the pause asked for."""
    fcm_gateway.faults.answer_next(name)

    assert await send_one(fcm) == Result(outcome, name, pause)
    assert await send_one(fcm) == SENT


async def test_an_unreadable_error_is_tried_later(fcm: Fcm, fcm_gateway: FcmGateway) -> None:
    """A proxy's page instead of an error of FCM is judged by its status."""
    fcm_gateway.faults.answer_next("html")
    result = await send_one(fcm)

    assert result == Result(SendOutcome.LATER, "It answered with the status 502.")


@pytest.mark.parametrize("fault", [RESET, LOST])
async def test_a_broken_connection_is_tried_later(
    fcm: Fcm, fcm_gateway: FcmGateway, fault: str
) -> None:
    """A push whose connection breaks may have been accepted: it is tried later."""
    fcm_gateway.faults.answer_next(fault)

    assert (await send_one(fcm)).outcome is SendOutcome.LATER
    assert await send_one(fcm) == SENT


@pytest.mark.parametrize("fault", [REFUSED_STREAM, LEFT, LEAVING])
async def test_what_was_not_looked_at_is_sent_again(
    fcm: Fcm, fcm_gateway: FcmGateway, fault: str
) -> None:
    """A push that the server says it has not looked at is sent at once, each exactly once."""
    fcm_gateway.faults.answer_next("", "", fault)
    results = await fcm.send([push_to(f"t{at}") for at in range(20)])

    assert results == [SENT] * 20
    assert sorted(each["token"] for each in fcm_gateway.received) == sorted(
        f"t{at}" for at in range(20)
    )


async def test_a_token_is_shared_and_renewed(
    fcm: Fcm, google: GoogleTokenGateway, clock: ManualClock
) -> None:
    """One token serves all pushes; it is replaced before it ends."""
    for _ in range(2):
        assert await send_one(fcm) == SENT
    assert len(google.received) == 1
    clock.advance(3599 - 300)
    assert await send_one(fcm) == SENT

    assert len(google.received) == 2


async def test_a_refused_token_is_renewed_once(
    fcm: Fcm, fcm_gateway: FcmGateway, google: GoogleTokenGateway
) -> None:
    """If FCM refuses the token, the pushes are sent once more with a new one, and then refused."""
    assert await send_one(fcm) == SENT
    google.revoke()

    assert await fcm.send([push_to("a"), push_to("b")]) == [SENT, SENT]
    assert len(google.received) == 2
    fcm_gateway.faults.answer_always("UNAUTHENTICATED")
    assert await send_one(fcm) == Result(SendOutcome.REFUSED, "UNAUTHENTICATED")
    assert len(google.received) == 3


@pytest.mark.parametrize(
    ("name", "outcome", "reason", "pause"),
    [
        (
            "invalid_grant",
            SendOutcome.REFUSED,
            "No token: invalid_grant: Invalid JWT Signature.",
            None,
        ),
        ("unauthorized_client", SendOutcome.REFUSED, "No token: unauthorized_client: ", None),
        ("access_denied", SendOutcome.REFUSED, "No token: access_denied", None),
        ("429", SendOutcome.SLOWER, "No token: rate_limit_exceeded", 30),
        ("500", SendOutcome.LATER, "No token: internal_failure", None),
        ("503", SendOutcome.LATER, "No token: the endpoint answered with the status 503.", 5),
        ("garbage", SendOutcome.LATER, "No token: the answer of the endpoint has none.", None),
        (RESET, SendOutcome.LATER, "No token: The connection failed", None),
    ],
)
async def test_without_a_token_nothing_is_sent(
    fcm: Fcm,
    fcm_gateway: FcmGateway,
    google: GoogleTokenGateway,
    name: str,
    outcome: SendOutcome,
    reason: str,
    pause: float | None,
) -> None:
    """Errors of the token endpoint are those of the pushes; FCM is not called."""
    google.faults.answer_always(name)
    first, second = await fcm.send([push_to("a"), push_to("b")])

    assert first == second
    assert first.outcome is outcome
    assert first.reason.startswith(reason)
    assert first.retry_after == pause
    assert not fcm_gateway.calls


async def test_accepted_pushes_stay_accepted(
    fcm: Fcm, fcm_gateway: FcmGateway, google: GoogleTokenGateway
) -> None:
    """If there is no new token in place of a refused one, only the refused pushes fail."""
    fcm_gateway.faults.answer_next("", "UNAUTHENTICATED", "")
    assert await send_one(fcm) == SENT
    google.faults.answer_always("503")
    results = await fcm.send([push_to("a"), push_to("b"), push_to("c")])

    assert [each.outcome for each in results].count(SendOutcome.SENT) == 2
    (failed,) = (each for each in results if each != SENT)
    assert failed.outcome is SendOutcome.LATER
    assert failed.retry_after == 5


async def test_the_token_endpoint_is_not_asked_again_at_once(
    fcm: Fcm, google: GoogleTokenGateway, clock: ManualClock
) -> None:
    """After a failed request for a token, calls fail for two seconds without another request."""
    google.faults.answer_next("500")
    results = await asyncio.gather(*(send_one(fcm) for _ in range(5)))
    assert {each.reason for each in results} == {"No token: internal_failure: Internal."}
    assert google.calls == 1
    clock.advance(3)

    assert await send_one(fcm) == SENT


async def test_a_key_of_another_account_is_refused(
    caller: ProviderCaller,
    fcm_gateway: FcmGateway,
    google: GoogleTokenGateway,
    rsa_key: RSAPrivateKey,
) -> None:
    """An assertion that is not signed by the account's key gets no token."""
    google.keys.clear()
    sender = Fcm(caller, make_fcm_setup(rsa_key), fcm_gateway.url, google.token_url)
    result = await send_one(sender)

    assert result.outcome is SendOutcome.REFUSED
    assert "invalid_grant" in result.reason


async def test_log_entries_have_no_token(fcm: Fcm) -> None:
    """The log gets the message without the token of the device."""
    shown = fcm.render(push_to("t1"))

    assert shown["type"] == "fcm"
    assert shown["data"]["title"] == "Anna"
    assert "t1" not in json.dumps(shown)


@pytest.mark.parametrize("platform", ["fcm_android", "fcm_ios", "fcm_web"])
async def test_a_payload_that_is_too_large(
    fcm: Fcm, fcm_gateway: FcmGateway, platform: str
) -> None:
    """Over 4 KB, `message` goes and the body is cut by whole characters; FCM takes the rest."""
    large: Json = {"body": "👋🏽" * 2000, "message": {"text": "x" * 5000}, "title": "T"}
    assert await fcm.send([push_to("t" * 200, platform, **large)]) == [SENT]
    message = fcm_gateway.received[0]

    assert "message" not in message["data"]
    assert set(message["data"]["body"].replace("👋🏽", "-")) == {"-"}
    assert message.get("notification", message["data"])["body"] == message["data"]["body"]


async def test_log_entries_are_what_was_sent(fcm: Fcm, fcm_gateway: FcmGateway) -> None:
    """The log has the message as it was sent, also if it was cut, or others came between."""
    long = push_to("t", body="👋🏽" * 2000, message={"text": "x" * 5000})
    short = push_to("t", title="Ben")
    pushes = [
        replace(push, token=f"t{at}", platform=platform)
        for at, push in enumerate((long, short, long))
        for platform in ("fcm_android", "fcm_ios", "fcm_web")
    ]
    results = await fcm.send(pushes)
    assert results == [SENT] * 9
    sent = sorted(fcm_gateway.received, key=lambda each: str(each["token"]))
    shown = [result.payload for result in results]

    assert len(sent) == 9
    for each in sent:
        token = each.pop("token")
        assert {"type": "fcm", **each} in shown, token


async def test_a_payload_that_can_not_be_cut(fcm: Fcm, fcm_gateway: FcmGateway) -> None:
    """If the fields without a body are too large, the push is refused, and others are sent."""
    large = push_to("t1", custom={"text": "x" * 5000})
    first, second = await fcm.send([large, push_to("t2")])

    assert first == Result(SendOutcome.REFUSED, "The payload has more than 4096 bytes.")
    assert second == SENT
    assert fcm.render(large) == {"type": "fcm", "error": first.reason}
    assert fcm_gateway.calls == 1
