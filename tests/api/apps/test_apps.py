"""Apps: create, find, list and delete them with the management credentials."""

import re

import pytest
from tests.clock import ManualClock
from tests.engines import one_engine
from tests.wire import Sender
from tests.world import Caller, Json, Node, World

BAD = "ERR_BAD_REQUEST"
NOT_FOUND = "ERR_APP_NOT_FOUND"
THIRTY_DAYS = 30 * 24 * 3600


@pytest.fixture
def manager(node: Node) -> Caller:
    """A caller with the management credentials."""
    return node.manager()


def enter(sender: Sender, app: Json) -> World:
    """Return the world of an app, with the keys that its creation answered."""
    by_scope = {key["scope"]: key["apiKey"] for key in app["apiKeys"].values()}
    return World(sender, app["id"], by_scope["fullAccess"], by_scope["authOnly"])


async def test_an_app_is_made(node: Node, manager: Caller, clock: ManualClock) -> None:
    """A new app has an id, a region, and two keys that work."""
    app = await manager.post("/apps", {"name": "Hiking club", "region": "eu"})

    assert re.fullmatch(r"[0-9a-f]{16}", app["id"])
    keys = app.pop("apiKeys")
    assert app == {
        "id": app["id"],
        "name": "Hiking club",
        "plan": "self-hosted",
        "state": "active",
        "owner": "app_system",
        "region": "eu",
        "version": "3",
        "createdAt": clock.now(),
        "appRegion": app["appRegion"],
    }
    assert app["appRegion"].keys() == {"id", "name", "description"}
    assert {(key["name"], key["scope"], key["createdBy"]) for key in keys.values()} == {
        ("Rest API Key", "fullAccess", "app_system"),
        ("Auth Key", "authOnly", "app_system"),
    }
    assert all(text == key["apiKey"] for text, key in keys.items())
    world = enter(node.sender, {**app, "apiKeys": keys})
    assert await world.user("anna")


async def test_an_app_is_made_by_default_in_us(manager: Caller) -> None:
    """A name is enough."""
    app = await manager.post("/apps", {"name": "Hiking club", "skipSampleData": True})

    assert (app["region"], app["version"]) == ("us", "3")


async def test_an_app_takes_the_id_that_it_is_given(manager: Caller, clock: ManualClock) -> None:
    """A given id is used once: a second app can't have it, not even after the first is deleted."""
    app_id = f"hikers-{clock.now()}"
    body = {"name": "Hiking club", "id": app_id}

    assert (await manager.post("/apps", body))["id"] == app_id
    assert "id" in await manager.refused("POST", "/apps", body, status=409, code=BAD)
    await manager.delete(f"/apps/{app_id}")
    assert "id" in await manager.refused("POST", "/apps", body, status=409, code=BAD)


@pytest.mark.parametrize(
    "app_id", ["A", "-a", "a-", "a_b", "a.b", "ä", "a" * 64, " ", "a b", "a\0", "a\n"]
)
@one_engine
async def test_an_id_that_cannot_be_a_host_name(manager: Caller, app_id: str) -> None:
    """An app's id must be usable in a host name."""
    body = {"name": "Hiking club", "id": app_id}

    assert list(await manager.refused("POST", "/apps", body, status=400, code=BAD)) == ["id"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": "Club", "region": "mars"}, "region"),
        ({"name": "Club", "region": 1}, "region"),
        ({"name": "Club", "skipSampleData": "yes"}, "skipSampleData"),
    ],
)
@one_engine
async def test_an_invalid_app(manager: Caller, body: Json, field: str) -> None:
    """An app needs a name, and a region that exists."""
    assert list(await manager.refused("POST", "/apps", body, status=400, code=BAD)) == [field]


async def test_an_app_is_found(manager: Caller, world: World) -> None:
    """An app is found by its id, with its keys."""
    app = await manager.get(f"/apps/{world.app_id}")

    assert app["id"] == world.app_id
    assert app["apiKeys"].keys() == {world.key, world.auth_key}


async def test_apps_are_listed(manager: Caller) -> None:
    """A list of apps comes in pages of 25, oldest first, with a true total."""
    made = [(await manager.post("/apps", {"name": f"Club {n}"}))["id"] for n in range(3)]
    await manager.get("/apps")
    pagination = manager.answer.meta["pagination"]
    assert pagination["per_page"] == 25

    total = pagination["total"]
    listed = []
    for page in range(1, total // 1000 + 2):
        listed += [app["id"] for app in await manager.get(f"/apps?perPage=1000&page={page}")]
    assert len(listed) == len(set(listed)) == total
    assert set(made) <= set(listed)


async def test_apps_are_searched(manager: Caller, world: World) -> None:
    """A search finds a part of an app's name or id, in any case."""
    made = await manager.post("/apps", {"name": f"Wanderverein {world.app_id} ÉTÉ"})

    for search in (f"VEREIN {world.app_id} été", made["id"][3:], made["id"].upper()):
        assert [app["id"] for app in await manager.get(f"/apps?searchKey={search}")] == [made["id"]]
        assert manager.answer.meta["pagination"]["total"] == 1
    assert await manager.get("/apps?searchKey=nothing-like-it") == []


async def test_an_app_is_deleted(manager: Caller, world: World, clock: ManualClock) -> None:
    """A deleted app is neither reachable nor listed, and is erased after 30 days."""
    done = await manager.delete(f"/apps/{world.app_id}")

    assert done == {"success": True, "scheduledToDeleteAt": clock.now() + THIRTY_DAYS}
    for method in ("GET", "DELETE"):
        await manager.refused(method, f"/apps/{world.app_id}", status=404, code=NOT_FOUND)
    assert await manager.get(f"/apps?searchKey={world.app_id}") == []
    await world.refused("GET", "/users", status=401, code="AUTH_ERR_INVALID_APPID")


@pytest.mark.parametrize("app_id", ["nobodys-app", "%20", "a%00b", "%ff", "x" * 300, "a_b"])
async def test_a_missing_app(manager: Caller, app_id: str) -> None:
    """An app that does not exist is not found, nor is a malformed id."""
    for method in ("GET", "DELETE"):
        answer = await manager.ask(method, f"/apps/{app_id}")

        assert answer.status in {400, 404}
