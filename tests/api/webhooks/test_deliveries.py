"""Deliveries: list, get and replay them."""

from typing import Any

import pytest
from tests.api.webhooks.doors import Door
from tests.api.webhooks.past_deliveries import ATTEMPTS, Made, Shelf
from tests.clock import START
from tests.engines import one_engine
from tests.world import Json, Node, World

from hubbub.domain.deliveries.find import access_delivery
from hubbub.domain.deliveries.replay import replay_deliveries
from hubbub.kernel.clock import NEVER
from hubbub.records.webhooks.deliveries import DeliveryFilter
from hubbub.records.webhooks.model import State

PENDING, DELIVERED, FAILED = State.PENDING, State.DELIVERED, State.FAILED
LIST = "/webhooks/server/deliveries"
NOT_FOUND = "ERR_DELIVERY_NOT_FOUND"
ALL_TIME = {"fromTimestamp": 0, "toTimestamp": START + 99}


@pytest.fixture
async def shelf(node: Node, world: World, door: Door) -> Shelf:
    """The deliveries of a webhook that has none yet."""
    await door.create()
    return await Shelf.of(node, world)


async def states(door: Door) -> dict[str, str]:
    """Return the state of each delivery by its id."""
    return {each["id"]: each["state"] for each in await door.call("GET", LIST)}


# List and get ------------------------------------------------------------------------------------


async def test_deliveries_are_listed(door: Door, shelf: Shelf) -> None:
    """Deliveries are listed newest first, each with its attempts."""
    attempts = [
        {"at": START, "duration": 2000, "error": "It took more than 2 seconds."},
        {"at": START + 10, "duration": 15, "status": 500, "answer": "Oops"},
        {"at": START + 40, "duration": 7, "status": 204},
    ]
    await shelf.put(
        Made(1, at=START - 5),
        Made(2, state=FAILED, attempts=attempts, conversation=7),
        Made(2, part=1, state=PENDING, trigger_id="user_mentioned", attempts=[]),
        Made(3),
    )
    found = await door.call("GET", LIST)

    assert [each["id"] for each in found] == [
        shelf.id_of(3),
        shelf.id_of(2, 1),
        shelf.id_of(2),
        shelf.id_of(1),
    ]
    assert found[2] == {
        "id": shelf.id_of(2),
        "eventId": shelf.id_of(2),
        "trigger": "message_sent",
        "state": "failed",
        "createdAt": START,
        "attempts": attempts,
    }
    assert found[1] == {
        "id": f"{shelf.id_of(2)}-1",
        "eventId": shelf.id_of(2),
        "trigger": "user_mentioned",
        "state": "pending",
        "createdAt": START,
        "nextAttemptAt": shelf.node.clock.now() + 3600,
        "attempts": [],
    }
    for each in found:
        assert await door.call("GET", f"{LIST}/{each['id']}") == each


@pytest.mark.parametrize(
    ("query", "events"),
    [
        ("", [6, 5, 4, 3, 2, 1]),
        ("state=pending", [5, 2]),
        ("state=delivered", [4, 1]),
        ("state=failed", [6, 3]),
        ("trigger=message_sent", [6, 5, 4]),
        ("trigger=group_created", [3, 2, 1]),
        ("trigger=nothing", []),
        ("fromTimestamp=1800000004", [6, 5, 4]),
        ("toTimestamp=1800000003", [3, 2, 1]),
        ("fromTimestamp=1800000002&toTimestamp=1800000005", [5, 4, 3, 2]),
        ("fromTimestamp=1800000003&toTimestamp=1800000003", [3]),
        ("state=failed&trigger=message_sent", [6]),
        ("state=pending&fromTimestamp=1800000003", [5]),
        ("state=pending&trigger=message_sent&toTimestamp=1800000004", []),
    ],
)
async def test_filters_of_deliveries(
    door: Door, shelf: Shelf, query: str, events: list[int]
) -> None:
    """Deliveries are filtered by state, trigger and time, both ends included; the total is true."""
    kinds = (DELIVERED, PENDING, FAILED, DELIVERED, PENDING, FAILED)
    await shelf.put(
        *(
            Made(
                event,
                state=state,
                at=START + event,
                trigger_id="message_sent" if event > 3 else "group_created",
            )
            for event, state in enumerate(kinds, 1)
        )
    )
    answer = await door.ask("GET", f"{LIST}?{query}")

    assert [each["id"] for each in answer.data] == [shelf.id_of(event) for event in events]
    assert answer.meta["pagination"]["total"] == len(events)


