"""A role limits the users that its users see: features, permissions and settings."""

from typing import Any

import pytest
from tests.world import Json, World

DENIED = "ERR_PERMISSION_DENIED"
NOBODY = "ERR_UID_NOT_FOUND"


async def permit(world: World, role: str = "default", **permissions: Any) -> None:
    """Set permissions of a role; `__` stands for the dot in an id."""
    wanted = {id_.replace("__", "."): value for id_, value in permissions.items()}
    answer = await world.put(f"/roles/{role}/permissions", {"permissions": wanted})
    assert all(answer[id_]["success"] for id_ in wanted), answer


async def befriend(world: World, uid: str, *others: str) -> None:
    """Make users friends."""
    await world.post(f"/users/{uid}/friends", {"accepted": list(others)})


async def restrict(world: World, *features: str) -> None:
    """Restrict features for the default role."""
    body = {"featuresToRestrict": list(features)}
    await world.post("/roles/default/restrictedfeatures", body)


async def listed(world: World, query: str = "", viewer: str | None = "anna") -> list[str]:
    """Return the uids in the viewer's list, latest change first; check the total."""
    found = await world.uids(f"/users?{query}", as_=viewer)
    assert world.answer.meta["pagination"]["total"] == len(found)
    return found


async def is_seen(world: World, uid: str, viewer: str | None = "anna") -> bool:
    """Return whether the viewer finds a user by uid; otherwise they seem not to exist."""
    answer = await world.ask("GET", f"/users/{uid}", as_=viewer)
    if answer.status == 200:
        return True
    nobody = await world.ask("GET", "/users/nobody", as_=viewer)
    assert (answer.status, nobody.status) == (404, 404)
    assert answer.json == {"error": {**nobody.error, "message": _said(uid)}}
    return False


def _said(uid: str) -> str:
    return f"The user with UID {uid} does not exist."


async def make_roles(world: World) -> None:
    """Create users: Anna, Ben and Chiara have no role of their own; Dai cooks, Eva guides."""
    await world.users("anna", "ben", "chiara")
    for role, uid in (("cook", "dai"), ("guide", "eva")):
        await world.post("/roles", {"role": role, "name": role.capitalize()})
        await world.user(uid, role=role)


# Lists


async def test_a_role_may_not_list_users(world: World) -> None:
    """With `listUsers` denied the list is refused to users of the role, and to nobody else."""
    await make_roles(world)
    await permit(world, listUsers="deny")
    token = await world.token("anna")

    ways: tuple[Json, ...] = ({"as_": "anna"}, {"token": token})
    for how in ways:
        details = await world.refused("GET", "/users", status=403, code=DENIED, **how)
        assert list(details) == ["listUsers"]
    assert await is_seen(world, "ben")
    assert len(await listed(world, viewer="dai")) == 5
    assert len(await listed(world, viewer=None)) == 5
    await permit(world, listUsers="allow")
    assert len(await listed(world)) == 5


async def set_friends_only(world: World, way: str) -> None:
    """Limit the default role's lists to friends, in one of the two ways."""
    if way == "permission":
        await permit(world, listUsers__mode="friends")
    else:
        await world.put("/roles/default", {"settings": {"listUsers": "friendsOnly"}})


@pytest.mark.parametrize("way", ["permission", "setting"])
async def test_a_role_lists_friends_only(world: World, way: str) -> None:
    """By permission or by setting, lists show a user's friends only, not even the user."""
    await make_roles(world)
    await befriend(world, "anna", "ben", "eva")
    await set_friends_only(world, way)

    assert await listed(world) == ["eva", "ben"]
    assert await listed(world, viewer="ben") == ["anna"]
    assert await listed(world, viewer="chiara") == []
    assert len(await listed(world, viewer="eva")) == 5
    assert len(await listed(world, viewer=None)) == 5
    assert await is_seen(world, "chiara")


async def test_the_stricter_of_setting_and_permission_holds(world: World) -> None:
    """When setting and permission differ, the stricter one applies."""
    await world.users("anna", "ben", "chiara")
    await befriend(world, "anna", "ben")

    await permit(world, listUsers__mode="all")
    await world.put("/roles/default", {"settings": {"listUsers": "friendsOnly"}})
    assert await listed(world) == ["ben"]
    await permit(world, listUsers__mode="friends")
    await world.put("/roles/default", {"settings": {"listUsers": "all"}})
    assert await listed(world) == ["ben"]
    await permit(world, listUsers__mode="all")
    assert await listed(world) == ["chiara", "ben", "anna"]


