"""A node that may call local gateways of all providers, and an app that is set up with them."""

from collections.abc import AsyncIterator

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from tests.certificate import Certificate, make_certificate
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.notifications.engine.office import Office, gateways_of
from tests.wire import InProcess
from tests.world import Node

from hubbub.bootstrap import open_runtime
from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS

RETRIES = (1.0, 5.0, 60.0)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """The certificate of all gateways."""
    return make_certificate(tmp_path_factory.mktemp("gateways"))


@pytest.fixture(scope="session")
def rsa_key() -> RSAPrivateKey:
    """The key of the service account."""
    return generate_private_key(65537, 2048)


@pytest.fixture
async def office(
    new_settings: NewSettings, certificate: Certificate, rsa_key: RSAPrivateKey
) -> AsyncIterator[Office]:
    """An app of a node, with gateways, without providers yet."""
    clock = ManualClock()
    async with gateways_of(clock, certificate, rsa_key) as gateways:
        settings = new_settings(
            log_requests=False,
            public_url="https://chat.example.com",
            notification_retries=RETRIES,
            outbound_allow="127.0.0.0/8",
            outbound_ca=str(certificate.cert),
            **gateways.settings(),
        )
        async with open_runtime(settings, clock) as runtime:
            node = Node(runtime, clock, InProcess(make_app(runtime, OPERATIONS)), {})
            world = await node.world()
            await world.users("anna", "ben", "cora")
            yield Office(runtime, clock, world, node.sender, gateways, rsa_key)
