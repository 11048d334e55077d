"""The doors to the webhooks of an app."""

import pytest
from tests.api.webhooks.doors import Door, doors_of
from tests.world import Node, World


@pytest.fixture(params=["app", "management"])
def door(request: pytest.FixtureRequest, node: Node, world: World) -> Door:
    """Each door in turn."""
    return doors_of(node, world)[request.param]
