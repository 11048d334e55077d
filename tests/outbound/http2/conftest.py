"""A server with HTTP/2, and a client."""

from collections.abc import AsyncIterator

import pytest
from tests.certificate import Certificate, make_certificate
from tests.outbound.http2.echo import Echo

from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.client import OutboundClient


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """The certificate of all servers."""
    return make_certificate(tmp_path_factory.mktemp("http2"))


@pytest.fixture
async def echo(certificate: Certificate) -> AsyncIterator[Echo]:
    """A server with TLS."""
    server = Echo()
    await server.start(certificate)
    yield server
    await server.stop()


@pytest.fixture
async def client(certificate: Certificate) -> AsyncIterator[OutboundClient]:
    """A client that may call loopback, and trusts the servers."""
    allowed = OutboundClient(parse_rule("127.0.0.0/8"), str(certificate.cert))
    yield allowed
    await allowed.close()
