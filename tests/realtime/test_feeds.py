"""The feed of an app begins with its first session, and ends without leaving one behind."""

from asyncio import gather

from tests.clock import ManualClock
from tests.monitoring.scrape import scrape
from tests.realtime.chat import Hall, hall_of, narrow_socket
from tests.realtime.test_delivery import say
from tests.world import Node, World

from hubbub.outbox.heads import Position
from hubbub.realtime.feeds.feeds import IDLE_SECONDS
from hubbub.realtime.protocol.limits import SessionLimits
from hubbub.storage.interface import Transaction
from hubbub.storage.queries import Query

BEGIN_EPOCH = Query(
    "begin_epoch",
    "UPDATE counters SET epoch = epoch + 1, version = version + 1, changed = version + 1"
    " WHERE app_id = :app_id",
)


async def test_the_end_of_a_conversation(hall: Hall, world: World) -> None:
    """Both users are told that their conversation was deleted, on a node that never saw it."""
    await say(world, "Hello")
    async with hall.client("anna") as anna, hall.client("ben") as ben, hall.client("cora") as cora:
        await world.delete("/conversations/anna_user_ben", as_="anna")
        for client in (anna, ben):
            await client.event("conversation_deleted")
        await hall.settle()
        assert await cora.until_pong() == []


async def test_feeds_without_sessions(hall: Hall, world: World, clock: ManualClock) -> None:
    """A feed is dropped some time after its last session, and opened again for the next."""
    async with hall.client("ben") as ben:
        feed = await hall.gateway.feeds.find(world.app_id)
        cursor = ben.connected["cursor"] if ben.connected else ""
        clock.advance(int(IDLE_SECONDS) - 15)
        await (await ben.socket.ping())
        clock.advance(30)
        await hall.gateway.look()
        assert not feed.is_closed
    await say(world, "Hello")
    clock.advance(int(IDLE_SECONDS) + 1)
    await hall.gateway.look()
    assert feed.is_closed
    async with hall.client("ben", since=cursor) as ben:
        await ben.event("message_sent")
        assert await hall.gateway.feeds.find(world.app_id) is not feed
        await say(world, "Hello again")
        await ben.event("message_sent")


async def test_another_epoch(hall: Hall, node: Node, world: World) -> None:
    """When the store was replaced, sessions end, and clients begin anew on the same node."""

    async def within(tx: Transaction) -> None:
        await tx.run(BEGIN_EPOCH)

    async with hall.client("ben") as ben:
        cursor = ben.connected["cursor"] if ben.connected else ""
        await node.runtime.database.write(world.app_id, within)
        await say(world, "Hello")
        assert await ben.close_code() == 1012
    async with hall.client("ben", since=cursor) as ben:
        assert ben.connected is not None
        assert ben.connected["resumed"] is False
        assert ben.connected["cursor"] > cursor
        await say(world, "Hello again")
        await ben.event("message_sent")


async def test_slow_readers_of_missed_events(node: Node, world: World) -> None:
    """Who reads what they missed so slowly that later events are dropped is cut, without a gap."""
    await world.users("anna", "ben", "cora")
    async with hall_of(world, node.runtime, SessionLimits(most_kept=900)) as hall:
        async with hall.client("ben") as ben:
            cursor = ben.connected["cursor"] if ben.connected else ""
        await gather(*(say(world, f"{number} " + "x" * 9_000) for number in range(850)))
        async with hall.open(sock=narrow_socket(hall.port), max_queue=1) as slow:
            token = await world.token("ben")
            await slow.say(op="connect", authToken=token, since=cursor)
            assert (await slow.hear())["resumed"] is True
            await gather(*(say(world, "Hi", receiver="cora") for _ in range(901)))
            await say(world, "the end")
            await hall.settle()
            texts = []
            while (frame := await slow.next_event()) is not None:
                texts.append(frame["data"]["message"]["data"]["text"].split(" ")[0])

    assert len(set(texts)) == len(texts)
    assert "the" not in texts
    assert slow.socket.close_code == 4409


async def test_the_lag_of_sockets_is_measured(hall: Hall, node: Node, world: World) -> None:
    """Events that are known of and not told yet are the lag; once they are told there is none."""
    async with hall.client("ben") as ben:
        feed = await hall.gateway.feeds.find(world.app_id)
        await hall.gateway.present.settle()  # that Ben is there is an event, too
        await hall.settle()
        at_end = await scrape(node.sender)
        feed.notice(Position(feed.position.epoch, feed.position.number + 1))
        behind = await scrape(node.sender)
        await say(world, "Hello")
        await ben.event("message_sent")
        await hall.settle()
        told = await scrape(node.sender)

    found = [each.value("hubbub_socket_lag_events") for each in (at_end, behind, told)]
    assert found == [0, 1, 0]
    assert behind.value("hubbub_socket_lag_seconds") > 0
    assert told.value("hubbub_socket_lag_seconds") == 0