async def test_friends_only_lists_come_in_pages(world: World) -> None:
    """Pages and cursors of such a list contain friends only, and its total is their number."""
    uids = ["ben", "chiara", "dai", "eva", "farid"]
    await world.users("anna", *uids, "gone", "stranger")
    await befriend(world, "anna", *uids, "gone")
    await world.delete("/users", {"uidsToDeactivate": ["gone"]})
    await permit(world, listUsers__mode="friends")

    pages = [await world.uids(f"/users?perPage=2&page={page}", as_="anna") for page in (1, 2, 3)]
    assert pages == [["farid", "eva"], ["dai", "chiara"], ["ben"]]
    assert world.answer.meta["pagination"]["total"] == 5
    found, query = [], ""
    for _ in range(4):
        page = await world.uids(f"/users?perPage=2{query}", as_="anna")
        found.append(page)
        if not page:
            break
        query = "".join(f"&{name}={text}" for name, text in world.answer.meta["cursor"].items())
    assert found == [*pages, []]
    query = "/users?perPage=2&affix=append&updatedAt=0&id=a"
    assert await world.uids(query, as_="anna") == ["chiara", "ben"]


QUERIES = [
    "",
    "searchKey=b",
    "searchKey=OSEI&searchIn=name",
    "searchKey=ben&searchIn=uid",
    "tags=diver",
    "tags=diver,hiker",
    "role=cook",
    "roles=cook,default",
    "role=captain",
    "status=offline",
    "status=available",
    "searchKey=o&tags=diver&role=default",
    "perPage=2&page=2",
]


@pytest.mark.parametrize("query", QUERIES)
async def test_filters_find_the_same_among_friends(world: World, query: str) -> None:
    """A user who is everybody's friend finds in every list what the app finds, minus the user."""
    await world.post("/roles", {"role": "cook", "name": "Cook"})
    await world.post("/roles", {"role": "watcher", "name": "Watcher"})
    await world.user("zoe", name="Anna", role="watcher")
    await world.user("ben", name="Ben Osei", tags=["diver"])
    await world.user("olga", name="Olga Brandt", tags=["diver", "hiker"], role="cook")
    await world.user("bo", name="Bo Osei", tags=["hiker"])
    await world.user("gone", name="Gone Osei", tags=["diver"])
    await befriend(world, "zoe", "ben", "olga", "bo", "gone")
    await world.delete("/users", {"uidsToDeactivate": ["gone"]})
    await permit(world, "watcher", listUsers__mode="friends")

    mine = await world.uids(f"/users?{query}", as_="zoe")
    total = world.answer.meta["pagination"]["total"]
    every = [uid for uid in await world.uids(f"/users?{query}") if uid != "zoe"]
    if "page" not in query:
        assert (mine, total) == (every, len(every))
    else:
        assert (mine, total) == (["ben"], 3)


@pytest.mark.parametrize("query", ["withDeactivated=true", "onlyDeactivated=true"])
async def test_deactivated_users_are_hidden_from_users(world: World, query: str) -> None:
    """Only the app finds deactivated users; for users they do not exist."""
    await world.users("anna", "ben")
    await world.delete("/users", {"uidsToDeactivate": ["ben"]})

    assert await world.uids(f"/users?{query}", as_="anna") == ["anna"]
    assert "ben" in await world.uids(f"/users?{query}")


async def test_a_role_lists_users_of_some_roles(world: World) -> None:
    """With `listUsers.allowedRoles` a user finds only users of these roles; if it is empty, all."""
    await make_roles(world)

    await permit(world, listUsers__allowedRoles=["cook"])
    assert await listed(world) == ["dai"]
    await permit(world, listUsers__allowedRoles=["cook", "guide", "captain"])
    assert await listed(world) == ["eva", "dai"]
    await permit(world, listUsers__allowedRoles=["captain"])
    assert await listed(world) == []
    assert len(await listed(world, viewer="dai")) == 5
    assert len(await listed(world, viewer=None)) == 5
    await permit(world, listUsers__allowedRoles=[])
    assert len(await listed(world)) == 5


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("role=cook", ["dai"]),
        ("role=Cook&roles=default", ["dai"]),
        ("roles=default", []),
        ("role=captain", []),
        ("searchKey=e", ["eva"]),
        ("searchKey=anna", []),
        ("withDeactivated=true", ["eva", "dai"]),
    ],
)
async def test_asking_for_roles_shows_no_more_of_them(
    world: World, query: str, found: list[str]
) -> None:
    """A filter of the call narrows what the role allows, and never widens it."""
    await make_roles(world)
    await permit(world, listUsers__allowedRoles=["cook", "guide"])

    assert await listed(world, query) == found


