"""Each change of members is recorded twice: in the group's history, and in the app's log."""

import json
from typing import Any

import pytest
from tests.api.groups.clubs import (
    BANS,
    HIKERS,
    MEMBERS,
    NO_GROUP,
    create_group,
    join_group,
    make_hikers,
    member_actions,
    scopes,
)
from tests.api.messages.talk import events, to_group
from tests.clock import ManualClock
from tests.world import Json, Node, World


@pytest.fixture
async def hikers(world: World) -> World:
    """Olga's hikers, with a member of each scope, a banned user and a stranger."""
    await make_hikers(world)
    return world


async def log_of(node: Node, world: World) -> list[tuple[str, Json]]:
    """Return the app's log: the name and the body of each event."""
    return [(name, json.loads(body)) for _, _, name, _, body in await events(node, world)]


async def newest(world: World) -> Json:
    """Return the newest message in the history of the hikers."""
    (message,) = await world.get(f"{HIKERS}/messages?affix=prepend&limit=1")
    found: Json = message
    return found


Call = tuple[str, str, Any]
JOIN: Call = ("POST", MEMBERS, {})
CHANGES: list[tuple[Call, str | None, str, str, str]] = [
    (JOIN, "sara", "joined", "sara", "sara"),
    (("DELETE", f"{MEMBERS}/paul", None), "paul", "left", "paul", "paul"),
    (("POST", MEMBERS, {"participants": ["sara"]}), "adam", "added", "adam", "sara"),
    (("POST", MEMBERS, {"admins": ["sara"]}), None, "added", "app_system", "sara"),
    (("DELETE", f"{MEMBERS}/paul", None), "mona", "kicked", "mona", "paul"),
    (("DELETE", f"{MEMBERS}/adam", None), None, "kicked", "app_system", "adam"),
    (("POST", f"{BANS}/paul", None), "mona", "banned", "mona", "paul"),
    (("POST", f"{BANS}/sara", None), "olga", "banned", "olga", "sara"),
    (("POST", f"{HIKERS}/banned_members/adam", None), None, "banned", "app_system", "adam"),
    (("POST", MEMBERS, {"usersToBan": ["paul"]}), "adam", "banned", "adam", "paul"),
    (("DELETE", f"{BANS}/bob", None), "mona", "unbanned", "mona", "bob"),
    (("DELETE", f"{HIKERS}/banned_members/bob", None), None, "unbanned", "app_system", "bob"),
    (("PUT", f"{MEMBERS}/paul", {"scope": "admin"}), "olga", "scopeChanged", "olga", "paul"),
    (("PUT", f"{MEMBERS}/mona", {}), None, "scopeChanged", "app_system", "mona"),
]
EVENTS = {
    "joined": "group_member_joined",
    "left": "group_member_left",
    "added": "group_member_added",
    "kicked": "group_member_kicked",
    "banned": "group_member_banned",
    "unbanned": "group_member_unbanned",
    "scopeChanged": "group_member_scope_changed",
}
EACH = pytest.mark.parametrize(("call", "as_", "action", "by", "on"), CHANGES, ids=str)


@EACH
async def test_a_change_is_in_the_history(
    hikers: World, clock: ManualClock, call: Call, as_: str | None, action: str, by: str, on: str
) -> None:
    """The history gets one action message of the actor, with by, on and for."""
    before = await hikers.get(f"{HIKERS}/messages")
    clock.advance(1)
    await hikers.call(*call, as_=as_)

    message = await newest(hikers)
    after = await hikers.get(f"{HIKERS}/messages")
    assert [row["id"] for row in after] == [*(row["id"] for row in before), message["id"]]
    data = message.pop("data")
    assert message == {
        "id": str(int(before[-1]["id"]) + 1),
        "conversationId": "group_hikers",
        "sender": by,
        "receiverType": "group",
        "receiver": "hikers",
        "category": "action",
        "type": "groupMember",
        "sentAt": clock.now(),
        "updatedAt": clock.now(),
    }
    assert (data.keys(), data["action"]) == ({"action", "entities"}, action)
    entities = data["entities"]
    assert {name: each["entityType"] for name, each in entities.items()} == {
        "by": "user",
        "on": "user",
        "for": "group",
    }
    assert (entities["by"]["entity"]["uid"], entities["on"]["entity"]["uid"]) == (by, on)
    group = await hikers.get(HIKERS)
    shown = entities["for"]["entity"]
    assert shown == {name: group[name] for name in shown}
    assert shown["membersCount"] == len(await scopes(hikers))


