"""Importing users and groups, and what all four imports have in common."""

import json
from typing import Any

import pytest
from tests.api.messages.talk import (
    group,
    import_past,
    import_rows,
    join,
    past,
    say,
    stored,
    texts,
    to_user,
)
from tests.clock import START
from tests.world import Json, Node, World

from hubbub.rest.groups.wire.groups import UpdateGroup

BAD = "ERR_BAD_REQUEST"
KINDS = ["users", "groups", "members", "messages"]


def row_of(kind: str, number: int) -> tuple[str, Json]:
    """Return a valid row, with its key."""
    if kind == "users":
        return f"u{number}", {"uid": f"u{number}", "name": "U"}
    if kind == "groups":
        return f"g{number}", {"guid": f"g{number}", "name": "G", "type": "public"}
    if kind == "members":
        key = f"hikers_member_u{number}"
        return key, {"memberId": key, "guid": "hikers", "uid": f"u{number}", "joinedAt": START}
    return f"m{number}", {"muid": f"m{number}", **past("anna", to_user("ben"), START)}


def rows_of(kind: str, count: int) -> Json:
    """Return a number of valid rows."""
    return dict(row_of(kind, number) for number in range(count))


@pytest.fixture
async def ready(world: World) -> World:
    """A world in which rows of every kind can be imported."""
    await world.users("anna", "ben")
    await group(world, "hikers", "anna")
    await import_rows(world, "users", {f"u{n}": {"uid": f"u{n}", "name": "U"} for n in range(50)})
    return world


async def counts(node: Node, world: World) -> list[Any]:
    """Return the number of stored rows of each kind."""
    tables = ("users", "groups", "members", "messages")
    return [
        (await stored(node, world, f"SELECT count(*) FROM {table} WHERE app_id = :app_id"))[0][0]
        for table in tables
    ]


@pytest.mark.parametrize("kind", KINDS)
async def test_fifty_rows_at_once(world: World, kind: str) -> None:
    """Fifty rows are imported at once, each answered under its key, in order."""
    if kind != "users":
        await import_rows(world, "users", rows_of("users", 50))
        await world.users("anna", "ben")
        await group(world, "hikers", "anna")

    made = await import_rows(world, kind, rows_of(kind, 50))

    assert list(made) == list(rows_of(kind, 50))
    assert all(outcome["success"] is True for outcome in made.values())


@pytest.mark.parametrize("kind", KINDS)
async def test_too_many_rows(node: Node, ready: World, kind: str) -> None:
    """Of 51 rows none is imported."""
    before = await counts(node, ready)

    body = {kind: rows_of(kind, 51)}
    details = await ready.refused("POST", f"/data_import/{kind}", body, status=400, code=BAD)

    assert list(details) == [kind]
    assert await counts(node, ready) == before


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [[], [{"uid": "a"}], "x", 5, None, True, "missing"], ids=str)
async def test_a_wrapper_of_the_wrong_type(world: World, kind: str, rows: Any) -> None:
    """The rows must be an object by id; anything else has its own error code."""
    body = {} if rows == "missing" else {kind: rows}
    code = f"ERR_IMPORT_INVALID_{kind[:-1].upper()}_FORMAT"

    details = await world.refused("POST", f"/data_import/{kind}", body, status=400, code=code)
    assert list(details) == [kind]


@pytest.mark.parametrize("kind", KINDS)
async def test_nothing_to_import(world: World, kind: str) -> None:
    """Without rows there are no outcomes."""
    assert await import_rows(world, kind, {}) == {}


@pytest.mark.parametrize("value", [None, 5, "x", [], True, {}], ids=str)
@pytest.mark.parametrize("kind", KINDS)
async def test_a_malformed_row(ready: World, kind: str, value: Any) -> None:
    """A row that is not an object, or an empty one, does not affect the others."""
    key, good = row_of(kind, 7)
    good = {**good, "uid": "ben", "memberId": "hikers_member_ben"} if kind == "members" else good
    key = {"users": "new", "members": "hikers_member_ben"}.get(kind, key)
    good = {**good, "uid": "new"} if kind == "users" else good

    made = await import_rows(ready, kind, {"odd": value, key: good})

    assert made["odd"]["success"] is False
    assert made["odd"]["error"]["code"] == BAD
    assert made[key]["success"] is True


