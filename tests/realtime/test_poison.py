"""An event that can't be told is left out alone: sockets, resumes and the change feed go on."""

import pytest
from structlog.testing import capture_logs
from tests.api.events.test_set_aside import spoil_newest
from tests.monitoring.scrape import scrape
from tests.realtime.chat import Hall, hall_of
from tests.realtime.test_delivery import say
from tests.realtime.test_resume import texts
from tests.world import Node, World

from hubbub.domain.log.consumers import CHANGE_FEED, SOCKETS
from hubbub.outbox.positions import find_head
from hubbub.storage.interface import Transaction
from hubbub.storage.queries import Query

SPOIL_MESSAGE = Query(
    "spoil_message", "UPDATE messages SET tags = 'x' WHERE app_id = :app_id AND id = :id"
)
SPOIL_ROW = Query(
    "spoil_row", "UPDATE events SET body = '[{}, {' WHERE app_id = :app_id AND number = :number"
)
LIMIT = 50


async def spoil_message(node: Node, world: World, id_: str) -> None:
    """Make a stored message one that nothing can render."""

    async def within(tx: Transaction) -> None:
        await tx.run(SPOIL_MESSAGE, id=int(id_))

    await node.runtime.database.write(world.app_id, within)


async def set_aside(world: World) -> list[tuple[str, str]]:
    """Return who has left out which event."""
    rows = await world.get("/events/set-aside")
    return [(each["consumer"], each["event"]) for each in rows]


async def left_out(node: Node, reader: str) -> float:
    """Return how many events this node counts that a reader of the log has left out."""
    scraped = await scrape(node.sender)
    return scraped.value("hubbub_events_set_aside_total", consumer=reader)


async def test_sockets_go_on(node: Node, world: World) -> None:
    """A socket that missed an event which can't be decoded is told all others, whoever returns."""
    await world.users("anna", "ben", "cora")
    async with hall_of(world, node.runtime) as hall, hall.client("ben") as ben:
        start = ben.connected["cursor"] if ben.connected else ""
    before = await left_out(node, SOCKETS)
    for text in ("first", "poison", "later"):
        await say(world, text)
        if text == "poison":
            await spoil_newest(node, world)
    with capture_logs() as logged:
        for _ in range(2):  # as on two nodes
            async with hall_of(world, node.runtime) as hall:
                for _ in range(2):
                    async with hall.client("ben", since=start) as ben:
                        assert await texts(ben) == ["first", "later"]
                        await say(world, "new", receiver="cora")

    assert await set_aside(world) == [(SOCKETS, "message_sent")]
    [line] = [each for each in logged if each["event"] == "event_set_aside"]
    assert "ValidationError in hubbub/" in line["reason"]
    assert await left_out(node, SOCKETS) == before + 1


async def test_a_live_socket_goes_on(hall: Hall, node: Node, world: World) -> None:
    """A socket stays open when another node's event can't be decoded, and hears what follows."""
    async with hall.client("ben") as ben:
        feed = await hall.gateway.feeds.find(world.app_id)
        feed.note = lambda announced: None  # type: ignore[method-assign]  # as if another node wrote
        await say(world, "poison")
        await spoil_newest(node, world)
        await say(world, "later")
        await hall.settle()

        assert await texts(ben) == ["later"]
        assert not feed.is_closed


async def test_a_message_that_can_not_be_rendered(hall: Hall, node: Node, world: World) -> None:
    """An event whose payload can't be rendered is left out of a resume, and noted once."""
    async with hall.client("ben") as ben:
        start = ben.connected["cursor"] if ben.connected else ""
    sent = [await say(world, text) for text in ("first", "poison", "later")]
    await spoil_message(node, world, sent[1]["id"])
    for _ in range(2):
        async with hall.client("ben", since=start) as ben:
            assert await texts(ben) == ["first", "later"]

    assert await set_aside(world) == [(SOCKETS, "message_sent")]


async def test_the_change_feed_goes_on(node: Node, world: World) -> None:
    """`GET /events` leaves out exactly the events that can't be decoded or rendered."""
    await world.users("anna", "ben")
    start = (await world.ask("GET", "/events")).meta["cursor"]
    before = await left_out(node, CHANGE_FEED)
    sent = []
    for text in ("first", "poison", "between", "unreadable", "last"):
        sent.append(await say(world, text))
        if text == "poison":
            await spoil_newest(node, world)
    await spoil_message(node, world, sent[3]["id"])
    for limit in (1, 2, LIMIT):
        assert await follow(world, start, limit) == ["first", "between", "last"]

    assert await set_aside(world) == [(CHANGE_FEED, "message_sent")] * 2
    assert await left_out(node, CHANGE_FEED) == before + 2


async def test_a_row_that_can_not_be_taken_apart(node: Node, world: World) -> None:
    """A row of the log that is no JSON at all is passed over, also right after a cursor."""
    await world.users("anna", "ben")
    await say(world, "first")
    start = (await world.ask("GET", "/events")).meta["cursor"]
    await say(world, "poison")
    number = int((await world.ask("GET", "/events")).meta["cursor"].partition("-")[2])

    async def within(tx: Transaction) -> None:
        await tx.run(SPOIL_ROW, number=number)

    await node.runtime.database.write(world.app_id, within)
    await say(world, "last")

    assert await follow(world, start, LIMIT) == ["last"]


async def follow(world: World, since: str, limit: int) -> list[str]:
    """Return the texts of the messages that the change feed has, page by page."""
    found: list[str] = []
    for _ in range(LIMIT):
        answer = await world.ask("GET", f"/events?since={since}&limit={limit}")
        assert answer.status == 200, answer
        found += [each["data"]["message"]["data"]["text"] for each in answer.data]
        if answer.meta["cursor"] == since:
            break
        since = answer.meta["cursor"]
    return found


@pytest.mark.parametrize("wait", ["0", "1"])
async def test_a_poll_that_meets_poison_alone(node: Node, world: World, wait: str) -> None:
    """If nothing but poison is new, a poll answers no events, and its cursor goes on."""
    await world.users("anna", "ben")
    start = (await world.ask("GET", "/events")).meta["cursor"]
    await say(world, "poison")
    await spoil_newest(node, world)
    answer = await world.ask("GET", f"/events?since={start}&wait={wait}")

    assert answer.status == 200, answer
    assert answer.data == []
    assert answer.meta["cursor"] != start


async def test_a_removal_that_can_not_be_read(hall: Hall, node: Node, world: World) -> None:
    """If a lost event may say who is told what, all sockets come back, with what is true then."""
    await world.post("/groups", {"guid": "team", "name": "Team", "type": "public", "owner": "anna"})
    await world.post("/groups/team/members", {"participants": ["ben"]})
    async with hall.client("ben") as ben:
        start = ben.connected["cursor"] if ben.connected else ""
        await hall.gateway.present.settle()  # that Ben is there is an event, too
        feed = await hall.gateway.feeds.find(world.app_id)
        feed.note = lambda announced: None  # type: ignore[method-assign]  # as if another node wrote
        await world.delete("/groups/team/members/ben")
        await spoil_newest(node, world)
        await feed.reach(await node.runtime.database.read(world.app_id, find_head))
        assert await ben.close_code() == 1012
    async with hall.client("ben", since=start) as ben:
        to = {"receiver": "team", "receiverType": "group", "category": "message", "type": "text"}
        await world.post("/messages", {**to, "data": {"text": "without Ben"}}, as_="anna")
        await hall.settle()

        assert await texts(ben) == []
