"""Importing the members of groups."""

import pytest
from tests.api.messages.talk import group, import_rows, join, say, stored, texts, to_group
from tests.clock import START, ManualClock
from tests.world import Json, Node, World

BAD = "ERR_BAD_REQUEST"
TOO_EARLY_OR_LATE = "ERR_IMPORT_INVALID_JOINEDAT"
CREATED = 1_500_000_000


@pytest.fixture
async def town(world: World) -> World:
    """Anna, Ben and an empty group."""
    await world.users("anna", "ben")
    await group(world, "hikers", createdAt=CREATED)
    return world


async def members(node: Node, world: World) -> list[tuple[str, ...]]:
    """Return the memberships with their scopes."""
    found = await stored(
        node,
        world,
        "SELECT g.guid, m.uid, m.scope FROM members m"
        " JOIN groups g ON g.app_id = m.app_id AND g.conversation = m.conversation"
        " WHERE m.app_id = :app_id ORDER BY g.guid, m.uid",
    )
    return [tuple(row) for row in found]


async def size(world: World, guid: str) -> int:
    """Return a group's number of members."""
    row = {"guid": guid, "name": "G", "type": "public"}
    made = await import_rows(world, "groups", {guid: row}, "?onConflict=skip")
    return int(made[guid]["data"]["membersCount"])


async def test_all_fields_of_a_member(node: Node, town: World) -> None:
    """An imported member has the given scope and time of joining."""
    made = await join(town, "hikers", "anna", scope="moderator", joinedAt="1600000000")

    entity = {"guid": "hikers", "uid": "anna", "scope": "moderator", "joinedAt": 1_600_000_000}
    assert made == {"success": True, "data": entity}
    assert await members(node, town) == [("hikers", "anna", "moderator")]
    assert await size(town, "hikers") == 1
    assert await say(town, "anna", to_group("hikers"))


async def test_without_a_scope(town: World) -> None:
    """A member without a scope is a participant."""
    assert (await join(town, "hikers", "anna"))["data"]["scope"] == "participant"


async def test_several_at_once(node: Node, town: World) -> None:
    """Members of several groups are imported together, and each group counts its own."""
    await group(town, "divers")
    pairs = [("hikers", "anna"), ("divers", "anna"), ("hikers", "nobody"), ("hikers", "ben")]
    rows = {f"{guid}_member_{uid}": row(guid, uid) for guid, uid in pairs}

    made = await import_rows(town, "members", rows)

    assert [outcome["success"] for outcome in made.values()] == [True, True, False, True]
    assert [(guid, uid) for guid, uid, _ in await members(node, town)] == [
        ("divers", "anna"),
        ("hikers", "anna"),
        ("hikers", "ben"),
    ]
    assert (await size(town, "hikers"), await size(town, "divers")) == (2, 1)


def row(guid: str, uid: str, **fields: object) -> Json:
    """Return a row of an import."""
    key = f"{guid}_member_{uid}"
    return {"memberId": key, "guid": guid, "uid": uid, "joinedAt": START, **fields}


async def test_the_limits_of_joined_at(town: World, clock: ManualClock) -> None:
    """The time of joining is between the group's creation and five minutes from now, inclusive."""
    latest = clock.now() + 300
    for number, (joined_at, is_fine) in enumerate(
        [(CREATED - 1, False), (CREATED, True), (latest, True), (latest + 1, False), (0, False)]
    ):
        uid = f"user-{number}"
        await town.user(uid)
        made = await join(town, "hikers", uid, joinedAt=joined_at)
        assert made["success"] is is_fine
        if not is_fine:
            assert made["error"]["code"] == TOO_EARLY_OR_LATE
            assert list(made["error"]["details"]) == ["joinedAt"]


