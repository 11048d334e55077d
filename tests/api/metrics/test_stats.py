"""Metrics: who counts as active, what counts as a message or a receipt, and the answers."""

from dataclasses import replace

import pytest
from tests.api.groups.clubs import create_group
from tests.api.messages.talk import import_past, past, say, to_group, to_user
from tests.api.metrics.acts import ACTS, FORM, HIKERS, QUIET, Act
from tests.api.metrics.counting import active, count_log, traffic
from tests.clock import ManualClock
from tests.world import Json, Node, World

from hubbub.bootstrap import open_runtime
from hubbub.domain.erasure.erase import erase_all
from hubbub.domain.metrics.count import Tally, metrics_consumer
from hubbub.records.metrics.model import SECONDS_OF_DAY, day_of
from hubbub.storage.interface import Transaction


class Crash(Exception):
    """The node is gone."""


@pytest.fixture
async def town(node: Node, world: World) -> World:
    """Anna, Ben and Cleo, who made a group, wrote to one another, and were silent since."""
    await world.users("anna", "ben", "cleo")
    await create_group(world, by=None, members={"admins": ["anna"], "participants": ["ben"]})
    await say(world, "ben", to_user("anna"))
    await say(world, "anna", to_user("ben"))
    await say(world, "ben", to_group("hikers"))
    await world.post("/messages", FORM, as_="ben")
    await world.post("/users/anna/blockedusers", {"blockedUids": ["cleo"]})
    await count_log(node.runtime, world)
    node.clock.advance(SECONDS_OF_DAY)
    return world


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS.keys())
async def test_who_does_something_is_active(
    node: Node, town: World, clock: ManualClock, act: Act
) -> None:
    """One user is active after each kind of act of hers, on that day and on no other."""
    today = day_of(clock.now())
    await act(town)
    await count_log(node.runtime, town)

    assert await active(town, today) == 1
    assert await active(town, today - 1) == 2
    assert await active(town, today - 1, today) == 2
    assert await active(town, today + 1) == 0


@pytest.mark.parametrize("act", QUIET.values(), ids=QUIET.keys())
async def test_what_makes_nobody_active(
    node: Node, town: World, clock: ManualClock, act: Act
) -> None:
    """Nobody is active by reads, by imports, or by what others do to them."""
    await act(town)
    await count_log(node.runtime, town)

    assert await active(town, day_of(clock.now())) == 0


async def test_joining(node: Node, town: World, clock: ManualClock) -> None:
    """Who joins is active, and so is who adds others, but not those who are added."""
    today = day_of(clock.now())
    await town.users("dora", "emil")
    await town.post(f"{HIKERS}/members", as_="dora")
    await town.put(f"{HIKERS}/members/dora", {"scope": "admin"})
    await count_log(node.runtime, town)
    assert await active(town, today) == 1
    await town.post(f"{HIKERS}/members", {"participants": ["emil"]}, as_="dora")
    await count_log(node.runtime, town)

    assert await active(town, today) == 1


async def test_a_bot_is_not_active(node: Node, town: World, clock: ManualClock) -> None:
    """Its messages count, it does not, even if it is deleted before its messages are counted."""
    today = day_of(clock.now())
    await town.post("/bots", {"uid": "helper", "name": "Helper"})
    await say(town, "helper", to_user("anna"))
    await town.delete("/users/helper", {"permanent": True})
    await town.user("helper")
    await count_log(node.runtime, town)
    assert await active(town, today) == 0
    assert await traffic(town) == (1, 0, 0)

    await say(town, "helper", to_user("ben"))
    await count_log(node.runtime, town)
    assert await active(town, today) == 1, "it is a person's uid now"


async def test_messages_sent(node: Node, town: World, clock: ManualClock) -> None:
    """Repeated muids, action messages and imports are left out; a message deleted later is not."""
    clock.advance(7_200)
    assert await traffic(town) == (0, 0, 0)
    for _ in range(2):
        await say(town, "anna", to_user("ben", muid="one"))
    said = await say(town, "ben", to_group("hikers"))
    await town.post("/messages", to_group("hikers"))
    await town.put(f"/messages/{said['id']}", {"data": {"text": "Hm"}}, as_="ben")
    await town.delete(f"/messages/{said['id']}", {"permanent": True}, as_="ben")
    await import_past(town, old=past("anna", to_user("ben"), clock.now() - 60))
    await count_log(node.runtime, town)

    assert await traffic(town) == (3, 0, 0)


