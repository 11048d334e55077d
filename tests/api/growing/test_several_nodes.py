"""Messages that grow on several nodes: one holds a message at a time, and gives it away."""

import asyncio
import itertools
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
import pytest
from tests.api.growing.stream import append, begin, finish, shown
from tests.clock import ManualClock
from tests.nats_server import NatsServer
from tests.postgres import PostgresServer
from tests.soon import until
from tests.wire import InProcess
from tests.world import World

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.domain.apps.manage import create_app
from hubbub.domain.growing import hold
from hubbub.domain.growing.finish import end_silent
from hubbub.domain.growing.keep import store_all
from hubbub.http.app import make_app
from hubbub.records.growing.signals import GrowthWanted
from hubbub.rest.operations import OPERATIONS
from hubbub.runtime import Runtime

_databases = itertools.count(1)


class Pair:
    """Two nodes on one database, without background work."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.runtimes: list[Runtime] = []
        self.worlds: list[World] = []

    async def add(self, stack: AsyncExitStack, settings: Settings) -> None:
        """Add a node."""
        runtime = await stack.enter_async_context(open_runtime(settings, self.clock))
        if not self.worlds:
            app, (key, auth_key) = await create_app(runtime, name="App", region="us")
            named = app.id, key.api_key, auth_key.api_key
        else:
            first = self.worlds[0]
            named = first.app_id, first.key, first.auth_key
        self.runtimes.append(runtime)
        self.worlds.append(World(InProcess(make_app(runtime, OPERATIONS)), *named))


@pytest.fixture(params=["bus"])
async def pair(
    request: pytest.FixtureRequest,
    postgres_server: PostgresServer,
    nats_server: NatsServer,
    tmp_path: Path,
) -> AsyncIterator[Pair]:
    """Two nodes, with a bus or without one."""
    name = f"growing_{next(_databases)}"
    postgres_server.create_database(name)
    settings = Settings(
        data=tmp_path,
        database_url=postgres_server.url(name),
        files=str(tmp_path / "files"),
        bus_url=nats_server.url if request.param == "bus" else "",
        secret_key="5" * 64,
        log_requests=False,
    )
    pair = Pair(ManualClock())
    async with AsyncExitStack() as stack:
        for _ in range(2):
            await pair.add(stack, settings)
        await until(lambda: all(each.bus.is_connected for each in pair.runtimes))
        await pair.worlds[0].users("anna", "ben")
        yield pair


async def test_two_nodes_in_turns(pair: Pair) -> None:
    """Appends that reach the nodes in turns are all in the text, once and in order."""
    one, other = pair.worlds
    message = await begin(one)
    for sequence in range(1, 11):
        await append([one, other][sequence % 2], message, f"{sequence} ", sequence)

    for world in pair.worlds:
        again = await append(world, message, "10 ", 10)
        assert again["sequence"] == 10
    ended = await finish(other, message)
    assert ended["data"]["text"] == "".join(f"{number} " for number in range(1, 11))
    assert ended["data"]["grown"] == {"status": "done", "appends": 10}


async def test_both_nodes_at_once(pair: Pair) -> None:
    """Whatever reaches which node at the same time, the text is that of the appends in order."""
    chance = random.Random(7)
    message = await begin(pair.worlds[0])
    sequence, most = 1, 25
    while sequence <= most:
        wanted = range(sequence, min(sequence + 3, most + 1))
        asked = [
            (chance.choice(pair.worlds), {"text": f"{number} ", "sequence": number})
            for number in wanted
        ]
        path = f"/messages/{message['id']}/append"
        answers = await asyncio.gather(
            *(world.ask("POST", path, body, as_="anna") for world, body in asked)
        )
        assert {answer.status for answer in answers} <= {200, 409}
        taken = [
            number for number, answer in zip(wanted, answers, strict=True) if answer.status == 200
        ]
        sequence = max(taken, default=sequence - 1) + 1
    ended = await finish(chance.choice(pair.worlds), message)

    assert ended["data"]["text"] == "".join(f"{number} " for number in range(1, most + 1))


async def test_a_dead_node(pair: Pair) -> None:
    """A node that does not answer loses its messages after some seconds, and stores no more."""
    one, other = pair.worlds
    message = await begin(one)
    await append(one, message, "a", 1, durable=True)
    await append(one, message, "b", 2)
    pair.clock.advance(hold.DEAD_MS / 1000 + 1)
    with pytest.MonkeyPatch.context() as patch:  # it is frozen: it neither answers nor stores
        patch.setattr(hold, "begin_to_store", None)
        await append(other, message, "c", 2)
    await store_all(pair.runtimes[0])
    await append(other, message, "d", 3, durable=True)

    assert (await shown(other, message))["text"] == "acd"
    assert (await shown(one, message))["text"] == "acd"
    await append(one, message, "e", 4)
    assert (await finish(one, message))["data"]["text"] == "acde"


async def test_a_message_that_comes_back(pair: Pair) -> None:
    """A node that was frozen while another one went on does not store what it has from before.

    It holds the message again, as the other node heard late that it had asked for it.
    """
    one, other = pair.worlds
    message = await begin(one)
    await append(one, message, "a", 1, durable=True)
    await append(one, message, "b", 2)
    pair.clock.advance(hold.DEAD_MS / 1000 + 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hold, "begin_to_store", None)
        for sequence, text in ((2, "c"), (3, "d")):
            await append(other, message, text, sequence, durable=True)
    first, second = pair.runtimes
    asked = GrowthWanted(
        app_id=one.app_id, message=int(message["id"]), owner=second.node, by=first.node
    )
    first.bus.publish(hold.SUBJECT, msgspec.json.encode(asked))
    await until(lambda: not second.growing.held)
    await store_all(first)

    assert (await shown(other, message))["text"] == "acd"
    await append(one, message, "e", 4)
    assert (await finish(one, message))["data"]["text"] == "acde"


@pytest.mark.parametrize("pair", ["none"], indirect=True)
async def test_without_a_bus(pair: Pair) -> None:
    """Without a bus a node waits until the other one has not touched the message for a while."""
    one, other = pair.worlds
    message = await begin(one)
    await append(one, message, "a", 1)
    await store_all(pair.runtimes[0])
    pair.clock.advance(hold.DEAD_MS / 1000)
    await append(other, message, "b", 2)
    await append(other, message, "c", 3, durable=True)
    pair.clock.advance(1)
    pair.clock.advance(hold.DEAD_MS / 1000)
    taken = await append(one, message, "d", 4)
    assert taken["length"] == 4
    assert (await finish(one, message))["data"]["text"] == "abcd"


async def test_ends_on_another_node(pair: Pair) -> None:
    """A message that ends on another node grows on none; what it holds of it is dropped."""
    one, other = pair.worlds
    deleted, silent = await begin(one), await begin(one)
    for message in (deleted, silent):
        await append(one, message, "a", 1, durable=True)
    await other.delete(f"/messages/{deleted['id']}", {"permanent": True}, as_="anna")
    pair.clock.advance(61)
    await end_silent(pair.runtimes[1])
    for message, code, status in (
        (deleted, "ERR_MESSAGE_ID_NOT_FOUND", 404),
        (silent, "ERR_MESSAGE_NOT_GROWING", 409),
    ):
        await one.refused(
            "POST",
            f"/messages/{message['id']}/append",
            {"text": "b", "sequence": 2},
            as_="anna",
            status=status,
            code=code,
        )
    assert not pair.runtimes[0].growing.held
