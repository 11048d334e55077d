"""Importing groups: their fields, owners, passwords, faults, conflicts with groups that exist."""

import pytest
from tests.api.imports.rows import BAD, HIKERS
from tests.api.messages.talk import import_rows, join, stored
from tests.engines import one_engine
from tests.world import Json, Node, World

from hubbub.rest.groups.wire.groups import UpdateGroup


async def test_all_fields_of_a_group(world: World) -> None:
    """An imported group keeps all fields; without an owner it belongs to the app and is empty."""
    made = await import_rows(world, "groups", {"hikers": HIKERS})

    assert made["hikers"] == {
        "success": True,
        "data": {
            **HIKERS,
            "createdAt": 1400000000,
            "owner": "app_system",
            "membersCount": 0,
            "hasJoined": False,
            "conversationId": "group_hikers",
        },
    }


async def test_an_owner_becomes_an_admin(node: Node, world: World) -> None:
    """An imported owner is a member of scope admin since the group was created."""
    await world.users("anna")

    made = await import_rows(world, "groups", {"hikers": {**HIKERS, "owner": "ANNA"}})

    assert made["hikers"]["data"]["owner"] == "anna"
    assert made["hikers"]["data"]["membersCount"] == 1
    members = "SELECT uid, scope, joined_at FROM members WHERE app_id = :app_id"
    assert await stored(node, world, members) == [("anna", "admin", 1400000000)]
    assert (await join(world, "hikers", "anna"))["error"]["code"] == "ERR_ALREADY_JOINED"


async def test_a_missing_owner(world: World) -> None:
    """A group with a missing owner is refused, unless the row has the owner's details."""
    olga = {"uid": "olga", "name": "Olga"}
    rows = {
        "hikers": {**HIKERS, "owner": "nobody"},
        "divers": {**HIKERS, "guid": "divers", "owner": "olga", "groupOwnerDetails": olga},
    }

    made = await import_rows(world, "groups", rows)

    assert made["hikers"]["error"]["code"] == "ERR_UID_NOT_FOUND"
    assert made["divers"]["data"]["owner"] == "olga"
    assert (await world.get("/users/olga"))["name"] == "Olga"


async def test_an_existing_owner_is_unchanged(world: World) -> None:
    """Details of an existing owner change nothing."""
    anna = await world.user("anna")
    details = {"uid": "anna", "name": "Somebody Else"}

    await import_rows(
        world, "groups", {"hikers": {**HIKERS, "owner": "anna", "groupOwnerDetails": details}}
    )

    assert await world.get("/users/anna") == anna


async def test_passwords_are_kept_as_hashes(node: Node, world: World) -> None:
    """A group's password is never answered, and stored only as a hash."""
    row = {**HIKERS, "type": "password", "password": "open sesame"}

    made = await import_rows(world, "groups", {"hikers": row})
    unused = {**HIKERS, "guid": "walkers", "password": "not needed"}
    await import_rows(world, "groups", {"walkers": unused})

    assert "password" not in made["hikers"]["data"]
    assert made["hikers"]["data"]["type"] == "password"
    found = await stored(
        node, world, "SELECT password_hash FROM groups WHERE app_id = :app_id ORDER BY guid"
    )
    assert found[0][0].startswith("$argon2id$")
    assert "sesame" not in found[0][0]
    assert found[1] == (None,)


WRONG_GROUPS = [
    ({"name": ""}, BAD, "name"),
    ({"type": "open"}, BAD, "type"),
    ({"type": None}, BAD, "type"),
    ({"type": "password"}, "ERR_EMPTY_GROUP_PASS", "password"),
    ({"type": "password", "password": ""}, "ERR_EMPTY_GROUP_PASS", "password"),
    ({"type": "password", "password": "x" * 101}, BAD, "password"),
    ({"type": "password", "password": "x\0"}, BAD, "password"),
    ({"icon": "h.png"}, BAD, "icon"),
    ({"description": "x" * 256}, BAD, "description"),
    ({"owner": "no body"}, BAD, "owner"),
    ({"createdAt": "soon"}, BAD, "createdAt"),
    ({"metadata": []}, BAD, "metadata"),
    ({"metadata": {"x": "x" * 5_200}}, BAD, "metadata"),
    ({"tags": ["🏔" * 101]}, BAD, "tags.0"),
    ({"groupOwnerDetails": {"uid": "olga"}}, BAD, "groupOwnerDetails.name"),
]


