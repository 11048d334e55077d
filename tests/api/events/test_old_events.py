"""Old events are deleted, as far as all consumers have read them; what is left has no holes."""

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.api.groups.clubs import MEMBERS, change_store, create_group, join_group
from tests.api.messages.talk import say, stored, to_user
from tests.api.metrics.counting import active, count_log
from tests.clock import ManualClock
from tests.eventlog import list_logged
from tests.world import Node, World

from hubbub.domain.log.prune import prune_log
from hubbub.domain.metrics.count import metrics_consumer
from hubbub.domain.search.index import search_consumer
from hubbub.outbox import lock_counters
from hubbub.outbox.consumer import Consumer, end_position, start_position
from hubbub.outbox.log import read_log
from hubbub.outbox.old import find_start
from hubbub.records.messages.events import MessageSent
from hubbub.records.metrics.model import SECONDS_OF_DAY, day_of
from hubbub.storage.interface import Transaction

WEEK = 7 * SECONDS_OF_DAY


@pytest.fixture(scope="module")
def node(lone_node: Node) -> Node:
    """Return a node without the apps of other tests."""
    return lone_node


@pytest.fixture
async def talk(world: World) -> World:
    """Anna and Ben."""
    await world.users("anna", "ben")
    return world


async def numbers(node: Node, world: World) -> list[int]:
    """Return the numbers of the events that are kept."""
    return [event[0] for event in await node.runtime.database.read(world.app_id, list_logged)]


async def start(node: Node, world: World) -> int:
    """Return the number of the last event that is not kept."""
    return await node.runtime.database.read(world.app_id, find_start)


async def say_some(world: World, count: int) -> None:
    """Send messages, each in a row of its own."""
    for _ in range(count):
        await say(world, "anna", to_user("ben"))


async def read_all(node: Node, world: World) -> None:
    """Have all consumers read the log to its end."""
    for consumer in (metrics_consumer(node.runtime), search_consumer(node.runtime)):
        while await consumer.consume_batch(world.app_id) is not None:
            pass


async def test_events_are_kept_for_a_week(node: Node, talk: World, clock: ManualClock) -> None:
    """Events older than the setting are deleted, newer ones are not, and the numbers go on."""
    await say_some(talk, 3)
    clock.advance(60)
    await say_some(talk, 2)
    await read_all(node, talk)
    clock.advance(WEEK - 60)
    await prune_log(node.runtime)
    assert await numbers(node, talk) == [1, 2, 3, 4, 5]
    assert await start(node, talk) == 0

    clock.advance(1)
    await prune_log(node.runtime)

    assert await numbers(node, talk) == [4, 5]
    assert await start(node, talk) == 3
    await say_some(talk, 1)
    assert await numbers(node, talk) == [4, 5, 6]


async def test_the_newest_event_stays(node: Node, talk: World, clock: ManualClock) -> None:
    """The newest event is kept, however old it is."""
    await say_some(talk, 3)
    await read_all(node, talk)
    clock.advance(2 * WEEK)

    await prune_log(node.runtime)

    assert await numbers(node, talk) == [3]


@pytest.mark.parametrize(
    "behind", ["metrics", "search", "webhooks", "notifications", "one of a newer version"]
)
async def test_a_consumer_behind_keeps_the_log(
    node: Node, talk: World, clock: ManualClock, behind: str
) -> None:
    """Events that some consumer has not read are kept; when it has, they are deleted."""
    await say_some(talk, 2)
    await read_all(node, talk)
    consumers: dict[str, Consumer[Any]] = {
        "metrics": metrics_consumer(node.runtime),
        "search": search_consumer(node.runtime),
    }

    async def hold(tx: Transaction) -> None:
        await lock_counters(tx)
        await start_position(tx, behind, 2)

    if behind not in consumers:
        await node.runtime.database.write(talk.app_id, hold)
    await say_some(talk, 3)
    for name, consumer in consumers.items():
        if name != behind:
            await consumer.consume_batch(talk.app_id)
    clock.advance(2 * WEEK)

    await prune_log(node.runtime)

    assert await numbers(node, talk) == [3, 4, 5]
    await node.runtime.database.write(talk.app_id, lambda tx: end_position(tx, behind))
    await read_all(node, talk)
    await prune_log(node.runtime)
    assert await numbers(node, talk) == [5]


