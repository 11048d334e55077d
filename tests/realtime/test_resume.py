"""A client that comes back gets what it has missed, in order, once, and then what is new."""

import asyncio
from contextlib import AsyncExitStack

import pytest
from tests.clock import ManualClock
from tests.realtime.chat import Client, Hall, hall_of
from tests.realtime.test_delivery import say
from tests.soon import until
from tests.world import Node, World

from hubbub.domain.erasure.erase import erase_all
from hubbub.outbox.heads import Position
from hubbub.realtime.protocol.limits import SessionLimits
from hubbub.realtime.sessions.join import Joining


async def texts(client: Client) -> list[str]:
    """Return the texts of the messages that were told until now, which must be all events."""
    frames = await client.until_pong()
    assert {frame["event"] for frame in frames} <= {"message_sent"}
    return [frame["data"]["message"]["data"]["text"] for frame in frames]


async def test_missed_events_come_first(hall: Hall, world: World) -> None:
    """`since` brings what was missed, with the same ids, and not what was there before."""
    async with hall.client("ben") as ben, hall.client("ben") as other:
        await say(world, "before")
        seen = await ben.event("message_sent")
        await other.event("message_sent")
        await ben.socket.close()
        for number in range(5):
            await say(world, f"{number}")
        missed = [await other.event("message_sent") for _ in range(5)]
        async with hall.client("ben", since=seen["cursor"]) as again:
            assert again.connected is not None
            assert again.connected["resumed"] is True
            assert again.connected["cursor"] == seen["cursor"]
            assert [await again.event("message_sent") for _ in range(5)] == missed
            await say(world, "new")
            assert (await again.event("message_sent"))["id"] == (await other.event("message_sent"))[
                "id"
            ]