@pytest.mark.parametrize(("change", "code", "field"), WRONG_GROUPS, ids=str)
@one_engine
async def test_a_group_with_a_fault(world: World, change: Json, code: str, field: str) -> None:
    """A bad group is refused with the field named; the others are imported."""
    rows = {"hikers": {**HIKERS, **change}, "divers": {**HIKERS, "guid": "divers"}}

    made = await import_rows(world, "groups", rows)

    assert made["hikers"]["error"]["code"] == code
    assert list(made["hikers"]["error"]["details"]) == [field]
    assert made["divers"]["success"] is True


async def test_a_group_that_exists(world: World) -> None:
    """A row whose group exists fails, is skipped, or updates the group, by `onConflict`."""
    before = (await import_rows(world, "groups", {"hikers": HIKERS}))["hikers"]["data"]
    rows = {"hikers": {"guid": "hikers", "name": "Walkers", "type": "public", "tags": ["x"]}}

    refused = await import_rows(world, "groups", rows)
    skipped = await import_rows(world, "groups", rows, "?onConflict=skip")
    updated = await import_rows(world, "groups", rows, "?onConflict=update")
    again = await import_rows(world, "groups", rows, "?onConflict=skip")

    assert refused["hikers"]["error"]["code"] == "ERR_GUID_ALREADY_EXISTS"
    assert skipped["hikers"] == {"success": True, "skipped": True, "data": before}
    after = updated["hikers"]["data"]
    assert again["hikers"]["data"] == after
    changed = {"name": "Walkers", "tags": ["x"], "updatedAt": after["updatedAt"]}
    assert after == {**before, **changed}


OLD_GROUP: Json = {
    "name": "Hikers",
    "icon": "https://example.com/hikers.png",
    "description": "On foot",
    "metadata": {"level": 1},
    "tags": ["alps"],
}


NEW_GROUP: Json = {
    "name": "Walkers",
    "icon": "https://example.com/walkers.png",
    "description": "Slowly",
    "metadata": {"level": 2},
    "tags": ["dolomites"],
}


def test_the_samples_name_every_field_of_a_group() -> None:
    """A new field of a group needs a value in both samples; three have operations of their own."""
    fields = {*UpdateGroup.__struct_encode_fields__} - {"type", "password", "owner", "unset"}
    assert {*OLD_GROUP} == {*NEW_GROUP} == fields


@pytest.mark.parametrize("name", OLD_GROUP)
async def test_an_import_updates_each_field_of_a_group(world: World, name: str) -> None:
    """A field that a row gives replaces the stored one, on every way in; the others stay."""
    row = {"guid": "hikers", "type": "public", **OLD_GROUP}
    created = await world.post("/groups", row)
    assert {field: created[field] for field in OLD_GROUP} == OLD_GROUP
    changed = {**OLD_GROUP, name: NEW_GROUP[name]}

    updated = await world.put("/groups/hikers", {name: NEW_GROUP[name]})
    await import_rows(world, "groups", {"hikers": row}, "?onConflict=update")
    again = {"guid": "hikers", "type": "public", "name": OLD_GROUP["name"], name: NEW_GROUP[name]}
    imported = await import_rows(world, "groups", {"hikers": again}, "?onConflict=update")

    assert {field: updated[field] for field in OLD_GROUP} == changed
    assert {field: imported["hikers"]["data"][field] for field in OLD_GROUP} == changed
