"""Permissions of roles, and of scopes in groups: list all, set some, unset one."""

import asyncio
from typing import Any

import pytest
from tests.api.access.permitting import BAD, ROLE, SCOPE, SCOPES, are_set, both, put, with_hikers
from tests.clock import ManualClock
from tests.engines import one_engine
from tests.world import Node, World

from hubbub.domain.roles.permissions import ROLE_PERMISSIONS, SCOPE_PERMISSIONS


@pytest.fixture
async def world(node: Node) -> World:
    """An app with the group `hikers`."""
    return await with_hikers(node)


async def test_the_permissions_of_a_role_are_listed(world: World, clock: ManualClock) -> None:
    """There are 28, each with its kind, its allowed values, and its default."""
    rows = {row["id"]: row for row in await world.get(ROLE)}

    assert len(rows) == 28
    assert world.answer.meta["pagination"] == {
        "total": 28,
        "count": 28,
        "per_page": 100,
        "current_page": 1,
        "total_pages": 1,
    }
    assert rows["listUsers.mode"] == {
        "id": "listUsers.mode",
        "type": "role",
        "title": "Whom lists of users show",
        "description": "Whom lists of users show",
        "dataType": "string",
        "availableValues": ["all", "friends"],
        "defaultValue": "all",
        "createdAt": clock.now(),
        "updatedAt": clock.now(),
    }
    types = rows["createGroup.allowedGroupTypes"]
    assert types["dataType"] == "stringArray"
    assert types["availableValues"] == ["public", "private", "password"]
    assert types["defaultValue"] == []
    assert rows["sendMessage.allowedMimeTypes"]["availableValues"] == []


async def test_the_permissions_of_a_scope_are_listed(world: World, clock: ManualClock) -> None:
    """There are 11 for each scope of a group; they exist since the group does."""
    created_at = clock.now()
    clock.advance(10)
    await put(world, SCOPE, {"sendMessage": "deny"})
    for scope in SCOPES:
        rows = {row["id"]: row for row in await world.get(SCOPE.replace("participant", scope))}

        assert len(rows) == 11
        assert world.answer.meta["pagination"]["total"] == 11
        assert {(row["createdAt"], row["updatedAt"]) for row in rows.values()} == {
            (created_at, created_at)
        }
        assert {row["type"] for row in rows.values()} == {"scope"}
        assert rows["initiateCall"]["availableValues"] == ["allow", "deny", "friends"]
        assert rows["initiateCall"]["defaultValue"] == "allow"
        assert rows["listMembers.allowedScopes"]["availableValues"] == SCOPES


async def test_when_permissions_of_a_role_were_changed(world: World, clock: ManualClock) -> None:
    """Permissions exist since the app does, and were changed when the role was."""
    created_at = clock.now()
    clock.advance(10)
    role = await world.post("/roles", {"role": "teacher", "name": "Teacher"})
    path = "/roles/teacher/permissions"

    async def times() -> set[tuple[int, int]]:
        return {(row["createdAt"], row["updatedAt"]) for row in await world.get(path)}

    assert await times() == {(created_at, created_at)}
    clock.advance(10)
    await put(world, path, {"sendMessage": "deny"})
    assert await times() == {(created_at, clock.now())}
    assert await world.get("/roles/teacher") == {**role, "updatedAt": clock.now()}


async def test_permissions_of_a_role_are_set(world: World) -> None:
    """Each permission set is answered, along with all others that are set; others are unchanged."""
    first = await put(world, ROLE, {"createGroup": "deny"})

    assert first["permissions"] == {"createGroup": "deny"}
    values = {
        "listUsers.mode": "friends",
        "createGroup.allowedGroupTypes": ["public", "password"],
        "listUsers.allowedRoles": [],
    }
    answer = await put(world, ROLE, values)
    assert answer == {
        **{
            id_: {
                "success": True,
                "message": f"Permission with id {id_} have been mapped successfully "
                "to role default.",
            }
            for id_ in values
        },
        "permissions": {"createGroup": "deny", **values},
    }
    again = await put(world, ROLE, {"createGroup": "allow"})
    assert again["permissions"] == {**values, "createGroup": "allow"}


async def test_permissions_of_a_scope_are_set(world: World) -> None:
    """Each scope of each group has its own permissions; words may replace lists."""
    await world.post("/groups", {"guid": "divers", "name": "Divers", "type": "public"})
    group = await world.get("/groups/hikers")
    values = {
        "sendMessage": "deny",
        "initiateCall": "friends",
        "listMembers.allowedScopes": "admin",
        "initiateCall.allowedType": "audio",
        "listReactions.allowedScopes": ["admin", "moderator"],
    }
    answer = await put(world, SCOPE.replace("hikers", "HIKERS"), values)

    assert answer["permissions"] == values
    assert answer["initiateCall"] == {
        "success": True,
        "message": "Permission with id initiateCall have been mapped successfully "
        "to scope participant on group hikers.",
    }
    assert await are_set(world, SCOPE) == values
    assert await are_set(world, "/groups/hikers/scopes/admin/permissions") == {}
    assert await are_set(world, "/groups/divers/scopes/participant/permissions") == {}
    assert await world.get("/groups/hikers") == group


@both
async def test_a_permission_is_unset(world: World, path: str) -> None:
    """The answer shows what is still set, also when the permission was not set at all."""
    await put(world, path, {"sendMessage": "deny", "editMessage": "deny"})

    left = {"permissions": {"editMessage": "deny"}}
    assert await world.delete(f"{path}/sendMessage") == left
    assert await world.delete(f"{path}/sendMessage") == left
    assert await world.delete(f"{path}/editMessage") == {"permissions": {}}
    assert await world.delete(f"{path}/initiateCall") == {"permissions": {}}
    assert await are_set(world, path) == {}


