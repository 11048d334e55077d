"""The payloads of triggers about groups and their members."""

import pytest
from tests.api.groups.clubs import BANS, HIKERS, MEMBERS, change_store, create_group, join_group
from tests.api.messages.talk import say, to_group
from tests.api.payloads.rendered import data_of, list_rendered
from tests.clock import ManualClock
from tests.world import Json, Node, World

BY = ("group_member_added", "group_member_kicked", "group_member_banned", "group_member_unbanned")
FIELDS: Json = {
    "description": "We hike",
    "icon": "https://example.com/icon.png",
    "tags": ["outdoors"],
    "metadata": {"a": [1]},
}


@pytest.fixture
async def town(world: World) -> World:
    """Olga has a group of hikers; Anna and Ben are not in it."""
    await world.user("olga", avatar="https://example.com/olga.png")
    await world.users("anna", "ben")
    await create_group(world, by="olga", **FIELDS)
    return world


def user(uid: str, **fields: str) -> Json:
    """Return a user as payloads show them."""
    avatar = {"avatar": "https://example.com/olga.png"} if uid == "olga" else {}
    shown = {"uid": uid, "name": uid.capitalize(), "status": "offline", "role": "default"}
    return {**shown, **avatar, **fields}


async def group(world: World, **fields: object) -> Json:
    """Return the group as the app gets it, without the fields of a viewer, with others instead."""
    shown = await world.get(HIKERS)
    del shown["hasJoined"]
    return {**shown, **fields}


async def test_a_group_of_a_user(node: Node, town: World, clock: ManualClock) -> None:
    """A group that a user created has its owner as member, and the creator's own fields."""
    assert await data_of(node, town, "group_created") == [
        {
            "group": {
                "guid": "hikers",
                "name": "Hikers",
                **FIELDS,
                "type": "public",
                "owner": "olga",
                "membersCount": 1,
                "conversationId": "group_hikers",
                "createdAt": clock.now(),
                "scope": "admin",
                "joinedAt": clock.now(),
                "hasJoined": True,
            },
            "members": {"olga": user("olga")},
        }
    ]


@pytest.mark.parametrize("owner", ["anna", None])
async def test_a_group_of_the_app(node: Node, town: World, owner: str | None) -> None:
    """A group that the app created has no fields of a viewer; one without an owner, no members."""
    given = {"owner": owner} if owner else {}
    await create_group(town, "runners", by=None, **given)

    _, found = await data_of(node, town, "group_created")
    assert found["members"] == ({"anna": user("anna")} if owner else {})
    assert found["group"]["owner"] == (owner or "app_system")
    assert not found["group"].keys() & {"scope", "joinedAt", "hasJoined"}


async def test_a_changed_group(node: Node, town: World, clock: ManualClock) -> None:
    """A changed group has its new fields, who changed it, and how many members are connected."""
    await town.post(MEMBERS, {"participants": ["anna", "ben"]}, as_="olga")
    clock.advance(3)
    await town.put(HIKERS, {"name": "Walkers", "unset": ["icon"]}, as_="olga")
    available = "UPDATE users SET status = 'available' WHERE app_id = :app_id AND uid <> 'ben'"
    await change_store(node, town, available)

    [found] = await data_of(node, town, "group_updated")
    assert found == {"group": await group(town, onlineMembersCount=2)}
    shown = found["group"]
    assert (shown["updatedAt"], shown["updatedBy"]) == (clock.now(), "olga")
    assert (shown["name"], "icon" in shown) == ("Walkers", False)


async def test_a_deleted_group(node: Node, town: World, clock: ManualClock) -> None:
    """A deleted group is shown as it was last, with who deleted it and when."""
    created_at = clock.now()
    await town.post(MEMBERS, {"participants": ["anna"]}, as_="olga")
    clock.advance(3)
    await town.delete(HIKERS, as_="olga")
    await create_group(town, by="anna", name="Another group")

    found = await list_rendered(node, town)
    assert [data for trigger, data in found if trigger == "group_deleted"] == [
        {
            "group": {
                "guid": "hikers",
                "name": "Hikers",
                "description": FIELDS["description"],
                "icon": FIELDS["icon"],
                "type": "public",
                "owner": "olga",
                "membersCount": 2,
                "conversationId": "group_hikers",
                "createdAt": created_at,
                "updatedAt": clock.now(),
                "updatedBy": "olga",
                "onlineMembersCount": 0,
            }
        }
    ]
    others = [(trigger, data) for trigger, data in found if trigger != "group_deleted"]
    assert [trigger for trigger, _ in others] == ["group_created"]
    assert others[0][1]["group"]["name"] == "Another group", "not the former one's event"