async def test_pages_of_deliveries(door: Door, shelf: Shelf) -> None:
    """Pages follow each other without gaps."""
    await shelf.put(*(Made(event) for event in range(1, 6)))
    pages = [await door.ask("GET", f"{LIST}?perPage=2&page={page}") for page in range(1, 5)]

    assert [each["id"] for page in pages for each in page.data] == [
        shelf.id_of(event) for event in (5, 4, 3, 2, 1)
    ]
    assert [page.meta["pagination"]["count"] for page in pages] == [2, 2, 1, 0]
    assert pages[0].meta["pagination"]["total_pages"] == 3


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("state=lost", "state"),
        ("state=PENDING", "state"),
        ("trigger=" + "x" * 101, "trigger"),
        ("fromTimestamp=-1", "fromTimestamp"),
        ("toTimestamp=x", "toTimestamp"),
        ("toTimestamp=1e999", "toTimestamp"),
        ("toTimestamp=99999999999999999999", "toTimestamp"),
        ("fromTimestamp=2&toTimestamp=1", "toTimestamp"),
        ("perPage=1001", "perPage"),
        ("page=0", "page"),
    ],
)
@one_engine
async def test_invalid_filters(door: Door, shelf: Shelf, query: str, field: str) -> None:
    """A filter that can't be is refused by name."""
    assert list(await door.refused("GET", f"{LIST}?{query}")) == [field]


async def test_deliveries_of_other_webhooks(
    node: Node, world: World, door: Door, shelf: Shelf
) -> None:
    """A webhook shows only its own deliveries, also of an event that both were told of."""
    await door.create("other")
    other = await Shelf.of(node, world, "other")
    await shelf.put(Made(1), Made(2))
    await other.put(Made(2, state=FAILED, has_body=False), Made(3))

    assert await states(door) == {shelf.id_of(1): "delivered", shelf.id_of(2): "delivered"}
    found = await door.call("GET", f"/webhooks/other/deliveries/{shelf.id_of(2)}")
    assert found["state"] == "failed"
    await door.refused("GET", f"{LIST}/{shelf.id_of(3)}", status=404, code=NOT_FOUND)


async def test_a_new_webhook_of_an_old_id(node: Node, world: World, door: Door) -> None:
    """The deliveries of a deleted webhook are not those of another that has its id later."""
    await door.create()
    shelf = await Shelf.of(node, world)
    await shelf.put(Made(1))
    await door.call("DELETE", "/webhooks/server")
    await door.create()

    assert await door.call("GET", LIST) == []
    await door.refused("GET", f"{LIST}/{shelf.id_of(1)}", status=404, code=NOT_FOUND)


async def test_an_unknown_delivery(door: Door, shelf: Shelf) -> None:
    """An id that no delivery has is not found, however odd it is."""
    await shelf.put(Made(1), Made(1, part=1))
    known = shelf.id_of(1)
    for id_ in (
        shelf.id_of(2),
        f"{known}-2",
        f"{known}-0",
        f"{known}-01",
        f"{known}-100",
        f"{known}-",
        f"0{known}",
        f"{shelf.epoch + 1}-1",
        f"{shelf.epoch}-01",
        f"{shelf.epoch}-" + "9" * 30,
        "1",
        "-1",
        "x",
        "%20",
        "١-١",
    ):
        for method, path in (("GET", ""), ("POST", "/replay")):
            await door.refused(method, f"{LIST}/{id_}{path}", status=404, code=NOT_FOUND)

    assert set((await states(door)).values()) == {"delivered"}


# Replay one --------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [DELIVERED, FAILED])
async def test_a_delivery_is_replayed(node: Node, door: Door, shelf: Shelf, state: State) -> None:
    """A delivery is queued again in its conversation, due at once; its attempts are kept."""
    await shelf.put(Made(1, conversation=7, state=state, is_aside=state == FAILED), Made(2))
    assert (await shelf.queue()).due_at == NEVER
    done = await door.call("POST", f"{LIST}/{shelf.id_of(1)}/replay")

    assert done == {"success": True, "queued": 1}
    now = 1000 * node.clock.now()
    assert (await shelf.queue()).due_at == now
    assert await shelf.partitions() == {7: now}
    assert await shelf.next_ids() == [shelf.id_of(1)]
    found = await door.call("GET", f"{LIST}/{shelf.id_of(1)}")
    assert (found["state"], found["attempts"]) == ("pending", ATTEMPTS)
    assert await states(door) == {shelf.id_of(1): "pending", shelf.id_of(2): "delivered"}


