"""Old receipts are merged: each row has one a day then, and times are exact to the day."""

import random

import pytest
from tests.api.messages.talk import say, stored, to_group, to_user
from tests.clock import ManualClock
from tests.world import Node, World

from hubbub.domain.receipts.merge import merge_receipts
from hubbub.records.receipts.model import DAY

EXACT = 90 * DAY
MEMBERS = ("anna", "ben", "chiara")
Times = dict[tuple[str, str, str], int | None]
"""By message, uid and kind; the uid is empty for the times that the message itself shows."""


@pytest.fixture
async def town(world: World) -> World:
    """Anna, Ben and Chiara, all members of Anna's group; Dora is in none."""
    await world.users(*MEMBERS, "dora")
    members = {"participants": ["ben", "chiara"]}
    group = {"guid": "hikers", "name": "Hikers", "type": "public", "members": members}
    await world.post("/groups", group, as_="anna")
    return world


async def talk_for_days(world: World, clock: ManualClock, chance: random.Random) -> list[str]:
    """Have members send and mark at random, join and leave, for three days; return the messages."""
    ids: list[str] = []
    groups = {"hikers": list(MEMBERS)}
    for _ in range(60):
        clock.advance(chance.choice((1, 600, 9_000)))
        uid = chance.choice(groups["hikers"])
        other = chance.choice([each for each in MEMBERS if each != uid])
        step = chance.random()
        if step < 0.45:
            body = chance.choice((to_group("hikers"), to_user(other)))
            ids.append((await say(world, uid, body))["id"])
        elif step < 0.95:
            path = chance.choice(("/groups/hikers", f"/users/{other}"))
            await mark(world, uid, f"{path}/conversation/{chance.choice(('read', 'delivered'))}")
        elif uid != "anna":
            await world.delete(f"/groups/hikers/members/{uid}")
            clock.advance(5)
            await say(world, "anna", to_group("hikers"))
            await world.post("/groups/hikers/members", {"participants": [uid]})
    return ids


async def mark(world: World, uid: str, path: str) -> None:
    """Mark all messages of a conversation, if there is one."""
    await world.ask("POST", path, as_=uid)


async def times_of(world: World, ids: list[str]) -> Times:
    """Return all that the interface says of who got and read messages, and when."""
    found: Times = {}
    for id_ in ids:
        message = await world.get(f"/messages/{id_}")
        receipts = await world.get(f"/messages/{id_}/receipts?limit=100")
        for row in ({**message, "uid": ""}, *receipts):
            for kind in ("deliveredAt", "readAt"):
                found[id_, row["uid"], kind] = row.get(kind)
    return found


async def series(node: Node, world: World) -> list[tuple[object, ...]]:
    """Return the receipts of the app, as what they have in common and their day."""
    rows = await stored(
        node,
        world,
        "SELECT conversation, uid, kind, alone, at FROM receipts WHERE app_id = :app_id",
    )
    return [(*row[:4], row[4] // DAY) for row in rows]


@pytest.mark.parametrize("seed", range(4))
async def test_old_times_stay_exact_to_the_day(
    node: Node, town: World, clock: ManualClock, seed: int
) -> None:
    """No receipt comes or goes; old ones stay on their day, and new ones as they are."""
    ids = await talk_for_days(town, clock, random.Random(seed))
    before, rows = await times_of(town, ids), await series(node, town)
    clock.advance(EXACT + DAY)
    recent = await say(town, "anna", to_user("dora"))
    await mark(town, "dora", "/users/anna/conversation/delivered")
    clock.advance(5)
    await mark(town, "dora", "/users/anna/conversation/read")
    new = await times_of(town, [recent["id"]])

    await merge_receipts(node.runtime, chunk=3)

    after = await times_of(town, ids)
    assert after.keys() == before.keys()
    for key, at in before.items():
        now = after[key]
        assert (now is None) == (at is None), key
        assert at is None or now is None or (now >= at and now // DAY == at // DAY), key
    assert await times_of(town, [recent["id"]]) == new
    assert len(await series(node, town)) < len(rows)


async def test_a_day_of_marks_is_one_row(node: Node, town: World, clock: ManualClock) -> None:
    """Whoever marks each message has one receipt of each kind and day when they are old."""
    for _ in range(2):
        for sender in ("anna", "chiara") * 3:
            await say(town, sender, to_group("hikers"))
            for uid in MEMBERS:
                clock.advance(1)
                await mark(town, uid, "/groups/hikers/conversation/read")
        clock.advance(DAY)
    before = await series(node, town)
    clock.advance(EXACT - 3 * DAY // 2)
    await merge_receipts(node.runtime)
    assert await series(node, town) != before, "only the first day is old enough"
    clock.advance(DAY - 1)
    await merge_receipts(node.runtime)
    assert len(await series(node, town)) > len(set(before)), "a walk begins once a day"
    clock.advance(1)

    await merge_receipts(node.runtime, chunk=5)

    assert sorted(map(str, await series(node, town))) == sorted(map(str, set(before)))


async def test_a_walk_goes_on_where_it_stopped(node: Node, town: World, clock: ManualClock) -> None:
    """A run ends between two conversations, and the next one goes on."""
    for uid in ("ben", "chiara"):
        for _ in range(3):
            await say(town, "anna", to_user(uid))
            await mark(town, uid, "/users/anna/conversation/read")
    before = await series(node, town)
    clock.advance(EXACT + 1)

    left = []
    for _ in range(3):
        await merge_receipts(node.runtime, chunk=4, chunks=1)
        left.append(len(await series(node, town)))

    assert len(before) == 12
    assert left[0] > left[-1] == 4
