"""Worlds in which forms are sent and submitted."""

import pytest
from tests.api.messages.talk import group
from tests.world import World


@pytest.fixture
async def two(world: World) -> World:
    """Anna and Ben."""
    await world.users("anna", "ben")
    return world


@pytest.fixture
async def club(world: World) -> World:
    """Anna, Ben and Clara in a group, Dora outside."""
    await world.users("anna", "ben", "clara", "dora")
    await group(world, "club", "anna", "ben", "clara")
    return world
