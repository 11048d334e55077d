"""What the senders of notifications need: a client, a clock, a certificate."""

from collections.abc import AsyncIterator

import pytest
from tests.certificate import Certificate, make_certificate
from tests.clock import ManualClock

from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.client import OutboundClient
from hubbub.providers.calls import ProviderCaller


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """The certificate of all gateways."""
    return make_certificate(tmp_path_factory.mktemp("gateways"))


@pytest.fixture
async def outbound(certificate: Certificate) -> AsyncIterator[OutboundClient]:
    """A client that may call loopback, and trusts the gateways."""
    client = OutboundClient(parse_rule("127.0.0.0/8"), str(certificate.cert))
    yield client
    await client.close()


@pytest.fixture
def clock() -> ManualClock:
    """A clock that stands still."""
    return ManualClock()


@pytest.fixture
def caller(outbound: OutboundClient, clock: ManualClock) -> ProviderCaller:
    """Return what the senders call with."""
    return ProviderCaller(outbound, clock, timeout_seconds=60)