@pytest.mark.parametrize("kind", KINDS)
async def test_a_key_that_differs_from_its_row(node: Node, ready: World, kind: str) -> None:
    """A row whose id is not its key is refused with the field named."""
    key, row = row_of(kind, 60)
    field = {"users": "uid", "groups": "guid", "members": "memberId", "messages": "muid"}[kind]
    before = await counts(node, ready)

    made = await import_rows(ready, kind, {key + "x": row})

    assert made[key + "x"]["error"]["code"] == BAD
    assert list(made[key + "x"]["error"]["details"]) == [field]
    assert await counts(node, ready) == before


@pytest.mark.parametrize("kind", KINDS)
async def test_who_may_import(world: World, kind: str) -> None:
    """Imports need a key of full access; users cannot import."""
    await world.users("anna")
    token = await world.token("anna")

    for how in ({"key": world.auth_key}, {"key": "", "token": token}):
        await world.refused(
            "POST",
            f"/data_import/{kind}",
            {kind: {}},
            status=403,
            code="AUTH_ERR_NO_ACCESS",
            **how,  # type: ignore[arg-type]  # both are ways to call
        )


@pytest.mark.parametrize("kind", KINDS)
async def test_bodies_that_cannot_be_read(world: World, kind: str) -> None:
    """A body that is not a JSON object, or is nested too deep, is refused as a whole."""
    deep = b'{"%b":{"a":' % kind.encode() + b"[" * 63 + b"]" * 63 + b"}}"
    for body in (b"[]", b"{", b'{"a":"\\ud800"}', b"\xff", deep):
        await world.refused("POST", f"/data_import/{kind}", body, status=400, code=BAD)


async def test_the_other_prefix(world: World) -> None:
    """Imports are also served under `/v3.0`, as their documentation writes it."""
    world.prefix = "/v3.0"

    assert (await import_rows(world, "users", rows_of("users", 1)))["u0"]["success"]


async def test_an_import_may_be_large(world: World) -> None:
    """An import may have more than a megabyte, but at most eight."""
    await world.users("anna", "ben")
    attachments = [{"url": "https://a.example/" + "x" * 2900} for _ in range(10)]
    body = {**to_user("ben"), "type": "image", "data": {"attachments": attachments}}
    rows = {f"m{number}": past("anna", body, START) for number in range(50)}
    assert len(json.dumps(rows)) > 1024 * 1024

    assert all(outcome["success"] for outcome in (await import_past(world, **rows)).values())
    await world.refused(
        "POST",
        "/data_import/messages",
        b'{"messages":{}' + b" " * 8 * 1024 * 1024 + b"}",
        status=413,
        code="ERR_PAYLOAD_TOO_LARGE",
    )


# Users

ANNA: Json = {
    "uid": "anna",
    "name": "Anna Keller",
    "avatar": "https://example.com/anna.png",
    "link": "https://example.com/~anna",
    "metadata": {"deep": [1, {"x": None}]},
    "tags": ["hiker", "Zürich", "hiker"],
    "createdAt": "1500000000",
    "lastActiveAt": 1600000000,
}


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


@pytest.mark.parametrize("kind", KINDS)
async def test_an_unknown_rule_for_conflicts(world: World, kind: str) -> None:
    """`onConflict` has few values; only users and groups can be updated."""
    wrong = ["replace", "SKIP"] + (["update"] if kind in {"members", "messages"} else [])
    for rule in wrong:
        path = f"/data_import/{kind}?onConflict={rule}"
        details = await world.refused("POST", path, {kind: {}}, status=400, code=BAD)
        assert list(details) == ["onConflict"]


# Groups

HIKERS: Json = {
    "guid": "hikers",
    "name": "The Hikers",
    "type": "private",
    "icon": "https://example.com/h.png",
    "metadata": {"a": 1},
    "tags": ["out", "door"],
    "createdAt": "1400000000",
}


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


# Apps


async def test_apps_are_sealed(node: Node) -> None:
    """The same ids in two apps are different users, groups and messages."""
    apps = [await node.world(), await node.world()]
    for number, app in enumerate(apps):
        await app.users("anna", "ben")
        await group(app, "hikers", "anna", name=f"Hikers {number}")
        body = to_user("ben", f"said in {number}", muid="m")
        assert (await say(app, "anna", body))["id"] == "1"
        made = await import_past(app, n=past("ben", to_user("anna", f"past of {number}"), 5))
        assert made["n"]["data"]["id"] == "2"

    for number, app in enumerate(apps):
        everything = [f"past of {number}", f"said in {number}"]
        for path in ("/messages", "/users/ben/messages", "/messages?conversationId=anna_user_ben"):
            assert await texts(app, path, as_="anna") == everything
        made = await import_rows(app, "groups", {"hikers": HIKERS}, "?onConflict=skip")
        assert made["hikers"]["data"]["name"] == f"Hikers {number}"


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