async def test_receipts(node: Node, town: World, clock: ManualClock) -> None:
    """A mark that advances is one receipt of its kind, in groups too; repeated ones are none."""
    clock.advance(7_200)
    for _ in range(3):
        await say(town, "anna", to_user("ben"))
        await say(town, "anna", to_group("hikers"))
    await count_log(node.runtime, town)
    for path in ("/users/anna/conversation", f"{HIKERS}/conversation"):
        for _ in range(2):
            await town.post(f"{path}/delivered", as_="ben")
        for _ in range(2):
            await town.post(f"{path}/read", as_="ben")
    assert await traffic(town) == (6, 2, 2)

    await say(town, "anna", to_user("ben"))
    await town.post("/users/anna/conversation/read", as_="ben")
    await town.delete("/users/anna/conversation/read", as_="ben")
    await town.post("/users/anna/conversation/read", as_="ben")
    await count_log(node.runtime, town)
    assert await traffic(town) == (7, 3, 2), "reading is no delivery, reading again is no receipt"


async def test_spans_of_the_last_hour(node: Node, world: World, clock: ManualClock) -> None:
    """There are twelve spans of five minutes, the oldest first, and the last one ends now."""
    await world.users("anna", "ben")
    for _ in range(14):
        await say(world, "anna", to_user("ben"))
        clock.advance(300)
    await say(world, "anna", to_user("ben"))
    await say(world, "anna", to_user("ben"))
    await count_log(node.runtime, world)
    stats = await world.get("/stats/messages")

    points = stats["dataPoints"]
    assert stats["appId"] == world.app_id
    assert [int(point["endTime"]) - int(point["startTime"]) for point in points] == [300_000] * 12
    ends = [point["endTime"] for point in points]
    assert [point["startTime"] for point in points] == [stats["startTime"], *ends[:-1]]
    assert stats["endTime"] == ends[-1] == f"{(clock.now() + 1) * 1000}"
    assert [point["messagesSent"] for point in points] == [1] * 11 + [2]
    assert not any(point["readReceipts"] + point["deliveryReceipts"] for point in points)


async def test_old_traffic_is_deleted(node: Node, town: World, clock: ManualClock) -> None:
    """Only the traffic of some hours is kept, also while much is still to be counted."""
    await say(town, "anna", to_user("ben"))
    clock.advance(SECONDS_OF_DAY)
    await say(town, "anna", to_user("ben"))
    await count_log(node.runtime, town)
    assert await traffic(town) == (1, 0, 0)
    clock.advance(SECONDS_OF_DAY)
    await say(town, "anna", to_user("ben"))
    await count_log(node.runtime, town)

    assert await traffic(town) == (1, 0, 0)
    today = day_of(clock.now())
    assert [await active(town, day) for day in (today - 2, today - 1, today)] == [1, 1, 1]


async def test_a_deletion_lowers_no_figure(node: Node, town: World, clock: ManualClock) -> None:
    """A deleted user stays counted, each holder of a uid counts apart, and no days are left."""
    today = day_of(clock.now())
    await say(town, "anna", to_user("ben"))
    await town.delete("/users/anna", {"permanent": True})
    await town.user("anna")
    await say(town, "anna", to_user("ben"))
    await count_log(node.runtime, town)
    assert await active(town, today) == 2
    assert await active(town, today - 1, today) == 3
    await say(town, "ben", to_user("anna"))
    await town.delete("/users/anna", {"permanent": True})
    await erase_all(node.runtime)
    async with open_runtime(node.runtime.settings, clock) as other:
        await count_log(other, town)

    assert await active(town, today) == 3
    assert await traffic(town) == (3, 0, 0)


