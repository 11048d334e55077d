"""API keys: create, list, get, change, delete."""

import asyncio
import re

import pytest
from tests.clock import ManualClock
from tests.world import Node, World

NOT_FOUND = "ERR_APIKEY_NOT_FOUND"
BAD = "ERR_BAD_REQUEST"


async def test_a_new_app_has_two_keys(world: World) -> None:
    """Every app begins with a key for its server and one for its sign-in page."""
    keys = await world.get("/apikeys")

    assert {(key["name"], key["scope"], key["apiKey"]) for key in keys} == {
        ("Rest API Key", "fullAccess", world.key),
        ("Auth Key", "authOnly", world.auth_key),
    }
    assert world.answer.meta["pagination"]["total"] == 2


async def test_a_key_is_made(world: World, clock: ManualClock) -> None:
    """A key is 40 hexadecimal digits, and allows what its scope allows."""
    key = await world.post("/apikeys", {"name": "Backend", "scope": "fullAccess"})

    assert key == {
        "apiKey": key["apiKey"],
        "name": "Backend",
        "scope": "fullAccess",
        "createdAt": clock.now(),
    }
    assert re.fullmatch(r"[0-9a-f]{40}", key["apiKey"])
    assert await world.get(f"/apikeys/{key['apiKey']}") == key
    assert await world.get("/users", key=key["apiKey"]) == []


async def test_a_key_is_narrow_by_default(world: World) -> None:
    """A key that is created without a scope may only sign users in."""
    key = await world.post("/apikeys", {"name": "Sign-in"})

    assert key["scope"] == "authOnly"
    await world.refused("GET", "/users", key=key["apiKey"], status=403, code="AUTH_ERR_NO_ACCESS")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": 1}, "name"),
        ({"name": "Backend", "scope": "admin"}, "scope"),
    ],
)
async def test_an_invalid_key(world: World, body: dict[str, object], field: str) -> None:
    """A key needs a name of at most 100 characters and a scope that exists."""
    assert list(await world.refused("POST", "/apikeys", body, status=400, code=BAD)) == [field]
    assert len(await world.get("/apikeys")) == 2


async def test_keys_are_listed(world: World, clock: ManualClock) -> None:
    """Keys are listed newest first, by scope and by a part of their names."""
    for name, scope in [("Backend", "fullAccess"), ("Bücherei", "authOnly")]:
        clock.advance(1)
        await world.post("/apikeys", {"name": name, "scope": scope})

    async def names(query: str) -> list[str]:
        return [key["name"] for key in await world.get(f"/apikeys{query}")]

    assert await names("") == ["Bücherei", "Backend", "Rest API Key", "Auth Key"]
    assert await names("?scope=fullAccess") == ["Backend", "Rest API Key"]
    assert await names("?searchKey=KEY") == ["Rest API Key", "Auth Key"]
    assert await names("?searchKey=ÜCHER") == ["Bücherei"]
    assert await names("?searchKey=key&scope=authOnly") == ["Auth Key"]
    assert await names("?searchKey=nothing") == []
    await world.refused("GET", "/apikeys?scope=admin", status=400, code=BAD)


async def test_a_key_is_changed(world: World) -> None:
    """A key's name and scope can be changed; what is not given is unchanged."""
    made = await world.post("/apikeys", {"name": "Backend"})
    path = f"/apikeys/{made['apiKey']}"

    assert await world.put(path, {"name": "Server"}) == {**made, "name": "Server"}
    changed = await world.put(path, {"scope": "fullAccess"})
    assert changed == {**made, "name": "Server", "scope": "fullAccess"}
    assert await world.put(path, {}) == changed
    assert await world.get(path) == changed


async def test_a_key_is_deleted(world: World) -> None:
    """A deleted key is not accepted, built-in or not."""
    made = await world.post("/apikeys", {"name": "Backend"})
    for key in (made["apiKey"], world.auth_key):
        done = await world.delete(f"/apikeys/{key}")

        assert done == {
            "success": True,
            "message": f"The Api Key {key} has been deleted successfully.",
        }
        await world.refused("GET", f"/apikeys/{key}", status=404, code=NOT_FOUND)
    assert [key["apiKey"] for key in await world.get("/apikeys")] == [world.key]


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
async def test_a_key_does_nothing_to_itself(world: World, method: str) -> None:
    """A key cannot change or delete itself, so that callers cannot lock themselves out."""
    code = "ERR_APIKEY_NO_SELF_ACTION"
    await world.refused(
        method, f"/apikeys/{world.key}", {"scope": "authOnly"}, status=403, code=code
    )

    assert (await world.get(f"/apikeys/{world.key}"))["scope"] == "fullAccess"


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_a_missing_key(node: Node, world: World, method: str) -> None:
    """A missing key is not found, whether another app has it or none."""
    other = await node.world()

    for key in ("0" * 40, "nothing", "x" * 255, other.key):
        await world.refused(method, f"/apikeys/{key}", status=404, code=NOT_FOUND)
    assert await other.get("/users") == []


async def test_there_are_25_keys(world: World) -> None:
    """An app has at most 25 keys besides the built-in ones; a deleted one makes room."""
    keys = [
        (await world.post("/apikeys", {"name": f"Key {number}"}))["apiKey"] for number in range(25)
    ]

    details = await world.refused(
        "POST", "/apikeys", {"name": "One more"}, status=400, code="ERR_LIMIT_EXCEEDED"
    )
    assert "25" in details["apikeys"][0]
    assert len(await world.get("/apikeys")) == 27
    await world.delete(f"/apikeys/{keys[0]}")
    await world.post("/apikeys", {"name": "One more"})


async def test_how_many_keys_is_a_setting(world: World) -> None:
    """The app's settings limit its keys; existing keys beyond a lowered limit still work."""
    await world.put("/settings", {"settings": {"limits.apiKeys": 1}})
    key = (await world.post("/apikeys", {"name": "Another", "scope": "fullAccess"}))["apiKey"]
    more = {"name": "One more"}
    details = await world.refused("POST", "/apikeys", more, status=400, code="ERR_LIMIT_EXCEEDED")
    assert "1" in details["apikeys"][0]

    await world.put("/settings", {"settings": {"limits.apiKeys": 0}})
    assert len(await world.get("/apikeys", key=key)) == 3
    await world.put("/settings", {"settings": {"limits.apiKeys": 30}})
    for number in range(29):
        await world.post("/apikeys", {"name": f"Key {number}"})
    await world.refused("POST", "/apikeys", more, status=400, code="ERR_LIMIT_EXCEEDED")


async def test_concurrent_calls_create_25_keys(world: World) -> None:
    """However many keys are requested at the same time, 25 are created."""
    asked = [world.ask("POST", "/apikeys", {"name": f"Key {number}"}) for number in range(30)]
    answers = await asyncio.gather(*asked)

    assert sorted(answer.status for answer in answers) == [200] * 25 + [400] * 5
    assert len(await world.get("/apikeys")) == 27


async def test_a_deleted_built_in_key_makes_no_room(world: World) -> None:
    """The built-in keys do not count, whether they exist or not."""
    await world.delete(f"/apikeys/{world.auth_key}")
    for number in range(25):
        await world.post("/apikeys", {"name": f"Key {number}"})

    await world.refused(
        "POST", "/apikeys", {"name": "One more"}, status=400, code="ERR_LIMIT_EXCEEDED"
    )
