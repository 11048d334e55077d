"""An event that can't be processed is set aside, and the operator sees why; consumers go on."""

from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.api.messages.talk import texts
from tests.clock import ManualClock
from tests.world import Node, World

from hubbub.background import BACKGROUND
from hubbub.domain.log.set_aside import prune_set_aside
from hubbub.storage.queries import Query

HOOK = "/webhooks/server"
SPOIL = Query("spoil", "UPDATE events SET body = '{}' WHERE app_id = :app_id AND number = :number")
FIND_NEWEST = Query("newest", "SELECT event FROM counters WHERE app_id = :app_id")
LIST_BUNDLES = Query("bundles", "SELECT content FROM notice_bundles WHERE app_id = :app_id")
ROUNDS = 4
"""After so many runs of the background work an event that fails is set aside."""
EVERY = {"metrics", "notifications", "search", "webhooks"}


@pytest.fixture(scope="module")
def node(lone_node: Node) -> Node:
    """Return a node without the apps of other tests."""
    return lone_node


@pytest.fixture
async def talk(world: World) -> World:
    """Anna and Ben, and what follows from their messages: webhooks, pushes, search, metrics."""
    await world.users("anna", "ben")
    hook = {"id": "server", "name": "Server", "webhookURL": "https://hooks.example.com/chat"}
    await world.post("/webhooks", hook)
    await world.post(f"{HOOK}/triggers", {"triggerIds": ["message_sent"]})
    provider = {
        "isEnabled": True,
        "webhookURL": "https://hooks.example.com/push",
        "useBasicAuth": False,
        "basicAuthUsername": "",
        "basicAuthPassword": "",
    }
    await world.post("/notifications/push/v1/providers/custom", provider)
    return world


async def say(world: World, text: str) -> None:
    """Send a text from Anna to Ben."""
    to = {"receiver": "ben", "receiverType": "user", "category": "message", "type": "text"}
    await world.post("/messages", {**to, "data": {"text": text}}, as_="anna")


async def spoil_newest(node: Node, world: World) -> None:
    """Make the newest event one that nothing can read, and have all of it read from the log."""
    database = node.runtime.database
    row = await database.read(world.app_id, lambda snapshot: snapshot.fetch_one(FIND_NEWEST))
    assert row is not None
    await database.write(world.app_id, lambda tx: tx.run(SPOIL, number=row[0]))
    # As after a start: what the node remembers, up to the newest event, is forgotten.
    node.runtime.recent_events.next_batch(world.app_id, row[0], (), limit=1)


async def work(node: Node, world: World) -> list[str]:
    """Run the background work often enough; return the names of what was logged of the app."""
    with capture_logs() as logged:
        for _ in range(ROUNDS):
            for each in BACKGROUND:
                await each(node.runtime)
    return [line["event"] for line in logged if line.get("app") == world.app_id]


async def planned(node: Node, world: World) -> str:
    """Return the pushes that wait."""
    rows = await node.runtime.database.read(
        world.app_id, lambda snapshot: snapshot.fetch(LIST_BUNDLES)
    )
    return " ".join(row[0] for row in rows)


async def test_a_poison_event_stops_no_consumer(node: Node, talk: World) -> None:
    """Webhooks, notifications, search and metrics go on with the events after it."""
    for text in ("first", "poison", "later"):
        await say(talk, text)
        if text == "poison":
            await spoil_newest(node, talk)
    assert (await work(node, talk)).count("event_set_aside") == len(EVERY)
    await say(talk, "last")
    await work(node, talk)

    found = await talk.get("/events/set-aside")
    assert {each["consumer"] for each in found} == EVERY
    assert len(found) == len(EVERY)
    assert talk.answer.json["meta"]["pagination"]["total"] == len(EVERY)
    [event] = {(each["id"], each["event"], each["setAsideAt"]) for each in found}
    assert event[1:] == ("message_sent", node.clock.now())
    assert all("ValidationError in hubbub/" in each["reason"] for each in found)
    assert len(await talk.get(f"{HOOK}/deliveries")) == 3
    assert await texts(talk, "/messages?category=message&searchKey=last", as_="anna") == ["last"]
    pushes = await planned(node, talk)
    assert '"message_id":1,' in pushes
    assert '"message_id":4,' in pushes
    assert (await sent(talk)) == 3


async def sent(world: World) -> int:
    """Return how many messages were counted in the last hour."""
    points: list[dict[str, Any]] = (await world.get("/stats/messages"))["dataPoints"]
    return sum(point["messagesSent"] for point in points)


async def test_only_the_app_sees_them(node: Node, talk: World) -> None:
    """An app sees its own events only, and each once."""
    other = await node.world()
    await say(talk, "poison")
    await spoil_newest(node, talk)
    await work(node, talk)

    assert await other.get("/events/set-aside") == []
    first = await talk.get("/events/set-aside?perPage=3")
    second = await talk.get("/events/set-aside?perPage=3&page=2")
    assert sorted(each["consumer"] for each in first + second) == sorted(EVERY)


async def test_they_are_kept_for_two_weeks(node: Node, talk: World, clock: ManualClock) -> None:
    """Events that were set aside are listed for 14 days."""
    await say(talk, "poison")
    await spoil_newest(node, talk)
    await work(node, talk)
    clock.advance(14 * 86_400)
    await prune_set_aside(node.runtime)
    assert len(await talk.get("/events/set-aside")) == len(EVERY)
    clock.advance(1)
    await prune_set_aside(node.runtime)

    assert await talk.get("/events/set-aside") == []
