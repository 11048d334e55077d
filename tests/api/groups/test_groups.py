"""Groups: create, find, change, delete; and the rights to do so."""

import asyncio

import pytest
from tests.api.groups.clubs import (
    BAD,
    BANNED,
    HIKERS,
    MEMBERS,
    NO_ADMIN,
    NO_GROUP,
    NO_MODERATOR,
    NOBODY,
    NOT_JOINED,
    banned,
    create_group,
    make_hikers,
    owner,
    scopes,
)
from tests.clock import ManualClock
from tests.world import Json, World

TAKEN = "ERR_GUID_ALREADY_EXISTS"
BODY: Json = {"guid": "hikers", "name": "Hikers", "type": "public"}
PROFILE: Json = {
    "name": "Hikers of Zürich",
    "icon": "https://example.com/hikers.png",
    "description": "Every Sunday, in any weather",
    "metadata": {"club": {"since": 1902}, "routes": [1, {"x": None}]},
    "tags": ["outdoor", "Zürich"],
}


@pytest.fixture
async def hikers(world: World) -> World:
    """Olga's hikers, with a member of each scope, a banned user and a stranger."""
    await make_hikers(world)
    return world


# Creating


async def test_a_user_creates_a_group(world: World, clock: ManualClock) -> None:
    """A user who creates a group owns it, and is its first member, as an admin."""
    await world.user("olga")
    made = await world.post("/groups", BODY, as_="olga")

    assert made == {
        "guid": "hikers",
        "name": "Hikers",
        "type": "public",
        "scope": "admin",
        "membersCount": 1,
        "joinedAt": clock.now(),
        "conversationId": "group_hikers",
        "hasJoined": True,
        "createdAt": clock.now(),
        "owner": "olga",
    }
    assert await world.get(HIKERS, as_="olga") == made
    assert await scopes(world) == {"olga": "admin"}


async def test_a_user_creates_a_group_with_a_token(world: World) -> None:
    """The bearer of a token creates groups of their own, whatever `owner` says."""
    await world.users("olga", "adam")
    token = await world.token("olga")
    made = await world.post("/groups", {**BODY, "owner": "adam"}, token=token)

    assert (made["owner"], made["scope"], made["membersCount"]) == ("olga", "admin", 1)


async def test_the_app_creates_a_group(world: World) -> None:
    """A group of the app is owned by `app_system`, who is no member and not counted."""
    made = await create_group(world, by=None)

    assert made["owner"] == "app_system"
    assert (made["hasJoined"], made["membersCount"]) == (False, 0)
    assert not made.keys() & {"scope", "joinedAt"}
    assert await scopes(world) == {}


async def test_the_app_creates_a_group_for_a_user(world: World) -> None:
    """The owner named by the app is a member, as an admin; the app is not."""
    await world.user("olga")
    made = await create_group(world, by=None, owner="Olga")

    assert (made["owner"], made["hasJoined"], made["membersCount"]) == ("olga", False, 1)
    seen = await world.get(HIKERS, as_="olga")
    assert (seen["scope"], seen["hasJoined"]) == ("admin", True)


async def test_a_group_is_created_with_all_there_is(world: World) -> None:
    """All given fields are stored, and returned as they were given."""
    await world.user("olga")
    made = await create_group(world, **PROFILE)

    assert {name: made[name] for name in PROFILE} == PROFILE
    assert await world.get(HIKERS, as_="olga") == made


async def test_a_guid_is_lowered(world: World) -> None:
    """Upper case in a guid is lowered wherever it is given."""
    made = await create_group(world, "Hikers_Z-1", by=None)

    assert (made["guid"], made["conversationId"]) == ("hikers_z-1", "group_hikers_z-1")
    assert (await world.get("/groups/HIKERS_z-1"))["guid"] == "hikers_z-1"
    again = {**BODY, "guid": "HIKERS_Z-1"}
    await world.refused("POST", "/groups", again, status=409, code=TAKEN)


