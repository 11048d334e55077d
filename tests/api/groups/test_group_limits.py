"""Limits of members, groups and characters: the last one is accepted, the next is refused."""

import asyncio
import json
from typing import Any

import pytest
from tests.api.groups.clubs import (
    BAD,
    HIKERS,
    MEMBERS,
    add_participants,
    change_store,
    create_group,
    create_member,
    join_group,
    scopes,
)
from tests.api.messages.talk import import_rows
from tests.world import Json, Node, World

from hubbub.outbox import lock_counters
from hubbub.storage.interface import Transaction
from hubbub.storage.queries import Query

FULL = "ERR_NO_VACANCY"
LIMIT = "ERR_LIMIT_EXCEEDED"
MOST_MEMBERS = 100_000
MOST_GROUPS = 2_000
INSERT = Query(
    "insert_member",
    "INSERT INTO members (app_id, conversation, uid, scope, joined_at)"
    " VALUES (:app_id, :conversation, :uid, 'participant', 1)",
    is_bulk=True,
)
COUNT = Query(
    "count_members",
    "UPDATE groups SET members_count = members_count + :count"
    " WHERE app_id = :app_id AND guid = 'hikers'",
)
FIND = Query("find", "SELECT conversation FROM groups WHERE app_id = :app_id AND guid = 'hikers'")


async def crowd(node: Node, world: World, count: int) -> None:
    """Insert a number of members into the hikers' rows."""

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        ((number,),) = await tx.fetch(FIND)
        uids = [f"crowd-{place}" for place in range(count)]
        await tx.run_many(INSERT, [{"conversation": number, "uid": uid} for uid in uids])
        await tx.run(COUNT, count=count)

    await node.runtime.database.write(world.app_id, within)


async def size(world: World) -> int:
    """Return the number of hikers, by the group and by its list."""
    await world.get(f"{MEMBERS}?perPage=1&scopes=admin,moderator,participant")
    listed: int = world.answer.meta["pagination"]["total"]
    assert (await world.get(HIKERS))["membersCount"] == listed
    return listed


# Members of a group


async def test_a_group_has_room_for_100_000(node: Node, world: World) -> None:
    """After the 100,000th member, nobody can join, be added, or become the owner."""
    await world.users("anna", "ben", "olga")
    await create_group(world)
    await crowd(node, world, MOST_MEMBERS - 2)
    await join_group(world, "anna")

    assert await size(world) == MOST_MEMBERS
    await world.refused("POST", MEMBERS, {}, as_="ben", status=409, code=FULL)
    outcome = (await add_participants(world, "hikers", "ben"))["ben"]
    assert (outcome["success"], outcome["error"]["code"]) == (False, FULL)
    await world.refused("PUT", HIKERS, {"owner": "ben"}, status=409, code=FULL)
    assert await size(world) == MOST_MEMBERS
    await world.delete(f"{MEMBERS}/anna", as_="anna")
    await join_group(world, "ben")
    assert await size(world) == MOST_MEMBERS


@pytest.fixture
async def nearly_full(node: Node, world: World) -> World:
    """The hikers, with one place left, and ten users who want it."""
    await world.users("olga", *(f"hiker-{number}" for number in range(10)))
    await create_group(world)
    count = "UPDATE groups SET members_count = :count WHERE app_id = :app_id"
    await change_store(node, world, count, count=MOST_MEMBERS - 1)
    return world


async def test_one_joins_in_the_last_place(nearly_full: World) -> None:
    """Of several users who join at the same time one gets the last place."""
    answers = await asyncio.gather(
        *(nearly_full.ask("POST", MEMBERS, {}, as_=f"hiker-{number}") for number in range(10))
    )

    assert sorted(answer.status for answer in answers) == [200] + [409] * 9
    codes = {answer.error["code"] for answer in answers if answer.status == 409}
    assert codes == {FULL}
    assert (await nearly_full.get(HIKERS))["membersCount"] == MOST_MEMBERS


