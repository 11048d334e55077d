"""Push gateways that run, and senders for them."""

from collections.abc import AsyncIterator

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePrivateKey,
)
from cryptography.hazmat.primitives.asymmetric.ec import (
    generate_private_key as generate_ec_key,
)
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from tests.certificate import Certificate
from tests.clock import ManualClock
from tests.gateways.apns import ApnsGateway
from tests.gateways.fcm import FcmGateway
from tests.gateways.google_token import GoogleTokenGateway
from tests.providers.push.accounts import (
    BUNDLE,
    KEY_ID,
    PROJECT,
    SENDER,
    TEAM,
    make_apns_setup,
    make_fcm_setup,
)

from hubbub.providers.apns.send import Apns
from hubbub.providers.calls import ProviderCaller
from hubbub.providers.fcm.send import Fcm


@pytest.fixture(scope="session")
def rsa_key() -> RSAPrivateKey:
    """The key of the service account."""
    return generate_private_key(65537, 2048)


@pytest.fixture
async def google(
    certificate: Certificate, clock: ManualClock, rsa_key: RSAPrivateKey
) -> AsyncIterator[GoogleTokenGateway]:
    """A token endpoint that knows the service account."""
    gateway = GoogleTokenGateway(clock)
    gateway.keys[SENDER] = KEY_ID, rsa_key.public_key()
    await gateway.start(certificate)
    yield gateway
    await gateway.stop()


@pytest.fixture
async def fcm_gateway(
    certificate: Certificate, google: GoogleTokenGateway
) -> AsyncIterator[FcmGateway]:
    """FCM."""
    gateway = FcmGateway(PROJECT, google)
    await gateway.start(certificate)
    yield gateway
    await gateway.stop()


@pytest.fixture
def fcm(caller: ProviderCaller, fcm_gateway: FcmGateway, rsa_key: RSAPrivateKey) -> Fcm:
    """A sender for the local FCM."""
    setup = make_fcm_setup(rsa_key)
    return Fcm(caller, setup, fcm_gateway.url, fcm_gateway.tokens.token_url)


@pytest.fixture(scope="session")
def ec_key() -> EllipticCurvePrivateKey:
    """The key of the team at Apple."""
    return generate_ec_key(SECP256R1())


@pytest.fixture
async def apns_gateway(
    certificate: Certificate, clock: ManualClock, ec_key: EllipticCurvePrivateKey
) -> AsyncIterator[ApnsGateway]:
    """APNs."""
    gateway = ApnsGateway(TEAM, BUNDLE, clock)
    gateway.keys[KEY_ID] = ec_key.public_key()
    await gateway.start(certificate)
    yield gateway
    await gateway.stop()


@pytest.fixture
def apns(
    caller: ProviderCaller, apns_gateway: ApnsGateway, ec_key: EllipticCurvePrivateKey
) -> Apns:
    """A sender for the local APNs."""
    return Apns(caller, make_apns_setup(ec_key), apns_gateway.url)