async def test_a_guid_is_given_once_by_concurrent_calls(world: World) -> None:
    """Of many concurrent creations with a guid one succeeds, and has the only member."""
    uids = [f"hiker-{number}" for number in range(8)]
    await world.users(*uids)
    answers = await asyncio.gather(*(world.ask("POST", "/groups", BODY, as_=uid) for uid in uids))

    made = [answer.data["owner"] for answer in answers if answer.status == 200]
    assert sorted(answer.status for answer in answers) == [200] + [409] * 7
    assert await scopes(world) == {made[0]: "admin"}


async def test_a_guid_that_is_taken(hikers: World) -> None:
    """A guid that exists already is refused, also when it is that of a private group."""
    await create_group(hikers, "secret", type="private")
    for guid in ("hikers", "secret"):
        body = {**BODY, "guid": guid, "name": "Others"}
        await hikers.refused("POST", "/groups", body, as_="sara", status=409, code=TAKEN)

    assert (await hikers.get(HIKERS))["name"] == "Hikers"
    assert (await hikers.get("/groups/secret"))["membersCount"] == 1


async def test_an_owner_must_exist(world: World) -> None:
    """An owner who does not exist or is deactivated is refused; no group is created."""
    await world.user("olga")
    await world.delete("/users", {"uidsToDeactivate": ["olga"]})
    for uid in ("nobody", "olga"):
        body = {**BODY, "owner": uid}
        await world.refused("POST", "/groups", body, status=404, code=NOBODY)
        await world.refused("POST", "/groups", BODY, as_=uid, status=404, code=NOBODY)

    assert await world.get("/groups") == []


async def test_a_group_is_created_with_members(world: World) -> None:
    """A group can be created with members and bans; each member has the scope of their list."""
    await make_hikers(world)

    assert await scopes(world) == {
        "olga": "admin",
        "adam": "admin",
        "mona": "moderator",
        "paul": "participant",
    }
    assert await banned(world) == ["bob"]


async def test_a_group_is_created_without_refused_members(world: World) -> None:
    """Users who cannot be added or banned are left out, with the reason; the others are members."""
    await world.users("olga", "paul")
    lists = {
        "participants": ["nobody", "Paul", "olga", "app_system"],
        "usersToBan": ["paul", "olga", "nobody"],
    }
    made = await create_group(world, members=lists)

    assert made["membersCount"] == 2
    assert {
        uid: (outcome["success"], outcome["error"]["code"])
        for uid, outcome in made["members"].pop("participants").items()
    } == {
        "nobody": (False, "ERR_UID_NOT_FOUND"),
        "olga": (False, "ERR_ALREADY_JOINED"),
        "app_system": (False, "ERR_UID_NOT_FOUND"),
    }
    assert made["members"] == {}
    assert await scopes(world) == {"olga": "admin", "paul": "participant"}
    assert await banned(world) == []


# Looking one up


@pytest.mark.parametrize("type_", ["public", "password", "private"])
async def test_visibility_of_a_group(world: World, type_: str) -> None:
    """Everybody sees public and password groups; only members see a private one."""
    await make_hikers(world, type=type_, password="open")

    for uid in ("sara", "bob"):
        if type_ == "private":
            await world.refused("GET", HIKERS, as_=uid, status=404, code=NO_GROUP)
        else:
            seen = await world.get(HIKERS, as_=uid)
            assert seen["hasJoined"] is False
            assert not seen.keys() & {"scope", "joinedAt"}
    for uid, scope in (("adam", "admin"), ("mona", "moderator"), ("paul", "participant")):
        seen = await world.get(HIKERS, token=await world.token(uid))
        assert (seen["scope"], seen["hasJoined"]) == (scope, True)
    assert (await world.get(HIKERS))["type"] == type_


