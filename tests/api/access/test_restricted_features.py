"""Restricted features: restrict them for a role, list them, allow them again."""

import asyncio
from typing import Any

import pytest
from tests.clock import ManualClock
from tests.world import Node, World

from hubbub.records.roles.features import FEATURES

NOT_FOUND = "ERR_ROLE_NOT_FOUND"
BAD = "ERR_BAD_REQUEST"
PATH = "/roles/default/restrictedfeatures"


async def restrict(world: World, *keys: str) -> dict[str, Any]:
    """Restrict features for the default role."""
    answer: dict[str, Any] = await world.post(PATH, {"featuresToRestrict": list(keys)})
    return answer


async def keys_of(world: World, path: str = PATH) -> list[str]:
    """Return the restricted keys, in the order of the list."""
    return [row["key"] for row in await world.get(path)]


async def test_features_are_restricted(world: World) -> None:
    """A key is accepted with and without its `u.`, and always answered with it."""
    answer = await restrict(world, "listUsers", "u.deleteGroup", "u.listUsers")

    assert answer == {
        key: {
            "success": True,
            "message": f"The feature {key} has been restricted successfully.",
        }
        for key in ("u.listUsers", "u.deleteGroup")
    }
    assert await keys_of(world) == ["u.deleteGroup", "u.listUsers"]


async def test_restrictions_are_listed(world: World, clock: ManualClock) -> None:
    """Each is listed with its name, its path and its time; the newest first."""
    assert await world.get(PATH) == []
    await restrict(world, "listUsers")
    since = clock.now()
    clock.advance(1)
    await restrict(world, "deleteGroup")

    assert await world.get(PATH) == [
        {
            "title": "Delete a group",
            "description": "Delete a group",
            "key": "u.deleteGroup",
            "path": "/v3/groups/{{guid}}",
            "createdAt": clock.now(),
        },
        {
            "title": "List users",
            "description": "List users",
            "key": "u.listUsers",
            "path": "/v3/users",
            "createdAt": since,
        },
    ]
    assert world.answer.meta["pagination"] == {
        "total": 2,
        "count": 2,
        "per_page": 100,
        "current_page": 1,
        "total_pages": 1,
    }


async def test_a_restriction_keeps_its_time(world: World, clock: ManualClock) -> None:
    """Restricting a feature again succeeds and keeps its first time."""
    first = await restrict(world, "listUsers")
    rows = await world.get(PATH)
    clock.advance(60)

    assert await restrict(world, "listUsers") == first
    assert await world.get(PATH) == rows


async def test_an_unknown_feature_keeps_none_back(world: World) -> None:
    """An unknown key is answered with an error under it as it was sent; the others succeed."""
    unknown = ["u.u.listUsers", "LISTUSERS", "", "u.", "no.such", "😀" * 100]
    answer = await restrict(world, unknown[0], "listUsers", *unknown[1:])

    assert answer.pop("u.listUsers")["success"] is True
    assert list(answer) == unknown
    for key, outcome in answer.items():
        assert outcome["success"] is False
        assert outcome["error"]["code"] == BAD
        assert key in outcome["error"]["details"].popitem()[1][0]
    assert await keys_of(world) == ["u.listUsers"]


async def test_every_feature_can_be_restricted(world: World) -> None:
    """All features can be restricted and allowed again, including those of calls."""
    answer = await restrict(world, *FEATURES)

    assert len(answer) == len(FEATURES)
    assert all(outcome["success"] for outcome in answer.values())
    assert await keys_of(world) == sorted(f"u.{key}" for key in FEATURES)
    await world.delete(PATH, {"featuresToAllow": list(FEATURES)})
    assert await keys_of(world) == []