async def test_a_consumer_that_never_read_keeps_all(
    node: Node, talk: World, clock: ManualClock
) -> None:
    """As long as a consumer of all apps has not begun, nothing is deleted."""
    await say_some(talk, 2)
    clock.advance(2 * WEEK)

    await prune_log(node.runtime)

    assert await numbers(node, talk) == [1, 2]


async def test_a_row_of_several_events(node: Node, talk: World, clock: ManualClock) -> None:
    """A row is deleted when all its events may be: a position within it keeps it."""
    await asyncio.gather(*(say(talk, "anna", to_user("ben")) for _ in range(8)))
    await read_all(node, talk)
    await say_some(talk, 1)
    clock.advance(2 * WEEK)
    rows = await stored(node, talk, "SELECT number FROM events WHERE app_id = :app_id")
    last_of_row = sorted(row[0] for row in rows)[-2]

    async def hold(tx: Transaction) -> None:
        await lock_counters(tx)
        await start_position(tx, "webhooks", last_of_row - 1)

    await node.runtime.database.write(talk.app_id, hold)
    await prune_log(node.runtime)

    kept = await numbers(node, talk)
    assert kept == list(range(await start(node, talk) + 1, 10))
    assert last_of_row in kept


async def test_many_old_events(node: Node, talk: World, clock: ManualClock) -> None:
    """However many there are, one run deletes all of them, a chunk at a time."""
    await say_some(talk, 7)
    await read_all(node, talk)
    clock.advance(2 * WEEK)

    await prune_log(node.runtime, chunk=2)

    assert await numbers(node, talk) == [7]


async def test_a_consumer_begins_where_the_log_does(
    node: Node, talk: World, clock: ManualClock
) -> None:
    """Who reads from a deleted event on continues with the oldest that is kept, without a stop."""
    await say_some(talk, 500)
    await read_all(node, talk)
    clock.advance(2 * WEEK)
    await prune_log(node.runtime)
    await say_some(talk, 3)

    batch = await node.runtime.database.read(
        talk.app_id, lambda snapshot: read_log(snapshot, 7, [MessageSent], limit=2)
    )
    assert batch.after == 7
    assert [entry.number for entry in batch.entries] == [500, 501]
    assert batch.upto == 501
    await change_store(node, talk, "DELETE FROM consumer_positions WHERE app_id = :app_id")
    await count_log(node.runtime, talk)
    assert await active(talk, day_of(clock.now())) == 1


async def test_memberships_end_with_their_events(
    node: Node, world: World, clock: ManualClock
) -> None:
    """A membership that ended before the oldest event is deleted; present ones never are."""
    list_uids = "SELECT uid FROM memberships WHERE app_id = :app_id ORDER BY uid"
    await world.users("anna", "ben", "cleo")
    await create_group(world, by="anna")
    await join_group(world, "ben")
    await join_group(world, "cleo")
    await world.delete(f"{MEMBERS}/ben", as_="ben")
    clock.advance(2 * WEEK)
    await world.delete(f"{MEMBERS}/cleo", as_="cleo")
    await read_all(node, world)

    await prune_log(node.runtime)

    assert [row[0] for row in await stored(node, world, list_uids)] == ["anna", "cleo"]


@given(
    steps=st.lists(st.tuples(st.integers(0, 4), st.integers(1, 6), st.booleans()), max_size=6),
)
@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
async def test_any_course(node: Node, steps: list[tuple[int, int, bool]]) -> None:
    """After any days of sends, reads and deletions, exactly the events are kept that must be."""
    world, clock = await node.world(), node.clock
    await world.users("anna", "ben")
    at: dict[int, int] = {}
    read = deleted = 0
    for days, count, reads in steps:
        clock.advance(days * SECONDS_OF_DAY)
        await say_some(world, count)
        at |= dict.fromkeys(range(len(at) + 1, len(at) + count + 1), clock.now())
        if reads:
            await read_all(node, world)
            read = len(at)
        await prune_log(node.runtime)
        while deleted < min(read, len(at) - 1) and at[deleted + 1] < clock.now() - WEEK:
            deleted += 1
        assert await numbers(node, world) == list(range(deleted + 1, len(at) + 1))