@EACH
async def test_a_change_is_in_the_log(
    node: Node, hikers: World, call: Call, as_: str | None, action: str, by: str, on: str
) -> None:
    """The log gets one event of the change, which names the action message."""
    before = await log_of(node, hikers)
    await hikers.call(*call, as_=as_)

    ((name, body),) = (await log_of(node, hikers))[len(before) :]
    assert name == EVENTS[action]
    message = await newest(hikers)
    assert (body["guid"], body["uid"], body.get("by", on)) == ("hikers", on, by)
    assert (str(body["message"]), body["at"]) == (message["id"], message["sentAt"])
    assert body["members_count"] == len(await scopes(hikers))


async def test_actions_of_the_app_name_the_system(hikers: World) -> None:
    """Actions of the app are recorded as by the user `app_system`, named System."""
    await hikers.delete(f"{MEMBERS}/paul")

    by = (await newest(hikers))["data"]["entities"]["by"]["entity"]
    assert (by["uid"], by["name"], by["role"]) == ("app_system", "System", "default")


async def test_a_changed_scope_is_recorded_with_the_old_one(node: Node, hikers: World) -> None:
    """History and log have a member's new scope, and the old one."""
    await hikers.put(f"{MEMBERS}/paul", {"scope": "moderator"})

    on = (await newest(hikers))["data"]["entities"]["on"]["entity"]
    assert (on["scope"], on["oldScope"]) == ("moderator", "participant")
    _, body = (await log_of(node, hikers))[-1]
    assert (body["scope"], body["old_scope"]) == ("moderator", "participant")


async def test_several_users_have_an_event_each(node: Node, hikers: World) -> None:
    """Each user added or banned in one call has a message and an event, in one order."""
    await hikers.users("tim", "tom")
    done, logged = await member_actions(hikers), await log_of(node, hikers)
    lists = {"participants": ["tim", "paul"], "admins": ["sara"], "usersToBan": ["tom", "bob"]}
    await hikers.post(MEMBERS, lists, as_="adam")

    new = (await member_actions(hikers))[len(done) :]
    assert new == [("added", "adam", "sara"), ("added", "adam", "tim"), ("banned", "adam", "tom")]
    assert [(name, body["uid"]) for name, body in (await log_of(node, hikers))[len(logged) :]] == [
        (EVENTS[action], uid) for action, _, uid in new
    ]


async def test_a_new_group_is_logged_with_its_members(node: Node, world: World) -> None:
    """The log has the new group first, then each user who was added or banned with it."""
    await make_hikers(world)

    assert [(name, body.get("uid")) for name, body in await log_of(node, world)] == [
        ("group_created", None),
        ("group_member_added", "adam"),
        ("group_member_added", "mona"),
        ("group_member_added", "paul"),
        ("group_member_banned", "bob"),
    ]
    assert await member_actions(world) == [
        ("added", "olga", "adam"),
        ("added", "olga", "mona"),
        ("added", "olga", "paul"),
        ("banned", "olga", "bob"),
    ]


@pytest.mark.parametrize("by", [None, "olga"])
async def test_the_life_of_a_group_is_logged(node: Node, world: World, by: str | None) -> None:
    """The log records when a group is created, changed and deleted, and the actor."""
    await world.user("olga")
    await create_group(world, by=by)
    await world.put(HIKERS, {"name": "Walkers"}, as_=by)
    await world.delete(HIKERS, as_=by)

    logged = await log_of(node, world)
    assert [name for name, _ in logged] == ["group_created", "group_updated", "group_deleted"]
    assert {(body["guid"], body["by"]) for _, body in logged} == {("hikers", by or "app_system")}


async def test_a_new_owner_is_logged_with_the_old_one(node: Node, hikers: World) -> None:
    """When the owner goes, the log records that, and the new owner."""
    before = len(await log_of(node, hikers))
    await hikers.delete(f"{MEMBERS}/olga", as_="olga")

    (left, handed_on) = (await log_of(node, hikers))[before:]
    assert left[0] == "group_member_left"
    assert handed_on[0] == "group_owner_transferred"
    assert (handed_on[1]["owner"], handed_on[1]["old_owner"]) == ("adam", "olga")


async def test_an_owner_from_outside_is_logged_as_added(node: Node, hikers: World) -> None:
    """A user who is made owner by the app and was no member is recorded as added, too."""
    before = len(await log_of(node, hikers))
    await hikers.put(HIKERS, {"owner": "sara"})

    new = [name for name, _ in (await log_of(node, hikers))[before:]]
    assert new == ["group_member_added", "group_owner_transferred"]
    assert (await member_actions(hikers))[-1] == ("added", "app_system", "sara")


