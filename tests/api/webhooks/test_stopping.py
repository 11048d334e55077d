"""Webhooks that are sent nothing: disabled by their app, or paused because every attempt failed."""

from dataclasses import replace

import pytest
from msgspec import structs
from tests.api.messages.talk import say, to_user
from tests.api.webhooks.doors import Door
from tests.api.webhooks.past_deliveries import Made, Shelf
from tests.clock import ManualClock
from tests.world import Node, World

from hubbub.domain.deliveries.plan import plan_consumer
from hubbub.kernel.clock import NEVER
from hubbub.outbox import lock_counters
from hubbub.records.webhooks import queues, store
from hubbub.records.webhooks.model import State
from hubbub.rest.payloads.render import render_payloads
from hubbub.storage.interface import Transaction

SERVER = "/webhooks/server"


@pytest.fixture
async def shelf(node: Node, world: World, door: Door) -> Shelf:
    """The deliveries of a webhook that hears of messages: one waits in the conversation 7."""
    await world.users("anna", "ben")
    await door.create()
    await door.attach("server", "message_sent")
    shelf = await Shelf.of(node, world)
    await shelf.put(Made(1, conversation=7, state=State.PENDING))
    return shelf


async def pause(shelf: Shelf) -> None:
    """Pause the webhook, as a node does after failures."""
    runtime = shelf.node.runtime

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        queue = await queues.lock_queue(tx, shelf.webhook)
        webhook = await store.get_webhook(tx, runtime.sealer, shelf.webhook)
        assert queue is not None
        assert webhook is not None
        now = runtime.clock.now()
        await store.update_webhook(tx, runtime.sealer, structs.replace(webhook, paused_at=now))
        stopped = replace(queue, is_stopped=True, due_at=NEVER, failing_since=now - 86400)
        await queues.store_queue(tx, stopped)

    await runtime.database.write(shelf.world.app_id, within)


async def planned(shelf: Shelf, door: Door) -> int:
    """Plan what has happened; return the number of deliveries."""
    await plan_consumer(shelf.node.runtime, render_payloads).consume_all()
    return len(await door.call("GET", f"{SERVER}/deliveries"))


async def test_a_disabled_webhook(shelf: Shelf, door: Door) -> None:
    """A disabled webhook makes no delivery; enabled again, it goes on with those that wait."""
    due_at = (await shelf.partitions())[7]
    await door.call("PUT", SERVER, {"enabled": False})
    queue = await shelf.queue()
    assert (queue.is_stopped, queue.due_at) == (True, NEVER)

    await door.call("PUT", SERVER, {"enabled": True})
    queue = await shelf.queue()
    assert (queue.is_stopped, queue.due_at, queue.failing_since) == (False, due_at, None)


async def test_a_webhook_that_is_created_disabled(node: Node, world: World, door: Door) -> None:
    """A webhook that is created disabled hears of nothing until it is enabled."""
    await world.users("anna", "ben")
    await door.create(enabled=False)
    await door.attach("server", "message_sent")
    shelf = await Shelf.of(node, world)
    assert (await shelf.queue()).is_stopped
    await say(world, "anna", to_user("ben"))
    await door.call("PUT", SERVER, {"enabled": True})
    await say(world, "anna", to_user("ben"))

    assert await planned(shelf, door) == 1
    assert len(await shelf.next_ids()) == 1


async def test_what_happens_meanwhile(shelf: Shelf, world: World, door: Door) -> None:
    """To a disabled webhook nothing is planned; to a paused one, everything."""
    await door.call("PUT", SERVER, {"enabled": False})
    await say(world, "anna", to_user("ben"))
    await door.call("PUT", SERVER, {"enabled": True})
    await pause(shelf)
    await say(world, "anna", to_user("ben"))

    assert await planned(shelf, door) == 2
    assert (await shelf.queue()).due_at == NEVER


async def test_a_pause_is_ended(shelf: Shelf, door: Door, clock: ManualClock) -> None:
    """A paused webhook says since when; enabling it ends the pause, and its backlog is due."""
    due_at = (await shelf.partitions())[7]
    await pause(shelf)
    paused = await door.call("GET", SERVER)
    assert (paused["enabled"], paused["pausedAt"]) == (True, clock.now())
    assert (await door.call("GET", "/webhooks"))[0]["pausedAt"] == clock.now()

    resumed = await door.call("PUT", SERVER, {"enabled": True})
    assert "pausedAt" not in resumed
    queue = await shelf.queue()
    assert (queue.is_stopped, queue.due_at, queue.failing_since) == (False, due_at, None)


async def test_other_changes_do_not_end_a_pause(shelf: Shelf, door: Door) -> None:
    """Changing something else leaves a webhook paused, and a new secret does, too."""
    await pause(shelf)
    await door.call("PUT", SERVER, {"webhookURL": "https://example.org/"})
    await door.call("POST", f"{SERVER}/secret/rotate")
    await door.attach("server", "group_created")

    assert "pausedAt" in await door.call("GET", SERVER)
    assert (await shelf.queue()).is_stopped


async def test_a_paused_webhook_is_disabled(shelf: Shelf, door: Door) -> None:
    """Disabled, it is not paused any more; enabled, it goes on."""
    await pause(shelf)
    disabled = await door.call("PUT", SERVER, {"enabled": False})
    assert (disabled["enabled"], "pausedAt" in disabled) == (False, False)
    assert (await shelf.queue()).is_stopped

    await door.call("PUT", SERVER, {"enabled": True})
    assert not (await shelf.queue()).is_stopped


async def test_enabling_one_that_is_enabled(shelf: Shelf, door: Door) -> None:
    """Enabling a webhook that is enabled changes nothing of what waits."""
    before = await shelf.queue(), await shelf.partitions()
    await door.call("PUT", SERVER, {"enabled": True})

    assert (await shelf.queue(), await shelf.partitions()) == before
