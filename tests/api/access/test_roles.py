"""Roles: create, list, get, change, delete."""

import asyncio
from typing import Any

import pytest
from tests.api.messages.talk import to_user
from tests.clock import ManualClock
from tests.engines import one_engine
from tests.world import Json, Node, World

NOT_FOUND = "ERR_ROLE_NOT_FOUND"
DENIED = "ERR_ROLE_DELETE_DENIED"
BAD = "ERR_BAD_REQUEST"
TEACHER = {"role": "teacher", "name": "Teacher"}


async def roles(world: World, query: str = "") -> list[str]:
    """Return the ids in the list of roles, in its order."""
    return [row["role"] for row in await world.get(f"/roles{query}")]


async def test_a_new_app_has_one_role(world: World, clock: ManualClock) -> None:
    """Every app begins with the role `default`, without metadata and settings."""
    default = await world.get("/roles/default")

    assert default == {"role": "default", "name": "Default Role", "createdAt": clock.now()}
    assert await world.get("/roles") == [default]
    assert world.answer.meta["pagination"] == {
        "total": 1,
        "count": 1,
        "per_page": 100,
        "current_page": 1,
        "total_pages": 1,
    }


async def test_a_role_is_created(world: World, clock: ManualClock) -> None:
    """A role stores everything it is created with, and users can have it."""
    body = {
        **TEACHER,
        "description": "Who teaches",
        "metadata": {"colour": "blue", "x": ["\0", None]},
        "settings": {"listUsers": "all", "sendMessagesTo": "friendsOnly"},
    }
    role = await world.post("/roles", body)

    assert role == {**body, "createdAt": clock.now()}
    assert await world.get("/roles/teacher") == role
    assert (await world.user("anna", role="teacher"))["role"] == "teacher"


async def test_a_role_needs_little(world: World, clock: ManualClock) -> None:
    """Fields that were not given are absent; the id is lowered, and found in any case."""
    role = await world.post("/roles", {"role": "Teacher_1-A", "name": "T", "description": ""})

    assert role == {"role": "teacher_1-a", "name": "T", "createdAt": clock.now()}
    assert await world.get("/roles/TEACHER_1-a") == role


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"listUsers": "friendsOnly"}, {"listUsers": "friendsOnly", "sendMessagesTo": "all"}),
        ({"sendMessagesTo": "all"}, {"listUsers": "all", "sendMessagesTo": "all"}),
        ({}, None),
        ([], None),
        (None, None),
    ],
)
async def test_settings_may_be_given_in_part(world: World, given: Any, shown: Any) -> None:
    """If one of the two settings is given, the other is `all`; without any, none are shown."""
    role = await world.post("/roles", {**TEACHER, "settings": given})

    assert role.get("settings") == shown
    assert (await world.get("/roles/teacher")).get("settings") == shown


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "Teacher"}, "role"),
        ({"role": "", "name": "Teacher"}, "role"),
        ({"role": "tea cher", "name": "Teacher"}, "role"),
        ({"role": "a" * 101, "name": "Teacher"}, "role"),
        ({"role": "tea\u212aher", "name": "Teacher"}, "role"),
        ({"role": 1, "name": "Teacher"}, "role"),
        ({"role": "teacher"}, "name"),
        ({**TEACHER, "name": ""}, "name"),
        ({**TEACHER, "name": "x" * 101}, "name"),
        ({**TEACHER, "name": "a\0"}, "name"),
        ({**TEACHER, "name": {}}, "name"),
        ({**TEACHER, "description": "x" * 256}, "description"),
        ({**TEACHER, "description": "\0"}, "description"),
        ({**TEACHER, "description": []}, "description"),
        ({**TEACHER, "metadata": []}, "metadata"),
        ({**TEACHER, "metadata": {"x": "m" * 5113}}, "metadata"),
        ({**TEACHER, "settings": "all"}, "settings"),
        ({**TEACHER, "settings": ["all"]}, "settings"),
        ({**TEACHER, "settings": {"listUsers": "none"}}, "settings.listUsers"),
        ({**TEACHER, "settings": {"sendMessagesTo": True}}, "settings.sendMessagesTo"),
    ],
)
@one_engine
async def test_an_invalid_role(world: World, body: Json, field: str) -> None:
    """A bad field of a role is refused with its name, and nothing is stored."""
    assert list(await world.refused("POST", "/roles", body, status=400, code=BAD)) == [field]
    assert await roles(world) == ["default"]


async def test_the_limits_themselves_are_kept(world: World) -> None:
    """Values of exactly the greatest length are stored; characters count, not bytes."""
    body = {
        "role": "a" * 100,
        "name": "😀" * 100,
        "description": "𝄞" * 255,
        "metadata": {"x": "m" * 5112},
    }
    role = await world.post("/roles", body)

    assert role == {**body, "createdAt": role["createdAt"]}
    assert await world.get(f"/roles/{body['role']}") == role


