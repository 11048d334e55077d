"""Webhooks that are changed, planned for and replayed at the same time."""

import asyncio
import random
from typing import Any

from tests.api.messages.talk import say, to_user
from tests.api.webhooks.doors import URL, Door, doors_of
from tests.clock import FAR_AHEAD
from tests.world import Node, World

from hubbub.domain.deliveries.plan import plan_consumer
from hubbub.records.webhooks.model import PLANNING
from hubbub.rest.payloads.render import render_payloads
from hubbub.storage.interface import Row, Snapshot
from hubbub.storage.queries import Query

ROUNDS, AT_ONCE = 12, 10
TRIGGER = {"triggerIds": ["message_sent"]}
REPLAY = {"fromTimestamp": 0, "toTimestamp": FAR_AHEAD}
CALLS: list[tuple[str, str, Any]] = [
    ("POST", "/webhooks", {"id": "one", "name": "W", "webhookURL": URL}),
    ("POST", "/webhooks", {"id": "two", "name": "W", "webhookURL": URL}),
    ("DELETE", "/webhooks/{id}", None),
    ("PUT", "/webhooks/{id}", {"enabled": True}),
    ("PUT", "/webhooks/{id}", {"enabled": False}),
    ("POST", "/webhooks/{id}/triggers", TRIGGER),
    ("POST", "/webhooks/{id}/triggers", TRIGGER),
    ("DELETE", "/webhooks/{id}/triggers", TRIGGER),
    ("POST", "/webhooks/{id}/secret/rotate", None),
    ("POST", "/webhooks/{id}/replay", REPLAY),
    ("POST", "/webhooks/{id}/test", None),
]
WITHOUT_PARTITION = Query(
    "without_partition",
    "SELECT d.webhook, d.event FROM webhook_deliveries d"
    " JOIN webhook_queues q ON q.app_id = d.app_id AND q.webhook = d.webhook"
    " WHERE d.app_id = :app_id AND d.state = 'pending' AND NOT EXISTS ("
    "SELECT 1 FROM webhook_lanes l"
    " WHERE l.app_id = d.app_id AND l.webhook = d.webhook AND l.lane = d.lane)",
)
ASLEEP = Query(
    "asleep",
    "SELECT q.webhook FROM webhook_queues q JOIN webhook_lanes l"
    " ON l.app_id = q.app_id AND l.webhook = q.webhook"
    " WHERE q.app_id = :app_id AND NOT q.is_stopped AND q.due_at > l.due_at",
)
STOPPED = Query(
    "stopped",
    "SELECT w.number FROM webhooks w JOIN webhook_queues q"
    " ON q.app_id = w.app_id AND q.webhook = w.number"
    " WHERE w.app_id = :app_id AND w.is_enabled = q.is_stopped",
)
COUNTS = Query(
    "counts",
    "SELECT (SELECT count(*) FROM webhooks WHERE app_id = :app_id),"
    " (SELECT count(*) FROM webhook_queues WHERE app_id = :app_id),"
    " (SELECT count(*) FROM consumer_positions"
    f" WHERE app_id = :app_id AND consumer = '{PLANNING}')",
)


async def test_many_things_at_once(node: Node, world: World) -> None:
    """Whatever happens at once, nothing fails, and the queues fit the webhooks and deliveries."""
    await world.users("anna", "ben")
    draw = random.Random(7)
    doors = list(doors_of(node, world).values())
    for _ in range(ROUNDS):
        calls = [
            attempt(draw.choice(doors), *draw.choice(CALLS), draw.choice(("one", "two")))
            for _ in range(AT_ONCE)
        ]
        sends = [say(world, "anna", to_user("ben")) for _ in range(2)]
        plans = [plan_consumer(node.runtime, render_payloads).consume_all() for _ in range(2)]
        await asyncio.gather(*calls, *sends, *plans)

        await check(node, world)


async def attempt(door: Door, method: str, path: str, body: Any, webhook_id: str) -> None:
    """Make a call, which is done or refused for what it is about."""
    answer = await door.ask(method, path.format(id=webhook_id), body)
    assert answer.status in {200, 400, 404, 409}, answer


async def check(node: Node, world: World) -> None:
    """Check that no delivery is forgotten, and nothing is kept of deleted webhooks."""

    async def read(snapshot: Snapshot) -> tuple[list[list[Row]], Row]:
        faults = [await snapshot.fetch(each) for each in (WITHOUT_PARTITION, ASLEEP, STOPPED)]
        (counts,) = await snapshot.fetch(COUNTS)
        return faults, counts

    faults, (webhooks, queues, positions) = await node.runtime.database.read(world.app_id, read)
    assert faults == [[], [], []]
    assert webhooks == queues
    assert positions == (webhooks > 0)