async def test_a_banned_user(node: Node, town: World) -> None:
    """A user imported as banned is no member, and can neither write nor read nor join."""
    made = await join(town, "hikers", "anna", isBanned=True)

    assert made["success"] is True
    assert await members(node, town) == []
    assert await size(town, "hikers") == 0
    banned = "ERR_BANNED_GROUPMEMBER"
    await town.refused("POST", "/messages", to_group("hikers"), status=403, code=banned, as_="anna")
    await town.refused("GET", "/groups/hikers/messages", status=403, code=banned, as_="anna")
    assert (await join(town, "hikers", "anna"))["error"]["code"] == banned
    assert (await join(town, "hikers", "anna", isBanned=True))["error"]["code"] == (
        "ERR_ALREADY_BANNED"
    )


async def test_an_existing_member(town: World) -> None:
    """A row whose member exists fails, or is skipped with the stored member."""
    await join(town, "hikers", "anna", scope="admin", joinedAt=CREATED)

    again = {"hikers_member_anna": row("hikers", "anna")}
    refused = await import_rows(town, "members", again)
    skipped = await import_rows(town, "members", again, "?onConflict=skip")

    assert refused["hikers_member_anna"]["error"]["code"] == "ERR_ALREADY_JOINED"
    assert skipped["hikers_member_anna"] == {
        "success": True,
        "skipped": True,
        "data": {"guid": "hikers", "uid": "anna", "scope": "admin", "joinedAt": CREATED},
    }
    assert await size(town, "hikers") == 1


async def test_one_pair_twice(town: World) -> None:
    """Of two rows for one user and group the first counts."""
    rows = {
        "hikers_member_anna": row("hikers", "anna"),
        "HIKERS_member_ANNA": {**row("HIKERS", "ANNA"), "scope": "admin"},
    }

    made = await import_rows(town, "members", rows)

    assert made["hikers_member_anna"]["data"]["scope"] == "participant"
    assert made["HIKERS_member_ANNA"]["error"]["code"] == "ERR_ALREADY_JOINED"
    assert await size(town, "hikers") == 1


WRONG = [
    ({"memberId": None}, BAD, "memberId"),
    ({"memberId": "hikers_anna"}, BAD, "memberId"),
    ({"guid": "divers"}, BAD, "memberId"),
    ({"uid": "ben"}, BAD, "memberId"),
    ({"guid": "no where"}, BAD, "guid"),
    ({"uid": ""}, BAD, "uid"),
    ({"joinedAt": None}, BAD, "joinedAt"),
    ({"joinedAt": "now"}, BAD, "joinedAt"),
    ({"scope": "owner"}, BAD, "scope"),
    ({"isBanned": "true"}, BAD, "isBanned"),
    ({"userDetails": {"uid": "anna"}}, BAD, "userDetails.name"),
    ({"groupDetails": {"guid": "x", "name": "X"}}, BAD, "groupDetails.type"),
]


@pytest.mark.parametrize(("change", "code", "field"), WRONG, ids=str)
async def test_a_member_with_a_fault(town: World, change: Json, code: str, field: str) -> None:
    """A bad row is refused with the field named; the others are imported."""
    rows = {
        "hikers_member_anna": {**row("hikers", "anna"), **change},
        "hikers_member_ben": row("hikers", "ben"),
    }

    made = await import_rows(town, "members", rows)

    assert made["hikers_member_anna"]["error"]["code"] == code
    assert list(made["hikers_member_anna"]["error"]["details"]) == [field]
    assert made["hikers_member_ben"]["success"] is True


@pytest.mark.parametrize("field", ["memberId", "guid", "uid", "joinedAt"])
async def test_required_fields(town: World, field: str) -> None:
    """Missing required fields are named."""
    given = {name: value for name, value in row("hikers", "anna").items() if name != field}

    made = await import_rows(town, "members", {"hikers_member_anna": given})

    details = made["hikers_member_anna"]["error"]["details"]
    assert details == {field: [f"The {field} field is required."]}


