"""Importing users: their fields, faults, conflicts with users that exist."""

import pytest
from tests.api.imports.rows import ANNA, BAD
from tests.api.messages.talk import import_rows
from tests.engines import one_engine
from tests.world import Json, World


async def test_all_fields_of_a_user(world: World) -> None:
    """An imported user keeps all fields, with times as digits or as numbers."""
    made = await import_rows(world, "users", {"anna": ANNA})

    assert made["anna"] == {
        "success": True,
        "data": {
            **ANNA,
            "tags": ["hiker", "Zürich"],
            "createdAt": 1500000000,
            "status": "offline",
            "role": "default",
        },
    }
    assert await world.get("/users/anna") == made["anna"]["data"]


async def test_a_deactivated_user(world: World) -> None:
    """An imported user can be deactivated, and is then not counted."""
    row = {**ANNA, "deactivatedAt": "1700000000"}

    made = await import_rows(world, "users", {"anna": row, "ben": {"uid": "ben", "name": "Ben"}})

    assert made["anna"]["data"]["deactivatedAt"] == 1700000000
    await world.refused("GET", "/users/anna", status=404, code="ERR_UID_NOT_FOUND")
    assert await world.uids("/users") == ["ben"]
    assert world.answer.meta["pagination"]["total"] == 1


WRONG_USERS = [
    ({"name": None}, "name"),
    ({"name": ""}, "name"),
    ({"name": "x" * 101}, "name"),
    ({"name": "a\0"}, "name"),
    ({"avatar": "anna.png"}, "avatar"),
    ({"link": 5}, "link"),
    ({"role": "captain"}, "role"),
    ({"role": "Default Role"}, "role"),
    ({"createdAt": -1}, "createdAt"),
    ({"createdAt": "yesterday"}, "createdAt"),
    ({"createdAt": "1700000000\n"}, "createdAt"),
    ({"createdAt": "١٧"}, "createdAt"),
    ({"createdAt": 10**20}, "createdAt"),
    ({"createdAt": "9" * 12}, "createdAt"),
    ({"createdAt": 1.5}, "createdAt"),
    ({"lastActiveAt": True}, "lastActiveAt"),
    ({"metadata": "x"}, "metadata"),
    ({"metadata": {"x": "x" * 5_200}}, "metadata"),
    ({"tags": ["x"] * 26}, "tags"),
    ({"tags": ["a\0"]}, "tags.0"),
]


@pytest.mark.parametrize(("change", "field"), WRONG_USERS, ids=str)
@one_engine
async def test_a_user_with_a_fault(world: World, change: Json, field: str) -> None:
    """A bad user is refused with the field named; the others are imported."""
    rows = {
        "ben": {"uid": "ben", "name": "Ben"},
        "anna": {**ANNA, **change},
        "clara": {"uid": "clara", "name": "Clara"},
    }

    made = await import_rows(world, "users", rows)

    assert [outcome["success"] for outcome in made.values()] == [True, False, True]
    assert made["anna"]["error"]["code"] == BAD
    assert list(made["anna"]["error"]["details"]) == [field]
    assert await world.uids("/users") == ["clara", "ben"]


@pytest.mark.parametrize("uid", ["", "an na", "änna", "a" * 101, "a\0", "app_system", "anna\n"])
async def test_malformed_uids(world: World, uid: str) -> None:
    """A malformed uid is refused in an import, too."""
    made = await import_rows(world, "users", {uid: {"uid": uid, "name": "A"}})

    assert made[uid]["error"]["code"] == BAD
    assert await world.uids("/users") == []


async def test_upper_case_in_keys(world: World) -> None:
    """Ids are lowered; rows whose ids become equal are refused."""
    rows = {uid: {"uid": uid, "name": uid} for uid in ("Anna", "ANNA")}

    made = await import_rows(world, "users", rows)

    assert made["Anna"]["data"]["uid"] == "anna"
    assert made["ANNA"]["error"]["code"] == "ERR_UID_ALREADY_EXISTS"
    assert (await world.get("/users/anna"))["name"] == "Anna"


async def test_an_existing_user(world: World) -> None:
    """A row whose user exists fails, is skipped, or updates the user, by `onConflict`."""
    await world.user("anna", link="https://example.com/")
    rows = {"anna": {"uid": "anna", "name": "Anna K", "tags": ["a"]}}

    refused = await import_rows(world, "users", rows)
    skipped = await import_rows(world, "users", rows, "?onConflict=skip")
    before = await world.get("/users/anna")
    updated = await import_rows(world, "users", rows, "?onConflict=update")

    assert refused["anna"]["error"]["code"] == "ERR_UID_ALREADY_EXISTS"
    assert skipped["anna"] == {"success": True, "skipped": True, "data": before}
    assert updated["anna"]["success"] is True
    after = await world.get("/users/anna")
    assert updated["anna"]["data"] == after
    assert (after["name"], after["tags"], after["link"]) == ("Anna K", ["a"], before["link"])


@pytest.mark.parametrize("change", [{"role": "captain"}, {"metadata": {"x": "x" * 5_200}}], ids=str)
async def test_an_update_with_a_fault(world: World, change: Json) -> None:
    """A bad update is refused, and the user is unchanged."""
    before = await world.user("anna")
    rows = {"anna": {"uid": "anna", "name": "X", **change}}

    made = await import_rows(world, "users", rows, "?onConflict=update")

    assert list(made["anna"]["error"]["details"]) == list(change)
    assert await world.get("/users/anna") == before


async def test_the_uid_of_a_deleted_user_is_not_free(world: World) -> None:
    """The uid of a deleted user is not free for an import, with any `onConflict`."""
    await world.users("anna")
    await world.delete("/users/anna")

    for query in ("", "?onConflict=skip", "?onConflict=update"):
        made = await import_rows(world, "users", {"anna": ANNA}, query)
        assert made["anna"]["error"]["code"] == "ERR_UID_ALREADY_EXISTS"


async def test_an_update_deactivates(world: World) -> None:
    """With `onConflict=update` a row with `deactivatedAt` deactivates the user."""
    await world.user("anna")
    token = await world.token("anna")
    row = {"uid": "anna", "name": "Anna", "deactivatedAt": 1_600_000_000}
    for _ in range(2):
        made = await import_rows(world, "users", {"anna": row}, "?onConflict=update")
        assert made["anna"]["data"]["deactivatedAt"] == 1_600_000_000

    assert await world.get("/users") == []
    answer = await world.ask("GET", "/users", headers={"authToken": token, "apikey": ""})
    assert answer.status == 401
