"""The secrets of webhooks: get them, rotate them."""

import pytest
from msgspec.structs import replace
from tests.api.webhooks.doors import URL, Door
from tests.clock import ManualClock
from tests.engines import one_engine
from tests.world import Node, World

from hubbub.records.webhooks.model import Webhook
from hubbub.records.webhooks.store import find_webhook

DAY = 86400
ROTATE = "/webhooks/server/secret/rotate"


async def stored(node: Node, world: World) -> Webhook:
    """Return the webhook as it is stored."""
    found = await node.runtime.database.read(
        world.app_id, lambda snapshot: find_webhook(snapshot, node.runtime.sealer, "server")
    )
    assert found is not None
    return found


async def test_a_secret_is_rotated(
    node: Node, world: World, door: Door, clock: ManualClock
) -> None:
    """A new secret is answered; the former one is kept for a day."""
    first = (await door.create())["secret"]
    clock.advance(3)
    rotated = await door.call("POST", ROTATE)

    assert rotated.keys() == {"secret"}
    assert rotated["secret"] != first
    assert await door.call("GET", "/webhooks/server/secret") == rotated
    webhook = await stored(node, world)
    assert (webhook.secret, webhook.former_secret) == (rotated["secret"], first)
    assert webhook.former_until == clock.now() + DAY
    assert (await door.call("GET", "/webhooks/server"))["updatedAt"] == clock.now()


async def test_only_the_last_secret_is_kept(node: Node, world: World, door: Door) -> None:
    """A second rotation forgets the first secret."""
    await door.create()
    second = (await door.call("POST", ROTATE))["secret"]
    third = (await door.call("POST", ROTATE, {"overlapSeconds": 60}))["secret"]

    webhook = await stored(node, world)
    assert (webhook.secret, webhook.former_secret) == (third, second)
    assert webhook.former_until == node.clock.now() + 60


async def test_without_overlap(node: Node, world: World, door: Door) -> None:
    """A secret that has leaked can be replaced at once: nothing is signed with it any more."""
    await door.create()
    await door.call("POST", ROTATE)
    last = (await door.call("POST", ROTATE, {"overlapSeconds": 0}))["secret"]

    webhook = await stored(node, world)
    assert (webhook.secret, webhook.former_secret, webhook.former_until) == (last, None, None)


async def test_other_changes_keep_the_former_secret(node: Node, world: World, door: Door) -> None:
    """Changing a webhook does not end the overlap."""
    await door.create()
    await door.call("POST", ROTATE)
    before = await stored(node, world)
    await door.call("PUT", "/webhooks/server", {"name": "Another"})

    assert await stored(node, world) == replace(before, name="Another")


@pytest.mark.parametrize("seconds", [-1, 30 * DAY + 1, "60", 1.5, True])
@one_engine
async def test_an_invalid_overlap(world: World, seconds: object) -> None:
    """The overlap is at most 30 days."""
    await world.post("/webhooks", {"id": "server", "name": "S", "webhookURL": URL})
    before = await world.get("/webhooks/server/secret")
    details = await world.refused(
        "POST", ROTATE, {"overlapSeconds": seconds}, status=400, code="ERR_BAD_REQUEST"
    )

    assert list(details) == ["overlapSeconds"]
    assert await world.get("/webhooks/server/secret") == before