async def test_an_empty_list_restricts_nothing(world: World) -> None:
    """An empty list is accepted and restricts nothing."""
    assert await restrict(world) == {}
    assert await keys_of(world) == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "featuresToRestrict"),
        ({"featuresToRestrict": None}, "featuresToRestrict"),
        ({"featuresToRestrict": "listUsers"}, "featuresToRestrict"),
        ({"featuresToRestrict": {"listUsers": True}}, "featuresToRestrict"),
        ({"featuresToRestrict": ["listUsers", 1]}, "featuresToRestrict.1"),
        ({"featuresToRestrict": ["listUsers", "x" * 101]}, "featuresToRestrict.1"),
        ({"featuresToRestrict": ["listUsers", "listGroups\0"]}, "featuresToRestrict.1"),
        ({"featuresToRestrict": ["listUsers"] * 101}, "featuresToRestrict"),
    ],
)
async def test_a_malformed_list_of_features(world: World, body: Any, field: str) -> None:
    """A list of another form is refused as a whole with its field named; nothing is restricted."""
    assert list(await world.refused("POST", PATH, body, status=400, code=BAD)) == [field]
    assert await keys_of(world) == []


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ({"featuresToAllow": ["u.listUsers"]}, ["u.deleteGroup", "u.listGroups"]),
        ({"featuresToAllow": ["listUsers", "u.deleteGroup"]}, ["u.listGroups"]),
        ({"featuresToAllow": ["ban"]}, ["u.deleteGroup", "u.listGroups", "u.listUsers"]),
        ({"featuresToAllow": ["listUsers"], "allowAll": False}, ["u.deleteGroup", "u.listGroups"]),
        ({"featuresToAllow": ["listUsers"], "allowAll": True}, []),
        ({"allowAll": True}, []),
        ({"featuresToAllow": []}, ["u.deleteGroup", "u.listGroups", "u.listUsers"]),
        ({}, ["u.deleteGroup", "u.listGroups", "u.listUsers"]),
    ],
)
async def test_features_are_allowed(world: World, body: Any, left: list[str]) -> None:
    """Named features, or all of them, are allowed again; the others stay restricted."""
    await restrict(world, "listUsers", "deleteGroup", "listGroups")

    assert await world.delete(PATH, body) == {
        "success": True,
        "message": "The feature has been allowed successfully.",
    }
    assert await keys_of(world) == left


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"featuresToAllow": ["x", "listUsers", "y"]}, ["featuresToAllow.0", "featuresToAllow.2"]),
        ({"featuresToAllow": ["x"], "allowAll": True}, ["featuresToAllow.0"]),
        ({"featuresToAllow": "listUsers"}, ["featuresToAllow"]),
        ({"featuresToAllow": ["listUsers", None]}, ["featuresToAllow.1"]),
        ({"featuresToAllow": ["listUsers", "\0"]}, ["featuresToAllow.1"]),
        ({"featuresToAllow": ["listUsers"] * 101}, ["featuresToAllow"]),
        ({"featuresToAllow": ["listUsers"], "allowAll": "true"}, ["allowAll"]),
    ],
)
async def test_a_bad_feature_allows_nothing(world: World, body: Any, fields: list[str]) -> None:
    """If one feature is unknown or the form is wrong, it is named and nothing is allowed."""
    await restrict(world, "listUsers")

    assert list(await world.refused("DELETE", PATH, body, status=400, code=BAD)) == fields
    assert await keys_of(world) == ["u.listUsers"]


async def test_a_restriction_holds_for_its_role_only(world: World) -> None:
    """Users of a role cannot use its restricted features, and others can."""
    await world.post("/roles", {"role": "guest", "name": "Guest"})
    await world.user("anna", role="guest")
    await world.user("ben")
    path = "/roles/GUEST/restrictedfeatures"
    await world.post(path, {"featuresToRestrict": ["listUsers"]})

    details = await world.refused(
        "GET", "/users", as_="anna", status=403, code="ERR_PERMISSION_DENIED"
    )
    assert list(details) == ["u.listUsers"]
    await world.get("/users", as_="ben")
    assert await keys_of(world) == []
    await world.delete(path, {"featuresToAllow": ["u.listUsers"]})
    await world.get("/users", as_="anna")


async def test_restrictions_do_not_show_in_the_role(world: World) -> None:
    """A role's answer does not show its restrictions, and a change of the role keeps them."""
    before = await world.get("/roles/default")
    await restrict(world, "listUsers")

    assert await world.get("/roles/default") == before
    await world.put("/roles/default", {"name": "Everybody"})
    assert await keys_of(world) == ["u.listUsers"]


async def test_concurrent_restrictions_are_all_kept(world: World) -> None:
    """Features that are restricted at the same time are all restricted."""
    some = list(FEATURES)[:20]
    await asyncio.gather(*[world.post(PATH, {"featuresToRestrict": [key]}) for key in some])

    assert len(await keys_of(world)) == 20


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_a_missing_role(node: Node, world: World, method: str) -> None:
    """A missing role is not found, whether another app has it or none."""
    other = await node.world()
    await other.post("/roles", {"role": "teacher", "name": "Teacher"})
    body = {"featuresToRestrict": ["listUsers"], "allowAll": True} if method != "GET" else None

    for role in ("teacher", "nobody"):
        path = f"/roles/{role}/restrictedfeatures"
        await world.refused(method, path, body, status=404, code=NOT_FOUND)
    assert await keys_of(other, "/roles/teacher/restrictedfeatures") == []
