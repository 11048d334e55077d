"""Old deliveries, and those of deleted webhooks, are deleted in the background."""

from tests.api.people.erasing import rows_of
from tests.api.webhooks.deliveries.conftest import Teller
from tests.api.webhooks.deliveries.test_delivering import attach, say
from tests.receiver import Receiver
from tests.world import Node, World

from hubbub.domain.deliveries.prune import prune_deliveries

DAY = 86_400
TABLES = ["webhook_bodies", "webhook_deliveries", "webhook_lanes"]


async def count(node: Node, world: World) -> list[int]:
    """Return the numbers of bodies, deliveries and partitions of an app."""
    rows = await rows_of(node, world, TABLES)
    return [len(rows[table]) for table in TABLES]


async def test_deliveries_are_kept_for_14_days(
    own_node: Node, town: World, teller: Teller, receiver: Receiver
) -> None:
    """After 14 days deliveries are gone with what they sent, pending ones too; newer ones stay."""
    receiver.reply = lambda call: 500 if "stuck" in call.text else 200
    await attach(town, receiver.url(), retryOnFailure=True)
    await say(town, "told")
    await say(town, "stuck", receiver="cora")
    await teller.tell()
    teller.clock.advance(14 * DAY)
    await say(town, "new")
    await teller.plan()
    await prune_deliveries(own_node.runtime)
    assert await count(own_node, town) == [3, 3, 2], "not yet"

    teller.clock.advance(1)
    await prune_deliveries(own_node.runtime)

    assert await count(own_node, town) == [1, 1, 1]
    receiver.reply = lambda _: 200
    await teller.tell()
    assert receiver.texts == ["told", "new"]
    assert len(await town.get("/webhooks/hook/deliveries")) == 1


async def test_deliveries_of_a_deleted_webhook_go(
    own_node: Node,
    town: World,
    teller: Teller,
    receiver: Receiver,
) -> None:
    """Nothing is left of a deleted webhook but what others were sent, too."""
    await attach(town, receiver.url("/gone"), id_="gone")
    await attach(town, receiver.url("/kept"), id_="kept")
    for number in range(5):
        await say(town, f"{number}", receiver="ben" if number % 2 else "cora")
    await teller.plan()
    await town.delete("/webhooks/gone")

    await prune_deliveries(own_node.runtime, chunk=2)

    assert await count(own_node, town) == [5, 5, 2]
    await teller.tell()
    assert sorted(receiver.texts) == ["0", "1", "2", "3", "4"]


async def test_bodies_go_without_webhooks(
    own_node: Node, town: World, teller: Teller, receiver: Receiver
) -> None:
    """After the last webhook is deleted, all of its deliveries go, and bodies when they are old."""
    await attach(town, receiver.url())
    await say(town, "told")
    await teller.tell()
    await town.delete("/webhooks/hook")

    await prune_deliveries(own_node.runtime)
    assert await count(own_node, town) == [1, 0, 0]
    teller.clock.advance(14 * DAY + 1)
    await prune_deliveries(own_node.runtime)

    assert await count(own_node, town) == [0, 0, 0]
