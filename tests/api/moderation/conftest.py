"""Fixtures of the tests of moderation."""

import pytest
from tests.api.moderation.ruling import make_rules
from tests.world import World


@pytest.fixture
async def ruled(world: World) -> World:
    """An app with the rules of `ruling.py`."""
    await make_rules(world)
    return world
