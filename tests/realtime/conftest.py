"""A server with sockets for the app of the test, with Anna, Ben and Cora."""

from collections.abc import AsyncIterator

import pytest
from tests.realtime.chat import Hall, hall_of
from tests.world import Node, World


@pytest.fixture
async def hall(node: Node, world: World) -> AsyncIterator[Hall]:
    """A server with sockets."""
    await world.users("anna", "ben", "cora")
    async with hall_of(world, node.runtime) as hall:
        yield hall