async def test_a_deletion_that_another_node_counts(
    node: Node, town: World, clock: ManualClock
) -> None:
    """A node that has counted a user on a day counts the next holder of the uid, too."""
    await say(town, "anna", to_user("ben"))
    await count_log(node.runtime, town)
    await town.delete("/users/anna", {"permanent": True})
    await town.user("anna")
    async with open_runtime(node.runtime.settings, clock) as other:
        await count_log(other, town)
    await say(town, "anna", to_user("ben"))
    await count_log(node.runtime, town)

    assert await active(town, day_of(clock.now())) == 2


async def test_seconds_and_milliseconds(node: Node, town: World, clock: ManualClock) -> None:
    """Dates are seconds, or milliseconds; they are echoed in milliseconds, whole days count."""
    now = clock.now()
    await say(town, "anna", to_user("ben"))
    await count_log(node.runtime, town)
    start = now - now % SECONDS_OF_DAY
    for first, last in (
        (start, start),
        (start * 1000, start * 1000 + 1),
        (start + SECONDS_OF_DAY - 1, (start + SECONDS_OF_DAY) * 1000),
        (start - 1, start),
    ):
        found = await town.get(f"/stats?fromDate={first}&toDate={last}")
        echoed = [each if each >= 10**11 else each * 1000 for each in (first, last)]
        assert list(found["time_range"].values()) == echoed
        assert found["metrics"]["active_users"] == (2 if first == start - 1 else 1)
    assert found["metrics"] == {
        "audio_minutes": 0,
        "video_minutes": 0,
        "recorded_minutes": 0,
        "active_users": 2,
        "concurrent_users": 0,
    }


@pytest.mark.parametrize(
    ("query", "faulty"),
    [
        ("", {"fromDate", "toDate"}),
        ("fromDate=1", {"toDate"}),
        ("toDate=1", {"fromDate"}),
        ("fromDate=2&toDate=1", {"fromDate", "toDate"}),
        ("fromDate=1800000000000&toDate=1800000", {"fromDate", "toDate"}),
        ("fromDate=yesterday&toDate=1", {"fromDate"}),
        ("fromDate=1&toDate=1.5", {"toDate"}),
        ("fromDate=-1&toDate=1", {"fromDate"}),
        ("fromDate=1&toDate=253402300800000", {"toDate"}),
        ("fromDate=1&toDate=9999999999999999999999", {"toDate"}),
    ],
)
async def test_wrong_dates(world: World, query: str, faulty: set[str]) -> None:
    """Each missing or wrong date is named; so are both dates of a reversed range."""
    details = await world.refused("GET", f"/stats?{query}", status=400, code="ERR_BAD_REQUEST")

    assert details.keys() == faulty


async def test_the_longest_range(node: Node, town: World) -> None:
    """A range may be as long as dates allow."""
    found = await town.get("/stats?fromDate=0&toDate=253402300799999")

    assert found["metrics"]["active_users"] == 2


async def test_apps_are_apart(node: Node, town: World, clock: ManualClock) -> None:
    """An app's metrics are its own."""
    other = await node.world()
    today = day_of(clock.now())

    assert await active(other, today - 1, today) == 0
    assert await traffic(other) == (0, 0, 0)
    stats: Json = await other.get("/stats/messages")
    assert stats["appId"] == other.app_id


async def test_a_batch_that_fails_at_its_end(node: Node, town: World, clock: ManualClock) -> None:
    """A batch that is not committed leaves nothing, and is counted once when it is repeated."""
    await say(town, "anna", to_user("ben"))
    await say(town, "ben", to_user("anna"))
    consumer = metrics_consumer(node.runtime)

    async def fail(tx: Transaction, tally: Tally) -> None:
        await consumer.apply(tx, tally)
        raise Crash

    with pytest.raises(Crash):
        await replace(consumer, apply=fail).consume_batch(town.app_id)
    today = day_of(clock.now())
    assert (await active(town, today), await traffic(town)) == (0, (0, 0, 0))
    await count_log(node.runtime, town)

    assert (await active(town, today), await traffic(town)) == (2, (2, 0, 0))
