"""A node of the test's own, and a receiver of its webhooks."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.receiver import Receiver, receiving
from tests.wire import InProcess
from tests.world import Node, World

from hubbub.bootstrap import open_runtime
from hubbub.domain.deliveries.deliver import MOST_PARTITIONS, delivery_runs
from hubbub.domain.deliveries.plan import plan_consumer
from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS
from hubbub.rest.payloads.render import render_payloads
from hubbub.runtime import Runtime

RETRIES = (10.0, 30.0, 120.0, 600.0)


@dataclass(slots=True)
class Teller:
    """What a node does for webhooks in the background, when the test says so."""

    runtime: Runtime
    clock: ManualClock
    most_partitions: int = MOST_PARTITIONS

    async def plan(self) -> None:
        """Plan what is in the logs."""
        await plan_consumer(self.runtime, render_payloads).consume_all()

    async def deliver(self) -> None:
        """Deliver all that is due."""
        runs = delivery_runs(self.runtime, most_partitions=self.most_partitions)
        await runs.start_due()
        await runs.wait()

    async def tell(self, *, after: float = 0) -> None:
        """Wait, plan, and deliver all that is due then."""
        self.clock.advance(after)
        await self.plan()
        await self.deliver()


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    """A receiver of webhooks."""
    async with receiving() as receiver:
        yield receiver


@pytest.fixture
def webhook_timeout() -> float:
    """The time limit of a call in seconds; no answer takes so long."""
    return 60.0


@pytest.fixture
async def own_node(new_settings: NewSettings, webhook_timeout: float) -> AsyncIterator[Node]:
    """A node that may call the receiver."""
    settings: dict[str, Any] = {
        "log_requests": False,
        "outbound_allow": "127.0.0.0/8",
        "webhook_timeout": webhook_timeout,
        "webhook_retries": RETRIES,
    }
    clock = ManualClock()
    async with open_runtime(new_settings(**settings), clock) as runtime:
        yield Node(runtime, clock, InProcess(make_app(runtime, OPERATIONS)), {})


@pytest.fixture
def teller(own_node: Node) -> Teller:
    """The node's background work."""
    return Teller(own_node.runtime, own_node.clock)


@pytest.fixture
async def town(own_node: Node) -> World:
    """Anna, Ben and Cora may talk."""
    world = await own_node.world()
    await world.users("anna", "ben", "cora")
    return world
