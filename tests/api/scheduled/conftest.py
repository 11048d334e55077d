"""A node of the test's own, since its background work is for all apps."""

from collections.abc import AsyncIterator

import pytest
from tests.api.scheduled.later import Later
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.wire import InProcess
from tests.world import Node

from hubbub.bootstrap import open_runtime
from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS


@pytest.fixture
async def later(new_settings: NewSettings) -> AsyncIterator[Later]:
    """Anna and Ben in an app of a node of its own, which may call servers of this machine."""
    clock = ManualClock()
    settings = new_settings(log_requests=False, outbound_allow="127.0.0.0/8")
    async with open_runtime(settings, clock) as runtime:
        node = Node(runtime, clock, InProcess(make_app(runtime, OPERATIONS)), {})
        world = await node.world()
        await world.users("anna", "ben", "carla")
        await world.get("/events")
        yield Later(world, runtime, clock, node, world.answer.meta["cursor"])