async def test_friends_and_roles_join(world: World) -> None:
    """With friends only and some roles only, lists show friends of these roles."""
    await make_roles(world)
    await befriend(world, "anna", "ben", "dai")
    await permit(world, listUsers__mode="friends", listUsers__allowedRoles=["cook", "guide"])

    assert await listed(world) == ["dai"]
    assert await listed(world, "role=default") == []
    assert await listed(world, "role=guide") == []


# By uid


async def test_a_role_sees_friends_only(world: World) -> None:
    """With `getUserDetails.mode` friends, others do not exist; the caller always does."""
    await make_roles(world)
    await befriend(world, "anna", "ben")
    await permit(world, getUserDetails__mode="friends")

    assert await is_seen(world, "ben")
    assert await is_seen(world, "anna")
    assert not await is_seen(world, "chiara")
    assert await is_seen(world, "chiara", viewer="dai")
    assert await is_seen(world, "chiara", viewer=None)
    assert len(await listed(world)) == 5
    await world.delete("/users/anna/friends", {"friends": ["ben"]})
    assert not await is_seen(world, "ben")


async def test_a_role_sees_users_of_some_roles(world: World) -> None:
    """With `getUserDetails.allowedRoles`, users of other roles do not exist; the caller does."""
    await make_roles(world)
    await befriend(world, "anna", "ben")
    await permit(world, getUserDetails__allowedRoles=["cook"])

    assert await is_seen(world, "dai")
    assert await is_seen(world, "anna")
    assert not await is_seen(world, "eva")
    assert not await is_seen(world, "ben")
    assert await is_seen(world, "ben", viewer="dai")
    assert await is_seen(world, "ben", viewer=None)
    await permit(world, getUserDetails__allowedRoles=["cook", "default"])
    await permit(world, getUserDetails__mode="friends")
    assert await is_seen(world, "ben")
    assert not await is_seen(world, "chiara")
    assert not await is_seen(world, "dai")


async def test_rules_apply_to_tokens(world: World) -> None:
    """A role's rules apply to its users' tokens and to calls on their behalf."""
    await make_roles(world)
    await befriend(world, "anna", "ben")
    await permit(world, listUsers__mode="friends", getUserDetails__mode="friends")
    token = await world.token("anna")

    assert await world.uids("/users", token=token) == ["ben"]
    await world.get("/users/ben", token=token)
    await world.get("/users/anna", token=token)
    await world.refused("GET", "/users/chiara", status=404, code=NOBODY, token=token)


# Features


@pytest.mark.parametrize(
    ("feature", "path"),
    [("listUsers", "/users"), ("getUser", "/users/ben"), ("getMyDetails", "/users/anna")],
)
async def test_a_role_is_kept_from_reading_users(world: World, feature: str, path: str) -> None:
    """Each feature covers one way to read users, and the others stay open."""
    await world.users("anna", "ben")
    await restrict(world, feature)
    token = await world.token("anna")

    ways: tuple[Json, ...] = ({"as_": "anna"}, {"token": token})
    for how in ways:
        details = await world.refused("GET", path, status=403, code=DENIED, **how)
        assert list(details) == [f"u.{feature}"]
        for other in {"/users", "/users/ben", "/users/anna"} - {path}:
            await world.get(other, **how)
    await world.get(path)


async def test_a_restricted_feature_is_refused_before_a_permission(world: World) -> None:
    """If both a feature and a permission deny a call, the feature is named."""
    await world.user("anna")
    await restrict(world, "listUsers")
    await permit(world, listUsers="deny")

    details = await world.refused("GET", "/users", status=403, code=DENIED, as_="anna")
    assert list(details) == ["u.listUsers"]


async def test_a_deactivated_user_changes_nothing(world: World) -> None:
    """The token of a deactivated user does not change their profile."""
    await world.user("anna")
    token = await world.token("anna")
    assert (await world.put("/users/anna", {"name": "Anna Keller"}, token=token))["name"]
    await world.delete("/users", {"uidsToDeactivate": ["anna"]})

    code = "AUTH_ERR_AUTH_TOKEN_NOT_FOUND"
    body = {"name": "Anna Osei"}
    await world.refused("PUT", "/users/anna", body, status=401, code=code, token=token)
    await world.put("/users", {"uidsToActivate": ["anna"]})
    assert (await world.get("/users/anna"))["name"] == "Anna Keller"