REFUSED: list[tuple[Call, str | None, int]] = [
    (JOIN, "paul", 409),
    (JOIN, "bob", 403),
    (("DELETE", f"{MEMBERS}/sara", None), "sara", 403),
    (("DELETE", f"{MEMBERS}/mona", None), "paul", 403),
    (("DELETE", f"{MEMBERS}/sara", None), None, 404),
    (("DELETE", f"{MEMBERS}/olga", None), "adam", 403),
    (("POST", MEMBERS, {"participants": ["sara"]}), "mona", 403),
    (("POST", MEMBERS, {"participants": ["sara", "x y"]}), None, 400),
    (("POST", MEMBERS, {"participants": ["paul", "bob", "nobody"]}), None, 200),
    (("POST", MEMBERS, {"usersToBan": ["olga", "bob", "nobody"]}), "adam", 200),
    (("POST", MEMBERS, {}), None, 200),
    (("POST", f"{BANS}/bob", None), None, 409),
    (("POST", f"{BANS}/olga", None), "adam", 403),
    (("POST", f"{BANS}/adam", None), "adam", 403),
    (("DELETE", f"{BANS}/paul", None), None, 404),
    (("DELETE", f"{BANS}/bob", None), "paul", 403),
    (("PUT", f"{MEMBERS}/paul", {"scope": "participant"}), None, 400),
    (("PUT", f"{MEMBERS}/paul", {"scope": "owner"}), None, 400),
    (("PUT", f"{MEMBERS}/adam", {"scope": "participant"}), "mona", 403),
    (("PUT", HIKERS, {"name": "Ours"}), "paul", 403),
    (("PUT", HIKERS, {"name": "Ours", "owner": "bob"}), None, 403),
    (("PUT", HIKERS, {"type": "password"}), "olga", 400),
    (("DELETE", HIKERS, None), "mona", 403),
    (("POST", "/groups", {"guid": "hikers", "name": "H", "type": "public"}), "sara", 409),
]


@pytest.mark.parametrize(("call", "as_", "status"), REFUSED, ids=str)
async def test_refusals_are_not_recorded(
    node: Node, hikers: World, call: Call, as_: str | None, status: int
) -> None:
    """Refused or empty changes are neither in the history nor in the log."""
    history, log = await hikers.get(f"{HIKERS}/messages"), await events(node, hikers)
    await hikers.call(*call, as_=as_, status=status)

    assert await hikers.get(f"{HIKERS}/messages") == history
    assert await events(node, hikers) == log


async def test_numbers_are_dense(node: Node, hikers: World) -> None:
    """Refusals leave no gap in the numbers of events and messages."""
    for uid in ("sara", "paul", "bob", "nobody"):
        await hikers.ask("POST", MEMBERS, {}, as_=uid)
        await hikers.ask("DELETE", f"{MEMBERS}/{uid}", as_="mona")
        await hikers.ask("POST", f"{BANS}/{uid}", as_=uid)
    await hikers.post("/messages", to_group("hikers"), as_="olga")

    numbers = [row[0] for row in await events(node, hikers)]
    assert numbers == list(range(1, len(numbers) + 1))
    ids = [int(row["id"]) for row in await hikers.get(f"{HIKERS}/messages")]
    assert ids == list(range(1, len(ids) + 1))


async def test_the_history_shows_current_names(hikers: World) -> None:
    """An action message shows names as they are when it is read, not when it was written."""
    await join_group(hikers, "sara")
    await hikers.put("/users/sara", {"name": "Sara Keller"})
    await hikers.put(HIKERS, {"name": "Walkers"})

    entities = (await newest(hikers))["data"]["entities"]
    assert entities["by"]["entity"]["name"] == entities["on"]["entity"]["name"] == "Sara Keller"
    assert entities["for"]["entity"]["name"] == "Walkers"


async def test_only_members_read_the_history(hikers: World) -> None:
    """New members read earlier actions, including their own joining; strangers read nothing."""
    await create_group(hikers, "secret", type="private")
    path = "/groups/secret/messages"
    await hikers.refused("GET", path, as_="sara", status=404, code=NO_GROUP)
    await join_group(hikers, "sara")

    rows = await hikers.get(f"{HIKERS}/messages", as_="sara")
    assert len(rows) == 5
    assert rows[-1]["data"]["entities"]["on"]["entity"]["uid"] == "sara"
    one = await hikers.get(f"/messages/{rows[0]['id']}", as_="sara")
    assert one == rows[0]
