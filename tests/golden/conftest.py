"""A node of each test's own, and a receiver of its webhooks."""

from collections.abc import AsyncIterator

import pytest
from tests.certificate import make_certificate
from tests.conftest import NewSettings
from tests.golden.stage import Stage, open_stage
from tests.receiver import Receiver, receiving


@pytest.fixture
async def stage(
    new_settings: NewSettings, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Stage]:
    """A node without apps, and the gateways that it may call."""
    certificate = make_certificate(tmp_path_factory.mktemp("gateways"))
    async with open_stage(new_settings, certificate) as stage:
        yield stage


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    """A receiver of webhooks."""
    async with receiving() as receiver:
        yield receiver