async def test_one_is_added_in_the_last_place(nearly_full: World) -> None:
    """Of several users who are added, in one call or many, or join, one gets the last place."""
    answers = await asyncio.gather(
        nearly_full.ask("POST", MEMBERS, {"participants": ["hiker-0", "hiker-1", "hiker-2"]}),
        nearly_full.ask("POST", MEMBERS, {"admins": ["hiker-3"]}, as_="olga"),
        nearly_full.ask("POST", MEMBERS, {}, as_="hiker-4"),
        nearly_full.ask("PUT", HIKERS, {"owner": "hiker-5"}),
    )

    group = await nearly_full.get(HIKERS)
    assert group["membersCount"] == MOST_MEMBERS, answers
    assert len(await nearly_full.get(MEMBERS)) == 2


async def test_joining_a_full_group_as_a_member(nearly_full: World) -> None:
    """In a full group a member who joins gets that error, and may still be given a scope."""
    await join_group(nearly_full, "hiker-0")
    joined = "ERR_ALREADY_JOINED"
    await nearly_full.refused("POST", MEMBERS, {}, as_="hiker-0", status=409, code=joined)

    changed = await nearly_full.put(f"{MEMBERS}/hiker-0", {"scope": "admin"})
    assert changed["scope"] == "admin"
    await nearly_full.put(HIKERS, {"owner": "hiker-0"})


# Groups of a user


@pytest.fixture
async def busy(node: Node, world: World) -> World:
    """Anna, who is in 1,999 groups."""
    await world.users("anna", "olga")
    await create_group(world)
    for start in range(0, MOST_GROUPS - 1, 50):
        guids = [f"club-{number}" for number in range(start, min(start + 50, MOST_GROUPS - 1))]
        row: Json = {"type": "public", "owner": "anna", "createdAt": 1}
        rows = {guid: {"guid": guid, "name": guid, **row} for guid in guids}
        made = await import_rows(world, "groups", rows)
        assert all(outcome["success"] for outcome in made.values())
        await node.runtime.database.maintain()  # as a running node does, every second
    return world


async def test_a_user_is_in_2_000_groups(busy: World) -> None:
    """After her 2,000th group, Anna cannot create, join or be given another."""
    await join_group(busy, "anna")
    await busy.get("/groups?hasJoined=true&perPage=1", as_="anna")
    assert busy.answer.meta["pagination"]["total"] == MOST_GROUPS

    await create_group(busy, "divers")
    divers = "/groups/divers"
    new: Json = {"guid": "readers", "name": "Readers", "type": "public"}
    for method, path, body, uid in [
        ("POST", f"{divers}/members", {}, "anna"),
        ("POST", "/groups", new, "anna"),
        ("POST", "/groups", {**new, "owner": "anna"}, None),
        ("PUT", divers, {"owner": "anna"}, None),
    ]:
        details = await busy.refused(method, path, body, as_=uid, status=400, code=LIMIT)
        assert "2,000" in str(details)
    assert (await add_participants(busy, "divers", "anna"))["anna"]["error"]["code"] == LIMIT
    assert await scopes(busy, "divers") == {"olga": "admin"}
    await busy.refused("GET", "/groups/readers", status=404, code="ERR_GUID_NOT_FOUND")


async def test_a_group_less_makes_room(busy: World) -> None:
    """Leaving a group, or its deletion, makes room for another at once."""
    await create_group(busy, "divers")
    await join_group(busy, "anna")
    await busy.delete(f"{MEMBERS}/anna", as_="anna")
    await join_group(busy, "anna", "divers")
    await busy.delete("/groups/club-7")
    await join_group(busy, "anna")

    await create_group(busy, "readers")
    path = "/groups/readers/members"
    await busy.refused("POST", path, {}, as_="anna", status=400, code=LIMIT)


async def test_one_group_in_the_last_place(busy: World) -> None:
    """Of several groups that she creates or joins at the same time one is her last."""
    new: Json = {"name": "New", "type": "public"}
    answers = await asyncio.gather(
        *(busy.ask("POST", "/groups", {**new, "guid": f"new-{n}"}, as_="anna") for n in range(3)),
        busy.ask("POST", MEMBERS, {}, as_="anna"),
    )

    assert sorted(answer.status for answer in answers) == [200, 400, 400, 400]
    await busy.get("/groups?hasJoined=true&perPage=1", as_="anna")
    assert busy.answer.meta["pagination"]["total"] == MOST_GROUPS


