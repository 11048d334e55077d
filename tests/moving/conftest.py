"""Movers into an app of the test's own."""

from pathlib import Path

import pytest
from tests.moving.mover import Mover
from tests.world import Node, World


@pytest.fixture
def mover(node: Node, world: World, tmp_path: Path) -> Mover:
    """A mover into the app of the test."""
    return Mover(node, world, tmp_path)