async def test_many_return_at_once(
    node: Node, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However few may read from the store at a time, all connect; one that waits holds up none."""
    limits = SessionLimits(arriving_at_once=1)
    await world.users("anna", "ben")
    waited = asyncio.Event()
    follow = Joining.follow

    async def follow_later(joining: Joining, since: Position | None, most: int) -> None:
        """Have Anna's session wait for its feed until the others are there."""
        if joining.listener.uid == "anna":
            await waited.wait()
        await follow(joining, since, most)

    monkeypatch.setattr(Joining, "follow", follow_later)
    async with hall_of(world, node.runtime, limits) as hall, AsyncExitStack() as stack:
        first = asyncio.create_task(stack.enter_async_context(hall.client("anna")))
        await until(lambda: hall.gateway.sessions)
        await asyncio.gather(*(stack.enter_async_context(hall.client("ben")) for _ in range(40)))
        assert not first.done()
        waited.set()
        await first


async def test_nothing_missed(hall: Hall) -> None:
    """The cursor of a session at the end of the log is resumed without events."""
    async with hall.client("ben") as ben:
        assert ben.connected is not None
        assert ben.connected["resumed"] is False
        async with hall.client("ben", since=ben.connected["cursor"]) as again:
            assert again.connected is not None
            assert again.connected["resumed"] is True
            assert await again.until_pong() == []


async def test_removal_comes_through(hall: Hall, world: World) -> None:
    """Who was removed meanwhile is told what came before, and the removal, and no more."""
    group = {"guid": "team", "name": "Team", "type": "public", "owner": "anna"}
    await world.post("/groups", group)
    await world.post("/groups/team/members", {"participants": ["ben"]})
    fields = {"receiver": "team", "receiverType": "group", "category": "message", "type": "text"}
    async with hall.client("ben") as ben:
        cursor = ben.connected["cursor"] if ben.connected else ""
    await world.post("/messages", {**fields, "data": {"text": "one"}}, as_="anna")
    await world.delete("/groups/team/members/ben")
    await world.post("/messages", {**fields, "data": {"text": "two"}}, as_="anna")
    async with hall.client("ben", since=cursor) as ben:
        frames = await ben.until_pong()

    assert [frame["event"] for frame in frames] == ["message_sent", "group_member_kicked"]


@pytest.mark.parametrize("since", ["1-0", "999999999999-5", "{epoch}-99999"])
async def test_unknown_cursors(hall: Hall, since: str) -> None:
    """A cursor of another epoch, or beyond the log, is not resumed: the client loads anew."""
    async with hall.client("ben") as ben:
        assert ben.connected is not None
        epoch = ben.connected["cursor"].partition("-")[0]
    async with hall.client("ben", since=since.format(epoch=epoch)) as ben:
        assert ben.connected is not None
        assert ben.connected["resumed"] is False
        assert await ben.until_pong() == []


async def test_too_much_was_missed(node: Node, world: World) -> None:
    """Over the limits of own events, or of the log, nothing is resumed."""
    await world.users("anna", "ben", "cora")
    async with hall_of(world, node.runtime, SessionLimits(most_missed=3, most_kept=8)) as hall:
        async with hall.client("ben") as ben:
            start = ben.connected["cursor"] if ben.connected else ""
        for number in range(3):
            await say(world, f"{number}")
        async with hall.client("ben", since=start) as ben:
            assert await texts(ben) == ["0", "1", "2"]
        await say(world, "3")
        async with hall.client("ben", since=start) as ben:
            assert await texts(ben) == [], "over the own events"
        for number in range(5):
            await say(world, f"{number}", receiver="cora")
        async with hall.client("cora", since=start) as cora:
            assert await texts(cora) == [], "over the log"


async def test_what_was_missed_before_the_node_started(node: Node, world: World) -> None:
    """A new node reads the log for what it did not see itself."""
    await world.users("anna", "ben", "cora")
    async with hall_of(world, node.runtime) as hall, hall.client("ben") as ben:
        start = ben.connected["cursor"] if ben.connected else ""
    for number in range(450):
        await say(world, f"{number}")
    async with hall_of(world, node.runtime) as hall, hall.client("ben", since=start) as ben:
        assert await texts(ben) == [f"{number}" for number in range(450)]


async def test_erased_content_is_not_replayed(hall: Hall, world: World, clock: ManualClock) -> None:
    """Shows that what was deleted for good meanwhile is told as deleted, without its content."""
    async with hall.client("ben") as ben:
        cursor = ben.connected["cursor"] if ben.connected else ""
    sent = await say(world, "secret")
    await world.delete(f"/messages/{sent['id']}", {"permanent": True})
    async with hall.client("ben", since=cursor) as ben:
        frames = await ben.until_pong()

    assert [frame["event"] for frame in frames] == ["message_deleted"]
    assert "secret" not in str(frames)


async def test_a_group_that_is_gone(hall: Hall, world: World, node: Node) -> None:
    """Who was away learns that their group was deleted, also when its rows are erased."""
    await world.post("/groups", {"guid": "team", "name": "Team", "type": "public", "owner": "anna"})
    await world.post("/groups/team/members", {"participants": ["ben"]})
    async with hall.client("ben") as ben:
        cursor = ben.connected["cursor"] if ben.connected else ""
    await world.delete("/groups/team")
    await erase_all(node.runtime)
    async with hall.client("ben", since=cursor) as ben:
        assert [frame["event"] for frame in await ben.until_pong()] == ["group_deleted"]


async def test_the_next_holder_of_a_uid(hall: Hall, world: World) -> None:
    """A new user with the uid of a deleted one is not told what that one was told."""
    await world.post("/groups", {"guid": "team", "name": "Team", "type": "public", "owner": "anna"})
    await world.post("/groups/team/members", {"participants": ["ben"]})
    async with hall.client("ben") as ben:
        cursor = ben.connected["cursor"] if ben.connected else ""
    body = {"receiver": "team", "receiverType": "group", "category": "message", "type": "text"}
    await world.post("/messages", {**body, "data": {"text": "Between us"}}, as_="anna")
    await world.delete("/users/ben", {"permanent": True})
    await world.user("ben")
    async with hall.client("ben", since=cursor) as ben:
        assert ben.connected is not None
        assert ben.connected["resumed"] is False
        assert await ben.until_pong() == []
    async with hall.client("ben", since=ben.connected["cursor"]) as ben:
        assert ben.connected is not None
        assert ben.connected["resumed"] is True
