"""Senders to push gateways are made from setups, with the settings of the node."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from tests.certificate import Certificate
from tests.clock import ManualClock
from tests.gateways.apns import ApnsGateway
from tests.gateways.fcm import FcmGateway
from tests.providers.push.accounts import (
    BUNDLE,
    KEY_ID,
    TEAM,
    make_apns_setup,
    make_fcm_setup,
    push_to,
)

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.providers.interface import SENT
from hubbub.providers.open import open_push
from hubbub.records.apps.model import App

APP = App("app", "App", "in", "3", "", 1, None)
PHONE = push_to("a" * 64, "apns_ios_device")


@pytest.fixture
async def sandbox(
    certificate: Certificate, clock: ManualClock, ec_key: EllipticCurvePrivateKey
) -> AsyncIterator[ApnsGateway]:
    """APNs for apps in development."""
    gateway = ApnsGateway(TEAM, BUNDLE, clock)
    gateway.keys[KEY_ID] = ec_key.public_key()
    await gateway.start(certificate)
    yield gateway
    await gateway.stop()


async def test_the_settings_say_where_gateways_are(
    tmp_path: Path,
    certificate: Certificate,
    clock: ManualClock,
    fcm_gateway: FcmGateway,
    apns_gateway: ApnsGateway,
    sandbox: ApnsGateway,
    rsa_key: RSAPrivateKey,
    ec_key: EllipticCurvePrivateKey,
) -> None:
    """An APNs setup calls the sandbox unless it is in production mode."""
    settings = Settings(
        data=tmp_path / "data",
        outbound_allow="127.0.0.0/8",
        outbound_ca=str(certificate.cert),
        fcm_url=fcm_gateway.url,
        google_token_url=fcm_gateway.tokens.token_url,
        apns_url=apns_gateway.url,
        apns_sandbox_url=sandbox.url,
    )
    live = make_apns_setup(ec_key, production_mode=True)
    async with open_runtime(settings, clock=clock) as runtime:
        fcm = open_push(runtime, APP, make_fcm_setup(rsa_key))
        assert await fcm.send([push_to("t1")]) == [SENT]
        assert len(fcm_gateway.received) == 1
        assert await open_push(runtime, APP, live).send([PHONE]) == [SENT]
        assert (len(apns_gateway.received), len(sandbox.received)) == (1, 0)
        assert await open_push(runtime, APP, make_apns_setup(ec_key)).send([PHONE]) == [SENT]
        assert (len(apns_gateway.received), len(sandbox.received)) == (1, 1)
