"""Gateways that fail at random, and are away for a while: nothing is lost, no token is removed."""

import asyncio
from collections import Counter
from collections.abc import Sequence

import pytest
from tests.certificate import Certificate
from tests.clock import ManualClock
from tests.gateways.apns import ApnsGateway
from tests.gateways.fcm import FcmGateway
from tests.gateways.google_token import GoogleTokenGateway
from tests.gateways.http2 import Http2Gateway
from tests.providers.push.accounts import push_to

from hubbub.providers.apns.send import Apns
from hubbub.providers.fcm.send import Fcm
from hubbub.providers.interface import Push, PushProvider, SendOutcome

AGAIN = {SendOutcome.LATER, SendOutcome.SLOWER}
MOST_TRIES = 100
COUNT, AT_ONCE = 400, 50
PATIENCE_SECONDS = 30.0


async def send_until_done(
    sender: PushProvider, pushes: Sequence[Push], clock: ManualClock
) -> list[SendOutcome]:
    """Send pushes again as long as they are to be sent later; return their last outcomes."""
    left = dict(enumerate(pushes))
    outcomes: dict[int, SendOutcome] = {}
    for _ in range(MOST_TRIES):
        results = await sender.send(list(left.values()))
        outcomes |= {at: each.outcome for at, each in zip(left, results, strict=True)}
        left = {at: push for at, push in left.items() if outcomes[at] in AGAIN}
        if not left:
            break
        clock.advance(1)
    return [outcomes[at] for at in range(len(pushes))]


async def send_in_parts(
    sender: PushProvider, pushes: Sequence[Push], clock: ManualClock
) -> list[SendOutcome]:
    """Send pushes in several calls at the same time."""
    parts = [pushes[at : at + AT_ONCE] for at in range(0, len(pushes), AT_ONCE)]
    done = await asyncio.gather(*(send_until_done(sender, part, clock) for part in parts))
    return [outcome for part in done for outcome in part]


async def restart(gateway: Http2Gateway, certificate: Certificate) -> None:
    """Take a gateway away twice in the midst of calls."""
    port = int(gateway.url.rpartition(":")[2])
    for _ in range(2):
        await gateway.wait_for(gateway.calls + COUNT // 10)
        await gateway.stop()
        await asyncio.sleep(0)
        await gateway.start(certificate, port)


def check(gateway: Http2Gateway, tokens: Sequence[str], outcomes: Sequence[SendOutcome]) -> None:
    """Check that what was accepted is what the outcomes say, and that only dead tokens are gone."""
    arrived = Counter(each["token"] for each in gateway.received)
    for token, outcome in zip(tokens, outcomes, strict=True):
        is_dead = token.startswith("gone")
        assert outcome is (SendOutcome.GONE if is_dead else SendOutcome.SENT), token
        assert bool(arrived[token]) is not is_dead, token


async def run_fcm(
    fcm: Fcm, gateway: FcmGateway, certificate: Certificate, clock: ManualClock, seed: int
) -> None:
    """Send through an FCM, and a token endpoint, that fail."""
    tokens = [f"{'gone' if at % 7 == 0 else 'live'}-{seed}-{at}" for at in range(COUNT)]
    gateway.fail_at_random(0.05, seed)
    gateway.tokens.fail_at_random(0.5, seed)
    restarting = asyncio.create_task(restart(gateway, certificate))
    outcomes = await send_in_parts(fcm, [push_to(token) for token in tokens], clock)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await restarting

    check(gateway, tokens, outcomes)


async def run_apns(
    apns: Apns, gateway: ApnsGateway, certificate: Certificate, clock: ManualClock, seed: int
) -> None:
    """Send through an APNs that fails."""
    names = [f"{'gone' if at % 7 == 0 else 'live'}-{seed}-{at}" for at in range(COUNT)]
    tokens = {name: f"{seed * COUNT + at:064x}" for at, name in enumerate(names)}
    gateway.gone = {tokens[name] for name in names if name.startswith("gone")}
    gateway.fail_at_random(0.05, seed)
    restarting = asyncio.create_task(restart(gateway, certificate))
    pushes = [push_to(token, "apns_ios_device") for token in tokens.values()]
    outcomes = await send_in_parts(apns, pushes, clock)
    async with asyncio.timeout(PATIENCE_SECONDS):
        await restarting
    names_of = {token: name for name, token in tokens.items()}
    gateway.received = [{"token": names_of[each["token"]]} for each in gateway.received]

    check(gateway, names, outcomes)


async def test_an_fcm_that_fails(
    fcm: Fcm, fcm_gateway: FcmGateway, certificate: Certificate, clock: ManualClock
) -> None:
    """Every push to a live device is accepted in the end; only dead tokens are reported."""
    await run_fcm(fcm, fcm_gateway, certificate, clock, 1)


async def test_an_apns_that_fails(
    apns: Apns, apns_gateway: ApnsGateway, certificate: Certificate, clock: ManualClock
) -> None:
    """Every push to a live device is accepted in the end; only dead tokens are reported."""
    await run_apns(apns, apns_gateway, certificate, clock, 1)


@pytest.mark.campaign
async def test_many_runs(
    fcm: Fcm,
    fcm_gateway: FcmGateway,
    apns: Apns,
    apns_gateway: ApnsGateway,
    google: GoogleTokenGateway,
    certificate: Certificate,
    clock: ManualClock,
) -> None:
    """The same with other failures, while tokens end in between."""
    for seed in range(2, 40):
        google.revoke()
        clock.advance(1800)
        for gateway in (fcm_gateway, apns_gateway):
            gateway.received.clear()
        await run_fcm(fcm, fcm_gateway, certificate, clock, seed)
        await run_apns(apns, apns_gateway, certificate, clock, seed)
