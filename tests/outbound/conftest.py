"""Servers to call, and a client."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.elsewhere import Elsewhere, serve_elsewhere

from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.client import OutboundClient


@pytest.fixture
async def elsewhere(tmp_path: Path) -> AsyncIterator[Elsewhere]:
    """Servers that run."""
    async with serve_elsewhere(tmp_path) as served:
        yield served


@pytest.fixture
async def client(elsewhere: Elsewhere) -> AsyncIterator[OutboundClient]:
    """A client that may call loopback, and trusts the certificate of the servers."""
    allowed = OutboundClient(parse_rule("127.0.0.0/8"), str(elsewhere.certificate.cert))
    yield allowed
    await allowed.close()