async def test_details_create_missing_objects(node: Node, town: World) -> None:
    """A row may create a missing user, group, and owner of the group."""
    details = {
        "guid": "divers",
        "name": "Divers",
        "type": "public",
        "createdAt": CREATED,
        "owner": "olga",
        "groupOwnerDetails": {"uid": "olga", "name": "Olga"},
    }
    clara = {"uid": "clara", "name": "Clara"}

    made = await join(town, "divers", "clara", userDetails=clara, groupDetails=details)

    assert made["success"] is True
    assert await members(node, town) == [
        ("divers", "clara", "participant"),
        ("divers", "olga", "admin"),
    ]
    assert (await town.get("/users/olga"))["name"] == "Olga"


async def test_details_do_not_change_existing_objects(town: World) -> None:
    """An existing user or group is not changed by a row's details."""
    anna = await town.get("/users/anna")
    details = {"guid": "hikers", "name": "Others", "type": "private", "owner": "ben"}

    made = await join(
        town, "hikers", "anna", userDetails={"uid": "anna", "name": "X"}, groupDetails=details
    )

    assert made["success"] is True
    assert await town.get("/users/anna") == anna
    said = await say(town, "anna", to_group("hikers"))
    shown = said["data"]["entities"]["receiver"]["entity"]
    assert (shown["name"], shown["type"], shown["owner"]) == ("Hikers", "public", "app_system")


async def test_a_removed_user(town: World) -> None:
    """Unknown and deleted users cannot become members."""
    await town.users("gone")
    await town.delete("/users/gone")

    for uid in ("nobody", "gone", "app_system"):
        assert (await join(town, "hikers", uid))["error"]["code"] == "ERR_UID_NOT_FOUND"
    assert (await join(town, "nowhere", "anna"))["error"]["code"] == "ERR_GUID_NOT_FOUND"


async def test_ids_with_member_in_them(node: Node, town: World) -> None:
    """Wherever `_member_` occurs in the ids, the row's own fields say who joins what."""
    await town.users("b_member_c", "c")
    await group(town, "a")
    await group(town, "a_member_b")

    first = await join(town, "a", "b_member_c")
    second = await join(town, "a_member_b", "c")

    assert (first["success"], second["success"]) == (True, True)
    assert [pair[:2] for pair in await members(node, town)] == [
        ("a", "b_member_c"),
        ("a_member_b", "c"),
    ]


async def test_earlier_messages_are_not_unread(node: Node, town: World) -> None:
    """A member imported after messages can read them, and has none of them unread."""
    await town.post("/messages", to_group("hikers", "before"))
    await join(town, "hikers", "anna")
    await town.post("/messages", to_group("hikers", "after"))

    assert await texts(town, "/groups/hikers/messages", as_="anna") == ["before", "after"]
    unread = (
        "SELECT c.counted - p.read_count - p.own FROM participants p JOIN conversations c"
        " ON c.app_id = p.app_id AND c.number = p.conversation WHERE p.app_id = :app_id"
    )
    assert await stored(node, town, unread) == [(1,)]


async def test_deactivated_people(world: World) -> None:
    """Somebody who has left owns their group, and is a member, as before the import."""
    await import_rows(
        world,
        "users",
        {uid: {"uid": uid, "name": uid, "deactivatedAt": 1_600_000_000} for uid in ("ada", "bo")},
    )
    group = {"guid": "hikers", "name": "Hikers", "type": "public", "createdAt": 1_500_000_000}
    made = await import_rows(world, "groups", {"hikers": {**group, "owner": "ada"}})
    key = "hikers_member_bo"
    row = {"memberId": key, "guid": "hikers", "uid": "bo", "joinedAt": 1_500_000_100}
    joined = await import_rows(world, "members", {key: row})

    assert (made["hikers"]["success"], joined[key]["success"]) == (True, True)
    assert (await world.get("/groups/hikers"))["membersCount"] == 2
    gone = {**row, "uid": "cy", "memberId": "hikers_member_cy"}
    refused = await import_rows(world, "members", {"hikers_member_cy": gone})
    assert refused["hikers_member_cy"]["error"]["code"] == "ERR_UID_NOT_FOUND"
