"""What sends show of their sender and receiver, and what connections leave in memory for them."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.api.messages.talk import to_user
from tests.api.presence.sessions import another_node, connect, disconnect
from tests.wire import InProcess
from tests.world import Json, Node, World

from hubbub.http.app import make_app
from hubbub.outbox import lock_counters
from hubbub.rest.operations import OPERATIONS
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

TO_BEN = to_user("ben")


@pytest.fixture
async def other(node: Node) -> AsyncIterator[Runtime]:
    """Another node of the same store."""
    async with another_node(node) as runtime:
        yield runtime


@pytest.fixture
async def pair(world: World) -> World:
    """Anna and Ben."""
    await world.users("anna", "ben")
    return world


async def statuses(world: World) -> tuple[str, str]:
    """Send from Anna to Ben; return the status of each in the answer."""
    sent: Json = await world.post("/messages", TO_BEN, as_="anna")
    entities = sent["data"]["entities"]
    return entities["sender"]["entity"]["status"], entities["receiver"]["entity"]["status"]


async def test_sends_show_who_is_online(node: Node, pair: World, other: Runtime) -> None:
    """A send shows both users as they are now, whichever node they are connected to."""
    elsewhere = World(InProcess(make_app(other, OPERATIONS)), pair.app_id, pair.key, pair.auth_key)
    for each in (pair, elsewhere):
        assert await statuses(each) == ("offline", "offline")
    await connect(node.runtime, pair, "anna", "1")
    for each in (pair, elsewhere):
        assert await statuses(each) == ("available", "offline")
    await connect(other, pair, "ben", "2")
    for each in (pair, elsewhere):
        assert await statuses(each) == ("available", "available")
    await disconnect(node.runtime, pair, "anna", "1")
    for each in (elsewhere, pair):
        assert await statuses(each) == ("offline", "available")
    await pair.delete("/users", {"uidsToDeactivate": ["ben"]})
    await pair.put("/users", {"uidsToActivate": ["ben"]})
    for each in (elsewhere, pair):
        assert await statuses(each) == ("offline", "offline")


async def test_connections_drop_nothing_that_sends_need(
    node: Node, pair: World, other: Runtime
) -> None:
    """While people connect, here or on another node, a node still knows whom it has looked up."""
    await statuses(pair)

    async def known(tx: Transaction) -> set[Any]:
        await lock_counters(tx)
        assert tx.record_cache is not None
        records = tx.record_cache.records
        kinds = [kind for kind in records if not (kind.is_volatile or kind.is_presence)]
        return {key for kind in kinds for key in records[kind]}

    before = await node.runtime.database.write(pair.app_id, known)
    assert before >= {"anna", "ben"}
    for runtime in (node.runtime, other):
        await connect(runtime, pair, "anna", "1")
        await connect(runtime, pair, "ben", "2")
        await disconnect(runtime, pair, "anna", "1")

    assert await node.runtime.database.write(pair.app_id, known) >= before


async def test_sends_drop_no_presence(node: Node, pair: World, other: Runtime) -> None:
    """A node knows who is online while another one only sends, until somebody connects there."""
    elsewhere = World(InProcess(make_app(other, OPERATIONS)), pair.app_id, pair.key, pair.auth_key)

    async def known(tx: Transaction) -> set[Any]:
        await lock_counters(tx)
        assert tx.record_cache is not None
        kinds = [kind for kind in tx.record_cache.records if kind.is_presence]
        return {key for kind in kinds for key in tx.record_cache.records[kind]}

    await statuses(pair)
    await statuses(elsewhere)
    await statuses(pair)
    await statuses(elsewhere)
    assert await node.runtime.database.write(pair.app_id, known) == {"anna", "ben"}

    await connect(other, pair, "anna", "1")

    assert await node.runtime.database.write(pair.app_id, known) == set()
    assert await statuses(pair) == ("available", "offline")