async def test_no_group_is_found(world: World) -> None:
    """A missing group is not found, by any call."""
    await world.user("olga")
    for uid in (None, "olga"):
        for method, path, body in [
            ("GET", "", None),
            ("PUT", "", {"name": "Nothing"}),
            ("DELETE", "", None),
            ("POST", "/members", {"participants": ["olga"]}),
            ("GET", "/members", None),
            ("PUT", "/members/olga", {"scope": "admin"}),
            ("DELETE", "/members/olga", None),
            ("GET", "/bannedusers", None),
            ("POST", "/bannedusers/olga", None),
            ("DELETE", "/bannedusers/olga", None),
        ]:
            path = f"/groups/nowhere{path}"
            await world.refused(method, path, body, as_=uid, status=404, code=NO_GROUP)


# Changing


@pytest.mark.parametrize("uid", [None, "olga", "adam", "mona"])
async def test_a_group_is_changed(hikers: World, clock: ManualClock, uid: str | None) -> None:
    """The app, admins and moderators change a group; fields that are not given are unchanged."""
    before = await hikers.put(HIKERS, PROFILE, as_=uid)
    clock.advance(60)

    after = await hikers.put(HIKERS, {"name": "Divers", "tags": ["sea"]}, as_=uid)

    changed = {"name": "Divers", "tags": ["sea"], "updatedAt": clock.now()}
    assert after == {**before, **changed, "updatedBy": uid or "app_system"}
    assert await hikers.get(HIKERS, as_=uid) == after


async def test_every_field_can_be_changed(hikers: World) -> None:
    """Every field of a profile can be changed."""
    after = await hikers.put(HIKERS, PROFILE)

    assert {name: after[name] for name in PROFILE} == PROFILE


@pytest.mark.parametrize(
    ("uid", "status", "code"),
    [("paul", 403, NO_MODERATOR), ("sara", 403, NOT_JOINED), ("bob", 403, BANNED)],
)
async def test_changes_that_are_refused(hikers: World, uid: str, status: int, code: str) -> None:
    """Participants, strangers and banned users are refused with the reason; nothing changes."""
    before = await hikers.get(HIKERS)
    await hikers.refused("PUT", HIKERS, {"name": "Ours"}, as_=uid, status=status, code=code)

    assert await hikers.get(HIKERS) == before


async def test_metadata_is_replaced(hikers: World) -> None:
    """Given metadata replaces all of the old."""
    await hikers.put(HIKERS, {"metadata": {"since": 1902, "club": "red"}})

    assert (await hikers.put(HIKERS, {"metadata": {"club": "blue"}}))["metadata"] == {
        "club": "blue"
    }


async def test_tags_keep_their_order(hikers: World) -> None:
    """Tags are returned in their order, each once, after creation and after a change."""
    made = await create_group(hikers, "divers", tags=["b", "a", "b", "c", "a"])
    changed = await hikers.put(HIKERS, {"tags": ["y", "x", "y"]})

    assert made["tags"] == ["b", "a", "c"]
    assert changed["tags"] == ["y", "x"]


async def test_tags_are_removed(hikers: World) -> None:
    """An empty list of tags removes all, and the group is no longer found by them."""
    await hikers.put(HIKERS, {"tags": ["outdoor"]})

    assert "tags" not in await hikers.put(HIKERS, {"tags": []})
    assert await hikers.get("/groups?tags=outdoor") == []


@pytest.mark.parametrize("name", ["icon", "description", "metadata"])
async def test_a_field_is_emptied(hikers: World, name: str) -> None:
    """`unset` removes a field, also when there was nothing."""
    before = await hikers.put(HIKERS, PROFILE)

    for _ in range(2):
        after = await hikers.put(HIKERS, {"unset": [name]})
        assert after.keys() == before.keys() - {name}
    assert (await hikers.get(HIKERS)).keys() == before.keys() - {name}


async def test_only_some_fields_can_be_emptied(hikers: World) -> None:
    """Required fields cannot be unset."""
    for name in ("name", "type", "password", "owner", "tags"):
        details = await hikers.refused("PUT", HIKERS, {"unset": [name]}, status=400, code=BAD)
        assert list(details) == ["unset.0"]