async def test_a_replayed_delivery_begins_anew(
    node: Node, world: World, door: Door, shelf: Shelf
) -> None:
    """It has all its tries again."""
    await shelf.put(Made(1, state=FAILED))
    await door.call("POST", f"{LIST}/{shelf.id_of(1)}/replay")

    tried = await node.runtime.database.read(
        world.app_id,
        lambda snapshot: access_delivery(snapshot, shelf.webhook, shelf.id_of(1)),
    )
    assert (tried.tries, tried.partition) == (0, 0)


async def test_a_waiting_delivery_is_tried_at_once(node: Node, door: Door, shelf: Shelf) -> None:
    """A replay of a delivery that waits ends the waiting, and leaves it in its partition."""
    await shelf.put(
        Made(1, conversation=7, state=PENDING, is_aside=True),
        Made(2, conversation=7, state=PENDING),
    )
    (own, _), now = sorted(await shelf.partitions()), 1000 * node.clock.now()
    await door.call("POST", f"{LIST}/{shelf.id_of(1)}/replay")

    assert (await shelf.partitions())[own] == now
    assert (await shelf.partitions())[7] > now
    assert (await shelf.queue()).due_at == now
    assert await shelf.next_ids() == [shelf.id_of(1)]


async def test_a_replay_precedes_what_waits(door: Door, shelf: Shelf) -> None:
    """In a conversation where deliveries wait, a replayed older one comes first."""
    await shelf.put(
        Made(1, conversation=7, state=FAILED),
        Made(2, conversation=7, state=PENDING),
        Made(3, conversation=8, state=PENDING),
    )
    await door.call("POST", f"{LIST}/{shelf.id_of(1)}/replay")

    assert await shelf.next_ids() == [shelf.id_of(1), shelf.id_of(2)]


# Replay many -------------------------------------------------------------------------------------


async def replayed(door: Door, **body: Any) -> Json:
    """Replay a range; return the answer."""
    done: Json = await door.call("POST", "/webhooks/server/replay", ALL_TIME | body)
    return done


