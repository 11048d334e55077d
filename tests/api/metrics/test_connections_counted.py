"""Connections in the metrics: their peak of each day, and that connecting makes active."""

from tests.api.metrics.counting import active, count_log, usage
from tests.api.presence.sessions import another_node, connect, disconnect
from tests.clock import ManualClock
from tests.world import Node, World

from hubbub.domain.presence.connect import NewSession, store_sessions
from hubbub.domain.presence.nodes import Watch, beat, sweep
from hubbub.outbox.log import read_log
from hubbub.records.metrics.model import SECONDS_OF_DAY, day_of
from hubbub.records.presence.events import UserConnected
from hubbub.records.presence.model import LATE_SECONDS


async def peak(world: World, first_day: int, last_day: int | None = None) -> int:
    """Return the peak of connections of a day, or of a range of days."""
    found: int = (await usage(world, first_day, last_day or first_day))["concurrent_users"]
    return found


def next_day(clock: ManualClock, *, seconds: int = 0) -> int:
    """Move the time to the beginning of the next day, and return that day."""
    clock.advance(SECONDS_OF_DAY - clock.now() % SECONDS_OF_DAY + seconds)
    return day_of(clock.now())


async def test_peak_of_connections(node: Node, world: World, clock: ManualClock) -> None:
    """Open connections of all nodes are counted, not users; the highest number of a day is kept."""
    today = next_day(clock)
    await world.users("anna", "ben")
    async with another_node(node) as other:
        await connect(node.runtime, world, "anna", "1", "2")
        await connect(other, world, "anna", "3")
        await disconnect(node.runtime, world, "anna", "1", "2")
        await connect(other, world, "ben", "4")
        assert await peak(world, today) == 3

        tomorrow = next_day(clock)
        await disconnect(other, world, "ben", "4")
        await disconnect(other, world, "anna", "3")

    found = [await peak(world, day) for day in range(today - 1, tomorrow + 2)]
    assert found == [0, 3, 2, 0]
    assert await peak(world, today - 1, tomorrow + 1) == 3


async def test_connections_that_stay_open(node: Node, world: World, clock: ManualClock) -> None:
    """A connection that is open all day counts on that day, although nothing happens to it."""
    await world.users("anna")
    await connect(node.runtime, world, "anna", "1")
    watch = Watch(node.runtime)
    await watch.run(node.runtime)
    day = next_day(clock)

    await watch.run(node.runtime)

    assert await peak(world, day) == 1
    await disconnect(node.runtime, world, "anna", "1")


async def test_a_failed_node_counts_until_it_is_swept(
    node: Node, world: World, clock: ManualClock
) -> None:
    """Connections of a node that failed just before midnight count on the new day, too."""
    await world.users("anna")
    next_day(clock, seconds=-5)
    async with another_node(node) as failing:
        await beat(failing)
        await connect(failing, world, "anna", "1", "2")
    clock.advance(LATE_SECONDS)
    await beat(node.runtime)

    await sweep(node.runtime)

    assert await peak(world, day_of(clock.now())) == 2


async def test_days_while_the_installation_was_off(
    node: Node, world: World, clock: ManualClock
) -> None:
    """Sessions of an earlier run count on the day that it failed, not on that of the next start."""
    await world.users("anna")
    async with another_node(node) as failing:
        await beat(failing)
        await connect(failing, world, "anna", "1")
    failed_on = day_of(clock.now())
    clock.advance(3 * SECONDS_OF_DAY)

    await Watch(node.runtime).run(node.runtime)

    assert await peak(world, failed_on) == 1
    assert await peak(world, failed_on + 1, failed_on + 4) == 0


async def test_connecting_makes_active(node: Node, world: World, clock: ManualClock) -> None:
    """Whoever connects is active on that day, once; a bot is not, nor who stays connected."""
    today = next_day(clock)
    await world.users("anna", "ben")
    await world.post("/bots", {"uid": "robot", "name": "Robot"})
    await connect(node.runtime, world, "anna", "1", "2")
    await connect(node.runtime, world, "robot", "3")
    await count_log(node.runtime, world)
    assert await active(world, today) == 1

    tomorrow = next_day(clock)
    await store_sessions(
        node.runtime, world.app_id, [NewSession("4", "anna", connected_at=clock.now() - 1)]
    )
    await connect(node.runtime, world, "ben", "5")
    await disconnect(node.runtime, world, "ben", "5")
    await count_log(node.runtime, world)
    assert (await active(world, tomorrow), await active(world, today, tomorrow)) == (1, 2)


async def test_one_event_for_a_user_and_day(node: Node, world: World) -> None:
    """However often a user connects on a day, and to however many nodes, one event is written."""
    await world.users("anna")
    async with another_node(node) as other:
        for runtime in (node.runtime, other):
            for _ in range(3):
                await connect(runtime, world, "anna", "1")
                await disconnect(runtime, world, "anna", "1")

    log = await node.runtime.database.read(
        world.app_id, lambda snapshot: read_log(snapshot, 0, [UserConnected], limit=100)
    )
    assert [entry.event for entry in log.entries] == [UserConnected("anna", node.clock.now())]
