"""Messages that grow on a node that stops, or is killed: the message stays, with most of its text.

A node that ends without its background work ends as if it was killed: it stores nothing more.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.api.growing.stream import append, begin, finish, shown
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.wire import InProcess
from tests.world import World

from hubbub.background import running_workers
from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.domain.apps.manage import create_app
from hubbub.domain.growing.finish import end_silent
from hubbub.domain.growing.keep import store_all
from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS
from hubbub.runtime import Runtime

SECONDS_OF_THE_DEAD = 4
"""So long after its last write a node counts as dead."""


class House:
    """A store on which nodes begin and end, with an app."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.clock = ManualClock()
        self._app: tuple[str, str, str] | None = None

    @asynccontextmanager
    async def node(self) -> AsyncIterator[tuple[Runtime, World]]:
        """Yield a node without background work, and its app with Anna and Ben."""
        async with open_runtime(self.settings, self.clock) as runtime:
            is_new = self._app is None
            if self._app is None:
                app, (key, auth_key) = await create_app(runtime, name="App", region="us")
                self._app = app.id, key.api_key, auth_key.api_key
            world = World(InProcess(make_app(runtime, OPERATIONS)), *self._app)
            if is_new:
                await world.users("anna", "ben")
            yield runtime, world


@pytest.fixture
def house(new_settings: NewSettings) -> House:
    """A store without nodes."""
    return House(new_settings(log_requests=False))


async def test_a_killed_node(house: House) -> None:
    """A kill loses the appends of the last second, never the message; its sender goes on."""
    async with house.node() as (runtime, world):
        message = await begin(world, "one")
        await append(world, message, " two", 1)
        await store_all(runtime)
        await append(world, message, " three", 2)
        await append(world, message, " four", 3)
    house.clock.advance(SECONDS_OF_THE_DEAD)
    async with house.node() as (_, world):
        assert await shown(world, message) == {"text": "one two", "growing": {"sequence": 1}}
        details = await world.refused(
            "POST",
            f"/messages/{message['id']}/append",
            {"text": " five", "sequence": 4},
            as_="anna",
            status=409,
            code="ERR_SEQUENCE_GAP",
        )
        assert details == {"sequence": ["2"]}
        for sequence, text in enumerate((" three", " four", " five"), 2):
            await append(world, message, text, sequence)
        ended = await finish(world, message)

        assert ended["data"]["text"] == "one two three four five"
        assert ended["data"]["grown"] == {"status": "done", "appends": 4}


async def test_durable_appends_survive(house: House) -> None:
    """An append that was to be durable is on disk when it is answered, and all before it."""
    async with house.node() as (_, world):
        message = await begin(world)
        await append(world, message, "a", 1)
        await append(world, message, "b", 2, durable=True)
        await append(world, message, "b", 2, durable=True)
    async with house.node() as (_, world):
        assert (await shown(world, message))["text"] == "ab"


async def test_a_repeated_append_is_made_durable(house: House) -> None:
    """An append that is sent again as durable is on disk then."""
    async with house.node() as (_, world):
        message = await begin(world)
        await append(world, message, "a", 1)
        await append(world, message, "a", 1, durable=True)
    async with house.node() as (_, world):
        assert (await shown(world, message))["text"] == "a"


async def test_nobody_comes_back(house: House) -> None:
    """A message whose node was killed, and whose sender is silent, ends as failed."""
    async with house.node() as (runtime, world):
        message = await begin(world)
        await append(world, message, "a", 1)
        await store_all(runtime)
        await append(world, message, "b", 2)
    house.clock.advance(61)
    async with house.node() as (runtime, world):
        await end_silent(runtime)

        assert await shown(world, message) == {
            "text": "a",
            "grown": {"status": "failed", "appends": 1},
        }


async def test_a_node_that_stops(house: House) -> None:
    """A node that is told to stop stores all that it has, and another one goes on at once."""
    async with house.node() as (runtime, world), running_workers(runtime):
        message = await begin(world)
        await append(world, message, "a", 1)
        await append(world, message, "b", 2)
    async with house.node() as (_, world):
        assert (await shown(world, message))["text"] == "ab"
        await append(world, message, "c", 3)
        assert (await finish(world, message))["data"]["text"] == "abc"