async def test_a_range_is_replayed(node: Node, door: Door, shelf: Shelf) -> None:
    """All deliveries of a range are queued, each conversation in its order."""
    await shelf.put(
        *(Made(event, conversation=7 + event % 2, at=START + event // 3) for event in range(1, 9))
    )
    assert await replayed(door, fromTimestamp=START + 1, toTimestamp=START + 2) == {
        "success": True,
        "queued": 6,
    }

    odd, even = [3, 5, 7], [4, 6, 8]
    assert await shelf.next_ids() == [shelf.id_of(event) for event in (*even, *odd)]
    found = await states(door)
    assert [found[shelf.id_of(event)] for event in (1, 2, 3)] == ["delivered"] * 2 + ["pending"]
    assert await shelf.partitions() == dict.fromkeys((7, 8), 1000 * node.clock.now())


async def test_a_range_is_replayed_in_chunks(node: Node, world: World, shelf: Shelf) -> None:
    """Deliveries that no transaction can queue alone are queued by several, in their order."""
    await shelf.put(*(Made(event, conversation=7, at=START + event // 3) for event in range(1, 6)))

    queued = await replay_deliveries(
        node.runtime, world.app_id, "server", DeliveryFilter(), chunk=2
    )

    assert queued == 5
    assert await shelf.next_ids() == [shelf.id_of(event) for event in range(1, 6)]


@pytest.mark.parametrize(
    ("state", "count"), [(None, 4), ("failed", 2), ("delivered", 1), ("pending", 1)]
)
async def test_a_range_of_a_state(door: Door, shelf: Shelf, state: str | None, count: int) -> None:
    """Only deliveries in the given state are replayed; without one, all."""
    await shelf.put(
        Made(1),
        Made(2, state=FAILED, is_aside=True),
        Made(3, state=FAILED, conversation=7),
        Made(4, state=PENDING, conversation=9),
    )
    given = {} if state is None else {"state": state}

    assert (await replayed(door, **given))["queued"] == count
    assert len(await shelf.next_ids()) == count
    assert list((await states(door)).values()).count("pending") == max(
        count, count + 1 if state in {"failed", "delivered"} else 1
    )


async def test_nothing_to_replay(door: Door, shelf: Shelf) -> None:
    """A range without deliveries queues none, and does not wake the queue."""
    await shelf.put(Made(1))

    assert await replayed(door, toTimestamp=START - 1) == {"success": True, "queued": 0}
    assert await replayed(door, state="failed") == {"success": True, "queued": 0}
    assert (await shelf.queue()).due_at == NEVER
    assert await shelf.partitions() == {}


async def test_a_delivery_without_its_body(door: Door, shelf: Shelf) -> None:
    """A delivery whose body was deleted, being old, is not queued: it would wait for ever."""
    await shelf.put(Made(1, has_body=False), Made(2))

    assert (await replayed(door))["queued"] == 1
    await door.refused("POST", f"{LIST}/{shelf.id_of(1)}/replay", status=404, code=NOT_FOUND)
    assert await states(door) == {shelf.id_of(1): "delivered", shelf.id_of(2): "pending"}


@pytest.mark.parametrize("body", [{"enabled": False}, {"enabled": True}])
async def test_a_replay_to_a_disabled_webhook(
    node: Node, door: Door, shelf: Shelf, body: Json
) -> None:
    """A replay to a disabled webhook waits until it is enabled."""
    await shelf.put(Made(1, conversation=7))
    await door.call("PUT", "/webhooks/server", {"enabled": False})
    await replayed(door)

    assert (await shelf.queue()).is_stopped
    assert (await shelf.queue()).due_at == NEVER
    await door.call("PUT", "/webhooks/server", body)
    is_due = 1000 * node.clock.now() if body["enabled"] else NEVER
    assert (await shelf.queue()).due_at == is_due


async def test_a_repeated_replay_with_its_key(door: Door, shelf: Shelf) -> None:
    """With an `Idempotency-Key` a range is replayed once."""
    await shelf.put(Made(1), Made(2))
    headers = {"Idempotency-Key": f"replay at {door.prefix}"}
    answers = [
        await door.ask("POST", "/webhooks/server/replay", ALL_TIME, headers=headers)
        for _ in range(2)
    ]

    assert [answer.data["queued"] for answer in answers] == [2, 2]
    assert answers[1].headers["idempotent-replayed"] == "true"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "fromTimestamp"),
        ({"fromTimestamp": 1}, "toTimestamp"),
        ({"fromTimestamp": 2, "toTimestamp": 1}, "toTimestamp"),
        ({"fromTimestamp": -1, "toTimestamp": 1}, "fromTimestamp"),
        ({"fromTimestamp": 0, "toTimestamp": "1"}, "toTimestamp"),
        ({"fromTimestamp": 0, "toTimestamp": 10**11}, "toTimestamp"),
        ({**ALL_TIME, "state": "lost"}, "state"),
    ],
)
@one_engine
async def test_an_invalid_range(door: Door, shelf: Shelf, body: Json, field: str) -> None:
    """A range has two ends in seconds, in their order."""
    assert list(await door.refused("POST", "/webhooks/server/replay", body)) == [field]


async def test_deliveries_that_wait(door: Door, shelf: Shelf) -> None:
    """A pending delivery has the reason of its latest failure, and the time of its next attempt."""
    late = {"at": START, "duration": 2000, "error": "It took more than 2 seconds."}
    await shelf.put(
        Made(1, conversation=7, state=PENDING, attempts=[late]),
        Made(2, conversation=7, state=PENDING, attempts=[]),
        Made(3, conversation=7, state=PENDING, attempts=[late, *ATTEMPTS], is_aside=True),
        Made(4, conversation=7, state=FAILED),
        Made(5, conversation=7),
    )

    found = {each["id"]: each for each in await door.call("GET", LIST)}

    answered = "It answered with the status 500."
    later = shelf.node.clock.now() + 3600
    assert [
        (found[shelf.id_of(event)].get("reason"), found[shelf.id_of(event)].get("nextAttemptAt"))
        for event in range(1, 6)
    ] == [
        ("It took more than 2 seconds.", later),
        (None, later),
        (answered, later),
        (answered, None),
        (None, None),
    ]
    assert await door.call("GET", f"{LIST}/{shelf.id_of(3)}") == found[shelf.id_of(3)]