async def test_an_empty_description_is_left_out(hikers: World) -> None:
    """An empty description is left out of answers, however it came to be."""
    made = await create_group(hikers, "divers", description="")
    await hikers.put(HIKERS, {"description": "Sundays"})
    changed = await hikers.put(HIKERS, {"description": ""})

    assert "description" not in made
    assert "description" not in changed


async def test_a_guid_cannot_be_changed(hikers: World) -> None:
    """A guid in the body of a change is ignored, like any unknown field."""
    after = await hikers.put(HIKERS, {"guid": "divers", "membersCount": 7, "scope": "owner"})

    assert (after["guid"], after["membersCount"]) == ("hikers", 4)


async def test_concurrent_changes_are_all_kept(hikers: World) -> None:
    """Concurrent changes of different fields do not undo each other."""
    changes = [{name: value} for name, value in PROFILE.items()]
    await asyncio.gather(*(hikers.ask("PUT", HIKERS, change) for change in changes))

    after = await hikers.get(HIKERS)
    assert {name: after[name] for name in PROFILE} == PROFILE


async def test_a_group_is_made_private(hikers: World) -> None:
    """A group that is made private is invisible to strangers at once; made public, visible."""
    await hikers.put(HIKERS, {"type": "private"}, as_="olga")

    await hikers.refused("GET", HIKERS, as_="sara", status=404, code=NO_GROUP)
    await hikers.refused("POST", MEMBERS, {}, as_="sara", status=404, code=NO_GROUP)
    assert (await hikers.get(HIKERS, as_="paul"))["hasJoined"] is True
    await hikers.put(HIKERS, {"type": "public"}, as_="olga")
    assert (await hikers.get(HIKERS, as_="sara"))["hasJoined"] is False


# Deletion; test_group_deletion.py tests what happens to the group's data


@pytest.mark.parametrize("uid", [None, "olga", "adam"])
async def test_a_group_is_deleted(hikers: World, uid: str | None) -> None:
    """The app, the owner and other admins delete a group."""
    done = await hikers.delete("/groups/Hikers", as_=uid)

    said = "Group with guid hikers has been deleted successfully."
    assert done == {"success": True, "message": said}
    await hikers.refused("GET", HIKERS, status=404, code=NO_GROUP)
    await hikers.refused("DELETE", HIKERS, as_=uid, status=404, code=NO_GROUP)


@pytest.mark.parametrize(
    ("uid", "code"),
    [("mona", NO_ADMIN), ("paul", NO_ADMIN), ("sara", NOT_JOINED), ("bob", BANNED)],
)
async def test_deletions_that_are_refused(hikers: World, uid: str, code: str) -> None:
    """Only admins delete a group; the others are refused with the reason."""
    token = await hikers.token(uid)
    await hikers.refused("DELETE", HIKERS, token=token, status=403, code=code)

    assert await owner(hikers) == "olga"


async def test_a_private_group_is_hidden_from_strangers(world: World) -> None:
    """With any call, a private group does not exist for strangers and banned users."""
    await make_hikers(world, type="private")
    for uid in ("sara", "bob"):
        for method, path, body in [
            ("PUT", HIKERS, {"name": "Ours"}),
            ("DELETE", HIKERS, None),
            ("GET", MEMBERS, None),
            ("POST", MEMBERS, {"participants": [uid]}),
            ("POST", MEMBERS, {}),
            ("PUT", f"{MEMBERS}/paul", {"scope": "admin"}),
            ("DELETE", f"{MEMBERS}/paul", None),
            ("DELETE", f"{MEMBERS}/{uid}", None),
            ("GET", f"{HIKERS}/bannedusers", None),
            ("POST", f"{HIKERS}/bannedusers/paul", None),
            ("DELETE", f"{HIKERS}/banned_members/bob", None),
            ("GET", f"{HIKERS}/messages", None),
        ]:
            await world.refused(method, path, body, as_=uid, status=404, code=NO_GROUP)
