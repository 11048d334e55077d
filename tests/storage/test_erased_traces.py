"""What was erased permanently is in no table any more, nor in the files of the embedded store."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial

import pytest
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.storage.marks import leave_group, leave_marks, open_town
from tests.storage.traces import (
    DUMP,
    SECONDS,
    Traces,
    find_traces,
    wait_until_gone,
)
from tests.wire import InProcess
from tests.world import Node

from hubbub.background import running_workers
from hubbub.bootstrap import open_runtime
from hubbub.domain.apps.manage import delete_app
from hubbub.domain.deliveries.prune import prune_deliveries
from hubbub.domain.log.consumers import CONSUMERS
from hubbub.domain.log.prune import prune_log
from hubbub.http.app import make_app
from hubbub.outbox.consumer import count_lags
from hubbub.records.apps.model import ARCHIVED_SECONDS
from hubbub.rest.operations import OPERATIONS
from hubbub.storage.interface import INSTALLATION

DAY = 86_400
TO_CORA = {"receiver": "cora", "receiverType": "user"}


@pytest.fixture
async def marked(new_settings: NewSettings) -> AsyncIterator[Node]:
    """A node at default settings, on a store of its own, with its background work."""
    settings = new_settings(log_requests=False, outbound_allow="127.0.0.0/8")
    clock = ManualClock()
    async with open_runtime(settings, clock) as runtime, running_workers(runtime):
        yield Node(runtime, clock, InProcess(make_app(runtime, OPERATIONS)), {})


async def wait_until_consumed(node: Node) -> None:
    """Wait until all that waits to be told has been planned."""
    async with asyncio.timeout(SECONDS):
        while any((await read_lags(node)).values()):  # noqa: ASYNC110  # nothing tells of it
            await asyncio.sleep(0.05)


async def read_lags(node: Node) -> dict[str, int]:
    """Return how far each consumer of the log is behind it."""
    return await node.runtime.database.read(INSTALLATION, partial(count_lags, consumers=CONSUMERS))


async def test_an_erased_user_leaves_no_content(marked: Node) -> None:
    """All that a user wrote is gone, at default settings; on SQLite from the files as well."""
    world = await open_town(marked)
    await leave_marks(marked, world)
    await wait_until_consumed(marked)
    assert await find_traces(marked.runtime.settings)

    await world.delete("/users/anna", {"permanent": True})

    assert await wait_until_gone(marked.runtime.settings) == set()


async def test_a_user_who_is_erased_at_once_leaves_no_content(marked: Node) -> None:
    """Nothing is kept of what is still being planned when a user is deleted."""
    world = await open_town(marked)
    await leave_marks(marked, world)

    await world.delete("/users/anna", {"permanent": True})
    await wait_until_consumed(marked)

    assert await wait_until_gone(marked.runtime.settings) == set()


async def test_a_deleted_group_leaves_its_last_name(marked: Node) -> None:
    """The event and the delivery that tell of the deletion have it until their time is over."""
    world, settings = await open_town(marked), marked.runtime.settings
    await world.users("anna")
    await leave_group(world)
    await wait_until_consumed(marked)
    postgres = {"events", "webhook_bodies", DUMP}
    kept: Traces = postgres if settings.database_url else {"hubbub.db", "hubbub.db-wal"}
    assert await wait_until_gone(settings, but=kept) <= kept

    marked.clock.advance(max(settings.events_keep, settings.webhook_keep) + DAY)
    await world.post("/messages", {**TO_CORA, "data": {"text": "Hello"}}, as_="ben")
    await wait_until_consumed(marked)
    await prune_log(marked.runtime)
    await prune_deliveries(marked.runtime)
    marked.clock.advance(DAY)

    assert await wait_until_gone(settings) == set()


async def test_an_erased_app_leaves_nothing(marked: Node) -> None:
    """Thirty days after an app was deleted, nothing of it is left."""
    world = await open_town(marked)
    await leave_marks(marked, world)
    await delete_app(marked.runtime, world.app_id)
    marked.clock.advance(ARCHIVED_SECONDS + 1)

    assert await wait_until_gone(marked.runtime.settings) == set()
