"""Worlds into which a past is imported."""

import pytest
from tests.api.messages.talk import group
from tests.world import World


@pytest.fixture
async def town(world: World) -> World:
    """Anna, Ben and Clara in a group."""
    await world.users("anna", "ben", "clara")
    await group(world, "hikers", "anna", "ben", "clara")
    return world
