"""The payload of the trigger about connections, and for whom it is written."""

import pytest
from tests.api.payloads.rendered import data_of
from tests.api.presence.sessions import another_node, connect, disconnect
from tests.clock import ManualClock
from tests.world import Json, Node, World

from hubbub.domain.presence.nodes import beat, sweep
from hubbub.records.presence.model import LATE_SECONDS

TRIGGER = "user_connection_status_changed"


async def attach(world: World) -> None:
    """Create a webhook that is to be told of connections."""
    hook = {"id": "hook", "name": "Hook", "webhookURL": "https://example.com/hook"}
    await world.post("/webhooks", hook)
    await world.post("/webhooks/hook/triggers", {"triggerIds": [TRIGGER]})


@pytest.fixture
async def told(world: World) -> World:
    """Anna and Ben, whose connections a webhook is told of."""
    await world.users("anna", "ben")
    await attach(world)
    return world


def shown(data: Json) -> tuple[str, str, str, bool]:
    """Return the user, the action, the status, and whether the presence changed."""
    connection = data["currentConnection"]
    uid, status = data["user"]["uid"], data["user"]["status"]
    assert status == data["status"]
    return uid, connection["action"], status, data["userPresenceChanged"]


async def test_connections(node: Node, told: World, clock: ManualClock) -> None:
    """Who connects and disconnects is told with exactly the promised fields."""
    opened_at = clock.now()
    await connect(node.runtime, told, "anna", "1")
    clock.advance(7)
    await disconnect(node.runtime, told, "anna", "1")

    opened, closed = await data_of(node, told, TRIGGER)

    user = {"uid": "anna", "name": "Anna", "role": "default", "lastActiveAt": clock.now()}
    connection = {"platform": "web", "connectedAt": opened_at * 1000}
    assert opened == {
        "timestamp": opened_at * 1000,
        "user": {**user, "status": "available"},
        "status": "available",
        "currentConnection": {"action": "connected", **connection},
        "userPresenceChanged": True,
    }
    assert closed == {
        "timestamp": clock.now() * 1000,
        "user": {**user, "status": "offline"},
        "status": "offline",
        "currentConnection": {"action": "disconnected", **connection},
        "userPresenceChanged": True,
    }


async def test_several_connections(node: Node, told: World) -> None:
    """Each connection is told of; the presence changes with the first and the last one."""
    await connect(node.runtime, told, "anna", "1", "2", "2")
    await disconnect(node.runtime, told, "anna", "1", "1", "2")

    assert [shown(data) for data in await data_of(node, told, TRIGGER)] == [
        ("anna", "connected", "available", True),
        ("anna", "connected", "available", False),
        ("anna", "disconnected", "available", False),
        ("anna", "disconnected", "offline", True),
    ]


async def test_a_failed_node_disconnects(node: Node, told: World, clock: ManualClock) -> None:
    """The sessions of a node that has failed are told of when they are closed."""
    async with another_node(node) as failing:
        await connect(failing, told, "anna", "1")
    clock.advance(LATE_SECONDS)
    await beat(node.runtime)
    await sweep(node.runtime)

    [_, closed] = await data_of(node, told, TRIGGER)
    assert shown(closed) == ("anna", "disconnected", "offline", True)


async def test_a_deactivated_user_disconnects(node: Node, told: World) -> None:
    """Deactivation ends all sessions of a user; the last one makes them offline."""
    await connect(node.runtime, told, "anna", "1", "2")
    await connect(node.runtime, told, "ben", "3")
    await told.delete("/users", {"uidsToDeactivate": ["anna"]})

    *_, first, last = await data_of(node, told, TRIGGER)
    assert shown(first) == ("anna", "disconnected", "available", False)
    assert shown(last) == ("anna", "disconnected", "offline", True)


async def count_events(node: Node, world: World) -> int:
    """Return how many events are written when Anna connects and disconnects."""
    before = len(await data_of(node, world, TRIGGER))
    await connect(node.runtime, world, "anna", "again")
    await disconnect(node.runtime, world, "anna", "again")
    return len(await data_of(node, world, TRIGGER)) - before


async def test_only_where_a_webhook_is_told(node: Node, world: World) -> None:
    """An event is written from the moment that an enabled webhook is attached, until it is not."""
    await world.users("anna")
    assert await count_events(node, world) == 0
    await attach(world)
    assert await count_events(node, world) == 2
    await world.put("/webhooks/hook", {"enabled": False})
    assert await count_events(node, world) == 0
    await world.put("/webhooks/hook", {"enabled": True})
    assert await count_events(node, world) == 2
    async with another_node(node) as other:
        assert len(await connect(other, world, "anna", "there")) == 1
        await world.delete("/webhooks/hook/triggers", {"triggerIds": [TRIGGER]})
        before = len(await data_of(node, world, TRIGGER))
        await disconnect(other, world, "anna", "there")
        assert len(await data_of(node, world, TRIGGER)) == before
    await world.delete("/webhooks/hook")
    assert await count_events(node, world) == 0
