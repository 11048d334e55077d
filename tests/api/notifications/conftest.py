"""What several tests of notifications begin with."""

import pytest
from tests.world import World


@pytest.fixture
async def token(world: World) -> str:
    """Return an auth token of Anna, beside whom there is Ben."""
    await world.users("anna", "ben")
    return await world.token("anna")
