"""Webhooks that are not reached show in the health check."""

import asyncio

from tests.api.webhooks.deliveries.conftest import Teller
from tests.api.webhooks.deliveries.test_delivering import attach, say
from tests.receiver import Receiver
from tests.wire import Asked
from tests.world import Json, Node, World


async def readiness(node: Node) -> Json:
    """Return what the health check says."""
    answer = await node.sender.send(Asked("GET", "/health/ready"))
    assert answer.status == 200
    ready: Json = answer.json
    return ready


async def test_readiness_warns(
    own_node: Node, town: World, teller: Teller, receiver: Receiver
) -> None:
    """A node is ready while webhooks fail, with a warning that names nobody, until one works."""
    before = (await readiness(own_node)).get("warnings", [])
    receiver.reply = lambda _: 500
    await attach(town, receiver.url(), id_="secret-name", retryOnFailure=True)
    await say(town, "Hello")
    await teller.tell()

    failing = await readiness(own_node)
    receiver.reply = lambda _: 204
    await teller.tell(after=3600)

    [warning] = [each for each in failing["warnings"] if each not in before]
    assert "Webhooks" in warning
    assert not [each for each in ("secret-name", town.app_id, receiver.url()) if each in warning]
    assert (await readiness(own_node)).get("warnings", []) == before


async def test_a_disabled_webhook_fails_no_more(
    own_node: Node, town: World, teller: Teller, receiver: Receiver
) -> None:
    """A call that fails after its webhook was disabled is stored, and warns of nothing."""
    before = (await readiness(own_node)).get("warnings", [])
    receiver.reply, receiver.gate = lambda _: 500, asyncio.Event()
    await attach(town, receiver.url())
    await say(town, "Hello")
    await teller.plan()
    delivering = asyncio.create_task(teller.deliver())
    await receiver.called.wait()
    await town.put("/webhooks/hook", {"enabled": False})
    receiver.gate.set()
    await delivering

    [told] = await town.get("/webhooks/hook/deliveries?state=failed")
    assert len(told["attempts"]) == 1
    assert (await readiness(own_node)).get("warnings", []) == before