async def test_a_permission_with_a_dot_is_unset(world: World) -> None:
    """An id with a dot in it is one part of a path, also when the dot is encoded."""
    values = {"listUsers.mode": "friends", "listUsers.allowedRoles": [], "sendMessage.mode": "all"}
    await put(world, ROLE, values)
    await world.delete(f"{ROLE}/listUsers.mode")

    assert await world.delete(f"{ROLE}/sendMessage%2Emode") == {
        "permissions": {"listUsers.allowedRoles": []}
    }


async def test_only_one_scope_loses_it(world: World) -> None:
    """A permission that is unset for one scope is still set for the others."""
    for scope in SCOPES:
        await put(world, SCOPE.replace("participant", scope), {"sendMessage": "deny"})
    await world.delete(f"{SCOPE}/sendMessage")

    assert await are_set(world, SCOPE) == {}
    for scope in ("admin", "moderator"):
        kept = await are_set(world, SCOPE.replace("participant", scope))
        assert kept == {"sendMessage": "deny"}


@both
@pytest.mark.parametrize(
    "permission", ["nothing", "SENDMESSAGE", "permissions", "listUsers.", "%00", "%ff", "x" * 256]
)
@one_engine
async def test_an_unknown_permission_cannot_be_unset(
    world: World, path: str, permission: str
) -> None:
    """An unknown permission id is a bad request that names it, and nothing is unset."""
    await put(world, path, {"sendMessage": "deny"})
    details = await world.refused("DELETE", f"{path}/{permission}", status=400, code=BAD)

    assert list(details) == ["permission"]
    assert await are_set(world, path) == {"sendMessage": "deny"}


async def test_unsetting_updates_the_time_of_the_role(world: World, clock: ManualClock) -> None:
    """Unsetting a permission updates the role's time, but not if it was not set."""
    before = await world.get("/roles/default")
    await world.delete(f"{ROLE}/sendMessage")
    assert await world.get("/roles/default") == before

    await put(world, ROLE, {"sendMessage": "deny"})
    clock.advance(5)
    await world.delete(f"{ROLE}/sendMessage")
    assert (await world.get("/roles/default"))["updatedAt"] == clock.now()


@both
async def test_every_permission_can_be_set(world: World, path: str) -> None:
    """All values of all permissions are accepted, for lists all at once."""
    catalogue = ROLE_PERMISSIONS if path == ROLE else SCOPE_PERMISSIONS
    rows = await world.get(path)
    assert [row["id"] for row in rows] == list(catalogue)
    for row in rows:
        values = row["availableValues"]
        wanted = [values, row["defaultValue"]] if row["dataType"] == "stringArray" else values
        for value in wanted:
            answer = await put(world, path, {row["id"]: value})

            assert answer["permissions"][row["id"]] == value
    assert (await are_set(world, path)).keys() == catalogue.keys()


@both
async def test_concurrent_permissions_are_all_kept(world: World, path: str) -> None:
    """Permissions that are set at the same time are all set."""
    ids = [row["id"] for row in await world.get(path) if row["availableValues"][:1] == ["allow"]]
    assert len(ids) >= 6
    await asyncio.gather(*[put(world, path, {id_: "deny"}) for id_ in ids])

    assert await are_set(world, path) == dict.fromkeys(ids, "deny")


async def test_permissions_do_not_show_in_the_role(world: World) -> None:
    """A role's answer does not show its permissions, except in its time; a change keeps them."""
    shown = (await world.get("/roles/default")).keys() | {"updatedAt"}
    await put(world, ROLE, {"sendMessage": "deny"})

    assert (await world.get("/roles/default")).keys() == shown
    await world.put("/roles/default", {"name": "Everybody", "unset": ["metadata", "settings"]})
    assert await are_set(world, ROLE) == {"sendMessage": "deny"}


METHODS: list[tuple[str, str, Any]] = [
    ("GET", "", None),
    ("PUT", "", {"permissions": {"sendMessage": "deny"}}),
    ("DELETE", "/sendMessage", None),
]


each = pytest.mark.parametrize(("method", "end", "body"), METHODS)


@each
async def test_a_missing_role(node: Node, world: World, method: str, end: str, body: Any) -> None:
    """A missing role is not found, whether another app has it or none."""
    other = await node.world()
    await other.post("/roles", {"role": "teacher", "name": "Teacher"})

    for role in ("teacher", "nobody"):
        path = f"/roles/{role}/permissions{end}"
        await world.refused(method, path, body, status=404, code="ERR_ROLE_NOT_FOUND")
    assert await are_set(other, "/roles/teacher/permissions") == {}


@each
async def test_a_missing_group(node: Node, world: World, method: str, end: str, body: Any) -> None:
    """A missing group is not found, whether another app has it or none."""
    other = await node.world()
    await other.post("/groups", {"guid": "divers", "name": "Divers", "type": "public"})

    for guid in ("divers", "nobody"):
        path = f"/groups/{guid}/scopes/admin/permissions{end}"
        await world.refused(method, path, body, status=404, code="ERR_GUID_NOT_FOUND")
    assert await are_set(other, "/groups/divers/scopes/admin/permissions") == {}


@each
@pytest.mark.parametrize("scope", ["owner", "Admin", "admin%20", "%00", "%ff", "x" * 300])
@one_engine
async def test_an_unknown_scope(world: World, method: str, end: str, body: Any, scope: str) -> None:
    """An unknown scope is a bad request that names it, whether the group exists or not."""
    for guid in ("hikers", "nobody"):
        path = f"/groups/{guid}/scopes/{scope}/permissions{end}"
        assert list(await world.refused(method, path, body, status=400, code=BAD)) == ["scope"]