@pytest.mark.parametrize("role", ["teacher", "TEACHER", "default"])
async def test_a_role_is_there_once(world: World, role: str) -> None:
    """An id that exists already, also in another case or the default one's, is a conflict."""
    before = await world.post("/roles", TEACHER)
    code = "ERR_ROLE_ALREADY_EXISTS"
    await world.refused("POST", "/roles", {"role": role, "name": "Other"}, status=409, code=code)

    assert await world.get("/roles/teacher") == before
    assert len(await roles(world)) == 2


async def test_there_are_25_roles(world: World) -> None:
    """An app has at most 25 roles besides the default one; a deleted one makes room."""
    for number in range(25):
        await world.post("/roles", {"role": f"role-{number}", "name": "Role"})

    details = await world.refused("POST", "/roles", TEACHER, status=400, code="ERR_LIMIT_EXCEEDED")
    assert "25" in details["role"][0]
    assert len(await roles(world)) == 26
    again = {"role": "role-7", "name": "Again"}
    await world.refused("POST", "/roles", again, status=409, code="ERR_ROLE_ALREADY_EXISTS")
    await world.delete("/roles/role-7")
    await world.post("/roles", TEACHER)


async def test_how_many_roles_is_a_setting(world: World) -> None:
    """The app's settings limit its roles; existing roles beyond a lowered limit are kept."""
    await world.put("/settings", {"settings": {"limits.roles": 26}})
    for number in range(26):
        await world.post("/roles", {"role": f"role-{number}", "name": "Role"})
    details = await world.refused("POST", "/roles", TEACHER, status=400, code="ERR_LIMIT_EXCEEDED")
    assert "26" in details["role"][0]

    await world.put("/settings", {"settings": {"limits.roles": 0}})
    assert len(await roles(world)) == 27
    await world.delete("/roles/role-7")
    await world.refused("POST", "/roles", TEACHER, status=400, code="ERR_LIMIT_EXCEEDED")
    await world.put("/settings", {"settings": {"limits.roles": 30}})
    await world.post("/roles", TEACHER)


async def test_concurrent_calls_create_25_roles(world: World) -> None:
    """However many roles are requested at the same time, 25 are created."""
    bodies = [{"role": f"role-{number}", "name": "Role"} for number in range(30)]
    answers = await asyncio.gather(*[world.ask("POST", "/roles", body) for body in bodies])

    assert sorted(answer.status for answer in answers) == [200] * 25 + [400] * 5
    assert len(await roles(world)) == 26


async def test_roles_are_listed(world: World, clock: ManualClock) -> None:
    """Roles are listed newest first, those of one time by descending id, with the true total."""
    clock.advance(1)
    for role in ("b", "a", "c"):
        await world.post("/roles", {"role": role, "name": role})
    clock.advance(1)
    await world.post("/roles", {"role": "aa", "name": "aa"})
    await world.put("/roles/a", {"name": "Changed last"})

    assert await roles(world) == ["aa", "c", "b", "a", "default"]
    assert await roles(world, "?perPage=2&page=2") == ["b", "a"]
    assert world.answer.meta["pagination"] == {
        "total": 5,
        "count": 2,
        "per_page": 2,
        "current_page": 2,
        "total_pages": 3,
    }
    assert await roles(world, "?page=2") == []
    assert world.answer.meta["pagination"]["total"] == 5
    await world.refused("GET", "/roles?perPage=1001", status=400, code=BAD)


async def test_a_role_is_changed(world: World, clock: ManualClock) -> None:
    """Given fields are changed, others are not; settings are changed one by one."""
    made = await world.post("/roles", {**TEACHER, "description": "Old", "metadata": {"x": 1}})
    clock.advance(5)
    settings = {"listUsers": "friendsOnly"}
    changed = await world.put("/roles/teacher", {"name": "Pupil", "settings": settings})

    assert changed == {
        **made,
        "name": "Pupil",
        "settings": {"listUsers": "friendsOnly", "sendMessagesTo": "all"},
        "updatedAt": clock.now(),
    }
    body = {"metadata": {"y": 2}, "settings": {"sendMessagesTo": "friendsOnly"}}
    again = await world.put("/roles/teacher", body)
    both = {"listUsers": "friendsOnly", "sendMessagesTo": "friendsOnly"}
    assert again == {**changed, "metadata": {"y": 2}, "settings": both}
    assert await world.get("/roles/teacher") == again


@pytest.mark.parametrize("body", [{}, {"settings": []}, {"settings": {}}, {"name": None}])
async def test_a_change_of_nothing(world: World, clock: ManualClock, body: Json) -> None:
    """A change without values, or with an empty list of settings, changes nothing."""
    made = await world.post("/roles", {**TEACHER, "settings": {"listUsers": "friendsOnly"}})

    assert await world.put("/roles/teacher", body) == {**made, "updatedAt": clock.now()}


async def test_a_role_is_emptied(world: World) -> None:
    """Description, metadata and settings can be unset, each by itself or all at once."""
    full = {
        **TEACHER,
        "description": "Old",
        "metadata": {"x": 1},
        "settings": {"listUsers": "all", "sendMessagesTo": "all"},
    }
    await world.post("/roles", full)
    for field in ("description", "metadata", "settings"):
        role = await world.put("/roles/teacher", {"unset": [field]})

        assert full.keys() - role.keys() == {field}
        await world.put("/roles/teacher", full)
    role = await world.put(
        "/roles/teacher", {**full, "unset": ["settings", "metadata", "description"]}
    )
    assert role.keys() == {"role", "name", "createdAt", "updatedAt"}
    assert await world.get("/roles/teacher") == role