# Both as settings


async def test_how_many_members_is_a_setting(world: World) -> None:
    """The app's setting limits the members of a group; a group with more keeps them."""
    await world.users("anna", "ben", "olga")
    await create_group(world)
    await world.put("/settings", {"settings": {"limits.groupMembers": 2}})
    await join_group(world, "anna")
    await world.refused("POST", MEMBERS, {}, as_="ben", status=409, code=FULL)
    assert (await add_participants(world, "hikers", "ben"))["ben"]["error"]["code"] == FULL

    await world.put("/settings", {"settings": {"limits.groupMembers": 1}})
    assert await size(world) == 2
    await world.delete("/settings", {"keys": ["limits.groupMembers"]})
    await join_group(world, "ben")


async def test_how_many_groups_is_a_setting(world: World) -> None:
    """The app's setting limits the groups that a user creates and joins."""
    await world.users("anna", "olga")
    await world.put("/settings", {"settings": {"limits.groupsPerUser": 1}})
    await create_group(world)
    await join_group(world, "anna")

    new: Json = {"guid": "readers", "name": "Readers", "type": "public"}
    await world.refused("POST", "/groups", new, as_="olga", status=400, code=LIMIT)
    await create_group(world, "divers", by=None)
    path = "/groups/divers/members"
    await world.refused("POST", path, {}, as_="anna", status=400, code=LIMIT)
    await world.put("/settings", {"settings": {"limits.groupsPerUser": 2}})
    await join_group(world, "anna", "divers")


# Characters


def link(length: int) -> str:
    """Return a URL of that many characters."""
    return "https://example.com/".ljust(length, "x")


def metadata(length: int) -> Json:
    """Return metadata of that many bytes of compact JSON."""
    value = {"note": "é"}
    spare = length - len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
    return {"note": "é" + "x" * spare}


FIELDS: list[tuple[str, Any, Any, str]] = [
    ("name", "n" * 100, "n" * 101, "name"),
    ("name", "🏔" * 100, "🏔" * 101, "name"),
    ("description", "d" * 255, "d" * 256, "description"),
    ("description", "é" * 255, "é" * 256, "description"),
    ("icon", link(3000), link(3001), "icon"),
    ("metadata", metadata(5120), metadata(5121), "metadata"),
    ("tags", [f"t{n}" for n in range(25)], [f"t{n}" for n in range(26)], "tags"),
    ("tags", ["t" * 100], ["x", "t" * 101], "tags.1"),
    ("tags", ["山" * 100], ["山" * 101], "tags.0"),
]


@pytest.mark.parametrize(("field", "most", "too_much", "place"), FIELDS)
async def test_how_long_a_field_may_be(
    world: World, field: str, most: Any, too_much: Any, place: str
) -> None:
    """A field accepts its greatest length, when a group is created and when it is changed."""
    made = await create_group(world, by=None, **{field: most})
    changed = await world.put(HIKERS, {field: most})
    assert made[field] == changed[field] == most

    new: Json = {"guid": "divers", "name": "Divers", "type": "public", field: too_much}
    for method, path, body in (("POST", "/groups", new), ("PUT", HIKERS, {field: too_much})):
        assert list(await world.refused(method, path, body, status=400, code=BAD)) == [place]
    assert await world.get(HIKERS) == changed


async def test_how_long_a_guid_may_be(world: World) -> None:
    """A guid has 1 to 100 characters; one of 100 works everywhere."""
    guid = "g" * 100
    await seat_in(world, guid)
    assert await world.uids(f"/groups/{guid}/members") == ["anna"]

    new: Json = {"guid": guid + "g", "name": "Long", "type": "public"}
    assert list(await world.refused("POST", "/groups", new, status=400, code=BAD)) == ["guid"]
    path = f"/groups/{guid}g"
    assert list(await world.refused("GET", path, status=400, code=BAD)) == ["guid"]


async def seat_in(world: World, guid: str) -> None:
    """Create a group with one member."""
    await create_group(world, guid, by=None)
    await create_member(world, "anna", "participant", guid)
