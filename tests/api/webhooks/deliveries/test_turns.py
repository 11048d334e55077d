"""Conversations, webhooks and apps take turns: who has much to be told holds up nobody else."""

import asyncio

import pytest
from tests.api.webhooks.deliveries.conftest import Teller
from tests.api.webhooks.deliveries.test_delivering import attach, say
from tests.receiver import Received, Receiver
from tests.world import Node, World

from hubbub.domain.deliveries.deliver import EACH, delivery_runs
from hubbub.domain.deliveries.prune import prune_deliveries
from hubbub.outbox.work.queue import Due, due_bounds
from hubbub.outbox.work.runs import take_turns
from hubbub.records.webhooks.queues import list_due_queues
from hubbub.storage.interface import INSTALLATION, Snapshot

DAY = 86_400
PARTITIONS = 8
"""So few calls are made at once that none takes too long, however slow the machine is."""


@pytest.mark.parametrize("passes", [True, False])
async def test_a_quiet_conversation_waits_for_one_turn(
    town: World,
    teller: Teller,
    receiver: Receiver,
    passes: bool,
) -> None:
    """A new conversation is told after one turn of those with a backlog, at any speed of time."""
    teller.most_partitions = PARTITIONS
    senders = [f"sender-{number}" for number in range(PARTITIONS)]
    await town.users(*senders)
    await attach(town, receiver.url())
    for number in range(EACH + 1):
        for sender in senders:
            await say(town, f"{number}", sender=sender)
    await teller.plan()
    teller.clock.advance(1)
    await say(town, "NEW", sender="cora")
    await teller.plan()

    def reply(_: Received) -> int:
        teller.clock.advance(0.001 if passes else 0)
        return 204

    receiver.reply = reply
    await teller.deliver()

    assert len(receiver.texts) == len(senders) * (EACH + 1) + 1
    assert receiver.texts.index("NEW") < (PARTITIONS + 1) * EACH


async def test_a_slow_conversation_holds_up_none_that_becomes_due_meanwhile(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """While one conversation's call is not answered, others are told of what happens then."""
    slow = asyncio.Event()

    def reply(call: Received) -> int:
        if call.text != "slow":
            slow.set()
        return 204

    receiver.reply, receiver.gate = reply, slow
    await attach(town, receiver.url())
    await say(town, "slow")
    await teller.plan()
    delivering = asyncio.create_task(teller.deliver())
    await receiver.called.wait()
    receiver.gate = None
    await say(town, "quick", receiver="cora")
    await teller.plan()
    await delivering

    assert receiver.texts == ["quick", "slow"]
    assert len(await town.get("/webhooks/hook/deliveries?state=delivered")) == 2


async def test_a_busy_webhook_ends_its_turn(
    own_node: Node, town: World, teller: Teller, receiver: Receiver
) -> None:
    """A webhook that always has something to be told gives its place to one that waits."""
    quiet = await own_node.world()
    await quiet.users("anna", "ben")
    await attach(town, receiver.url("/busy"))
    await attach(quiet, receiver.url("/quiet"))
    for number in range(10 * EACH + 1):
        await say(town, f"{number}")
    await teller.plan()
    runs = delivery_runs(teller.runtime, most=1, turn_seconds=0.0)
    receiver.gate = asyncio.Event()
    await runs.start_due()
    await receiver.called.wait()
    teller.clock.advance(1)
    await say(quiet, "quiet")
    await teller.plan()

    def reply(_: Received) -> int:
        teller.clock.advance(0.001)
        return 204

    receiver.reply = reply
    receiver.gate.set()
    async with asyncio.timeout(60):
        while len(receiver.texts) < 10 * EACH + 2:
            await runs.start_due()
            await asyncio.sleep(0.001)
    await runs.wait()

    paths = [call.path for call in receiver.accepted]
    assert paths.index("/quiet") < 10 * EACH


def test_apps_take_turns() -> None:
    """The next place is for an app with the fewest runs; an app's webhooks stay in their order."""
    waiting = [Due("a", 1), Due("a", 2), Due("a", 3), Due("b", 1), Due("c", 1)]

    turns = take_turns(waiting, {"c": 2})

    assert turns == [("a", 1), ("b", 1), ("a", 2), ("a", 3), ("c", 1)]


async def test_no_partition_is_left_without_a_delivery(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """A delivery that is pruned while its third attempt is under way leaves nothing that is due."""
    receiver.reply = lambda _: 500
    await attach(town, receiver.url(), retryOnFailure=True)
    await say(town, "one")
    await teller.tell()
    await teller.tell(after=10)
    teller.clock.advance(30)
    receiver.gate = asyncio.Event()
    receiver.called.clear()
    delivering = asyncio.create_task(teller.deliver())
    await receiver.called.wait()
    teller.clock.advance(14 * DAY + 10)
    await prune_deliveries(teller.runtime)
    receiver.gate.set()
    await delivering
    bounds = due_bounds(teller.clock.milliseconds() + 1000 * DAY, 0, limit=1000)

    async def list_due(snapshot: Snapshot) -> list[Due[int]]:
        return await list_due_queues(snapshot, bounds)

    due = await teller.runtime.database.read(INSTALLATION, list_due)
    assert town.app_id not in {each.app_id for each in due}