async def test_a_new_owner(node: Node, town: World) -> None:
    """A transferred group has its new owner, and the former one as a user."""
    await town.post(MEMBERS, {"admins": ["anna"]}, as_="olga")
    await town.put(HIKERS, {"owner": "anna"})
    after = await group(town)
    await town.put(HIKERS, {"owner": "olga"})

    first, second = await data_of(node, town, "group_owner_transferred")
    assert first == {"group": after, "oldOwner": user("olga")}
    assert second == {"group": await group(town), "oldOwner": user("anna")}
    assert (first["group"]["owner"], second["group"]["owner"]) == ("anna", "olga")


async def test_members_who_join_and_leave(node: Node, town: World) -> None:
    """Who joins or leaves is in `members`; the action message of it is there, too."""
    await join_group(town, "anna")
    await town.delete(f"{MEMBERS}/anna", as_="anna")
    joined, left = await _action(town, "joined"), await _action(town, "left")

    base: Json = {"members": {"anna": user("anna")}}
    assert await data_of(node, town, "group_member_joined") == [
        {**base, "group": await group(town, membersCount=2), "message": joined}
    ]
    assert await data_of(node, town, "group_member_left") == [
        {**base, "group": await group(town, membersCount=1), "message": left}
    ]


@pytest.mark.parametrize("by", ["olga", None])
async def test_what_is_done_to_members(node: Node, town: World, by: str | None) -> None:
    """Who added, kicked, banned or unbanned a user is in `by`; each user has an event."""
    await town.post(MEMBERS, {"participants": ["anna", "ben"]}, as_=by)
    await town.delete(f"{MEMBERS}/ben", as_=by)
    await town.post(f"{BANS}/anna", as_=by)
    await town.delete(f"{BANS}/anna", as_=by)

    actor = user("olga") if by else {**user("app_system"), "name": "System"}
    found = [(trigger, data) for trigger, data in await list_rendered(node, town) if trigger in BY]
    assert [(trigger, list(data["members"])) for trigger, data in found] == [
        ("group_member_added", ["anna"]),
        ("group_member_added", ["ben"]),
        ("group_member_kicked", ["ben"]),
        ("group_member_banned", ["anna"]),
        ("group_member_unbanned", ["anna"]),
    ]
    counts = (2, 3, 2, 1, 1)
    actions = ("added", "added", "kicked", "banned", "unbanned")
    for (_, data), count, action in zip(found, counts, actions, strict=True):
        [uid] = data["members"]
        assert data == {
            "group": await group(town, membersCount=count),
            "members": {uid: user(uid)},
            "by": actor,
            "message": await _action(town, action, uid),
        }


async def test_a_changed_scope(node: Node, town: World) -> None:
    """A member whose scope changed has the new and the former one."""
    await town.post(MEMBERS, {"participants": ["anna"]}, as_="olga")
    await town.put(f"{MEMBERS}/anna", {"scope": "moderator"}, as_="olga")

    assert await data_of(node, town, "group_member_scope_changed") == [
        {
            "group": await group(town),
            "members": {"anna": user("anna", scope="moderator", oldScope="participant")},
            "by": user("olga"),
            "message": await _action(town, "scopeChanged"),
        }
    ]


async def test_members_of_a_cleared_conversation(node: Node, town: World) -> None:
    """If the messages of the group are deleted, the action message is missing, nothing else."""
    await join_group(town, "anna")
    await say(town, "anna", to_group("hikers"))
    await town.delete(f"{HIKERS}/conversation", {"deleteMessagesPermanently": True}, as_="olga")

    [found] = await data_of(node, town, "group_member_joined")
    assert found.keys() == {"group", "members"}


async def test_nothing_is_rendered_of_a_group_that_is_gone(node: Node, town: World) -> None:
    """Of a deleted group only the deletion has a payload, though another one has its guid."""
    await town.post(MEMBERS, {"participants": ["anna"]}, as_="olga")
    await town.put(f"{MEMBERS}/anna", {"scope": "admin"}, as_="olga")
    await town.put(HIKERS, {"owner": "anna", "name": "Walkers"})
    await town.delete(HIKERS)
    await create_group(town, by="ben")

    found = [trigger for trigger, _ in await list_rendered(node, town)]
    assert found == ["group_deleted", "group_created"]


async def _action(world: World, action: str, uid: str = "anna") -> Json:
    """Return the action message about a member, as the app gets it."""
    rows = await world.get(f"{HIKERS}/messages?category=action")
    [found] = [
        row
        for row in rows
        if row["data"]["action"] == action and row["data"]["entities"]["on"]["entity"]["uid"] == uid
    ]
    shown: Json = found
    return shown