async def test_an_empty_description_is_removed(world: World) -> None:
    """A description that is changed to an empty text is removed."""
    await world.post("/roles", {**TEACHER, "description": "Old"})

    assert "description" not in await world.put("/roles/teacher", {"description": ""})


async def test_the_default_role_is_changed(world: World) -> None:
    """The default role can be changed like any other."""
    changed = await world.put("/roles/default", {"name": "Everybody", "description": "All"})

    assert (changed["name"], changed["description"]) == ("Everybody", "All")
    assert await world.get("/roles/default") == changed


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "a\0"}, "name"),
        ({"description": "x" * 256}, "description"),
        ({"metadata": {"x": "m" * 5113}}, "metadata"),
        ({"settings": [1]}, "settings"),
        ({"settings": {"listUsers": "FRIENDSONLY"}}, "settings.listUsers"),
        ({"unset": ["name"]}, "unset.0"),
        ({"unset": "metadata"}, "unset"),
    ],
)
async def test_a_refused_change_changes_nothing(world: World, wrong: Json, field: str) -> None:
    """If one field of a change is bad, it is named and nothing is changed."""
    before = await world.post("/roles", {**TEACHER, "metadata": {"x": 1}})
    body = {"description": "New", **wrong}
    details = await world.refused("PUT", "/roles/teacher", body, status=400, code=BAD)

    assert list(details) == [field]
    assert await world.get("/roles/teacher") == before


async def test_a_role_is_deleted(world: World) -> None:
    """A role without users can be deleted, and its id is free."""
    await world.post("/roles", TEACHER)

    assert await world.delete("/roles/Teacher") == {
        "success": True,
        "message": "Role teacher has been deleted successfully.",
    }
    await world.refused("GET", "/roles/teacher", status=404, code=NOT_FOUND)
    assert await roles(world) == ["default"]
    await world.refused(
        "POST", "/users", {"uid": "anna", "name": "A", "role": "teacher"}, status=400, code=BAD
    )
    await world.post("/roles", TEACHER)


async def test_the_default_role_stays(world: World) -> None:
    """The default role cannot be deleted, whether any user has it or not."""
    await world.refused("DELETE", "/roles/default", status=403, code=DENIED)

    assert await roles(world) == ["default"]


async def test_a_role_that_users_have_stays(world: World) -> None:
    """A role of a user, also of a deactivated one, cannot be deleted; deleted users don't count."""
    await world.post("/roles", TEACHER)
    await world.user("anna", role="teacher")

    async def refuse() -> str:
        await world.refused("DELETE", "/roles/teacher", status=403, code=DENIED)
        return str(world.answer.error["message"])

    assert "users" in await refuse()
    await world.delete("/users", {"uidsToDeactivate": ["anna"]})
    await refuse()
    await world.delete("/users/anna")
    await world.delete("/roles/teacher")


async def test_a_deleted_user_keeps_a_deleted_role(world: World) -> None:
    """A message shows the role that its sender had, also if sender and role are deleted."""
    await world.post("/roles", TEACHER)
    await world.user("anna", role="teacher")
    await world.user("ben")
    said = await world.post("/messages", to_user("ben"), as_="anna")
    await world.delete("/users/anna")
    await world.delete("/roles/teacher")

    for uid in (None, "ben"):
        (row,) = await world.get("/messages", as_=uid)
        assert row["id"] == said["id"]
        assert row["data"]["entities"]["sender"]["entity"]["role"] == "teacher"
    await world.refused("GET", "/users/anna", status=404, code="ERR_UID_NOT_FOUND")


async def test_a_role_without_users_is_deleted(world: World) -> None:
    """Once its users have another role, a role can be deleted."""
    await world.post("/roles", TEACHER)
    await world.user("anna", role="teacher")
    await world.put("/users/anna", {"role": "default"})

    await world.delete("/roles/teacher")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_a_missing_role(node: Node, world: World, method: str) -> None:
    """A missing role is not found, whether another app has it or none."""
    other = await node.world()
    await other.post("/roles", TEACHER)

    for role in ("teacher", "nobody", "x" * 100):
        await world.refused(method, f"/roles/{role}", status=404, code=NOT_FOUND)
    assert await roles(other) == ["teacher", "default"]


@pytest.mark.parametrize("role", ["a%20b", "x" * 101, "a.b", "%00", "%ff", "%E2%84%AA", "a%0A"])
@one_engine
async def test_a_malformed_role_id(world: World, role: str) -> None:
    """A path with something that cannot be a role's id is a bad request that names it."""
    for method in ("GET", "PUT", "DELETE"):
        details = await world.refused(method, f"/roles/{role}", status=400, code=BAD)
        assert list(details) == ["role"]
