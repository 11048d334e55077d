"""A node that may call an identity provider on loopback, and an app that trusts it."""

from collections.abc import AsyncIterator

import pytest
from tests.api.identity.idp import Idp, serving_idp, set_up
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.wire import InProcess
from tests.world import Node, World

from hubbub.bootstrap import open_runtime
from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS


@pytest.fixture
async def near_node(new_settings: NewSettings) -> AsyncIterator[Node]:
    """A node that may call servers on loopback."""
    clock = ManualClock()
    settings = new_settings(log_requests=False, outbound_allow="127.0.0.0/8")
    async with open_runtime(settings, clock) as runtime:
        yield Node(runtime, clock, InProcess(make_app(runtime, OPERATIONS)), {})


@pytest.fixture
async def idp(near_node: Node) -> AsyncIterator[Idp]:
    """An identity provider with the key k1."""
    async with serving_idp(near_node.clock) as idp:
        yield idp


@pytest.fixture
async def trusting(near_node: Node, idp: Idp) -> World:
    """An app with Anna and Ben that trusts the provider."""
    world = await near_node.world()
    await world.users("anna", "ben")
    await set_up(world, jwksUrl=idp.receiver.url("/keys"))
    return world
