"""What messages that grow may take of a node: rows, writes and memory, of a user and of an app."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from tests.api.growing.stream import append, begin, finish, shown
from tests.world import Node, World

from hubbub.domain.growing import hold
from hubbub.domain.growing.keep import store_due
from hubbub.records.growing import store
from hubbub.records.growing.buffer import Growth
from hubbub.records.growing.model import NoLongerHeld
from hubbub.storage.interface import Transaction


@pytest.fixture(autouse=True)
async def people(world: World) -> None:
    """Create Anna and Cora, who write, and Ben, who reads."""
    await world.users("anna", "ben", "cora")


def held(world: World, node: Node, message: Any) -> Growth:
    """Return what the node holds of a message."""
    growth = node.runtime.growing.find(world.app_id, int(message["id"]))
    assert growth is not None
    return growth


async def test_a_user_may_have_so_many(world: World) -> None:
    """A user begins no more than `limits.growingPerUser`; one that ends makes room, others may."""
    await world.put("/settings", {"settings": {"limits.growingPerUser": 2}})
    first, _ = await begin(world), await begin(world)
    body = {"receiver": "ben", "receiverType": "user", "growing": True}
    details = await world.refused(
        "POST", "/messages", body, as_="anna", status=400, code="ERR_LIMIT_EXCEEDED"
    )
    assert details == {"growing": ["The limit is 2 growing messages per user."]}

    await begin(world, sender="cora")
    await finish(world, first)
    await begin(world)
    await world.refused(
        "POST", "/messages", body, as_="anna", status=400, code="ERR_LIMIT_EXCEEDED"
    )


async def test_drafts_of_a_batch_count(world: World) -> None:
    """Messages that begin at the same time do not pass the limit together."""
    await world.put("/settings", {"settings": {"limits.growingPerUser": 3}})
    body = {"receiver": "ben", "receiverType": "user", "growing": True}
    answers = await asyncio.gather(
        *(world.ask("POST", "/messages", body, as_="anna") for _ in range(8))
    )

    assert sorted(each.status for each in answers) == [200] * 3 + [400] * 5


async def test_a_bot_has_no_such_limit(world: World) -> None:
    """A bot streams to as many people as ask it."""
    await world.put("/settings", {"settings": {"limits.growingPerUser": 0}})
    await world.post("/bots", {"uid": "oracle", "name": "Oracle"})
    body = {"receiver": "ben", "receiverType": "user", "growing": True}

    for _ in range(2):
        sent = await world.post("/bots/oracle/messages", body)
        assert sent["data"]["growing"] == {"sequence": 0}


async def test_empty_appends_are_stored_seldom(
    world: World, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty append costs no write until an eighth of the silence, and never one of the text."""
    await world.put("/settings", {"settings": {"limits.growingSilence": 80}})
    written: list[object] = []
    store_texts = store.store_texts

    async def note_texts(tx: Transaction, rows: Sequence[object]) -> None:
        written.extend(rows)
        await store_texts(tx, rows)

    monkeypatch.setattr(store, "store_texts", note_texts)
    message = await begin(world, "a")
    await append(world, message, "b", 1, durable=True)
    await append(world, message, "", 2)
    growth = held(world, node, message)
    assert len(written) == 1

    node.clock.advance(1.9)
    await store_due(node.runtime)
    assert growth.storing is None
    node.clock.advance(10)
    await store_due(node.runtime)
    assert growth.storing is not None
    await growth.storing
    assert growth.stored == 2
    await append(world, message, "", 3, durable=True)
    assert len(written) == 1
    assert await shown(world, message) == {"text": "ab", "growing": {"sequence": 3}}


async def test_memory_of_a_user(world: World, node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user takes a part of an app's memory; beyond it they are told 503, and nobody else is."""
    monkeypatch.setattr(hold, "MOST_BYTES_OF_USER", 5_000)
    message, other = await begin(world), await begin(world, sender="cora")
    await append(world, message, "x" * 5_000, 1)
    path = f"/messages/{message['id']}/append"
    await world.refused(
        "POST",
        path,
        {"text": "y", "sequence": 2},
        as_="anna",
        status=503,
        code="ERR_OPERATION_FAILED",
    )
    await append(world, other, "y", 1, sender="cora")

    await finish(world, message)
    again = await begin(world)
    await append(world, again, "y", 1)
    assert held(world, node, again).size == 1


async def test_a_dropped_message_takes_nothing(world: World, node: Node) -> None:
    """An append to a message that was dropped meanwhile is refused, and takes no memory."""
    message = await begin(world)
    await append(world, message, "a", 1)
    growth, growing = held(world, node, message), node.runtime.growing
    growing.drop(growth)

    with pytest.raises(NoLongerHeld):
        growing.append(growth, "b", 2)
    assert world.app_id not in growing.sizes
    assert (world.app_id, "anna") not in growing.sizes_of_users
    assert world.app_id not in growing.unstored
