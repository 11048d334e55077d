"""The app of a request: by host name, by the header `appId`, by its key."""

import pytest
from tests.world import Node, World

INVALID = "AUTH_ERR_INVALID_APPID"
UNKNOWN_KEY = "AUTH_ERR_APIKEY_NOT_FOUND"


def host_of(app_id: str, region: str = "us") -> dict[str, str]:
    """Return the host name of an app."""
    return {"Host": f"{app_id}.api-{region}.example.com"}


async def test_the_host_name_names_the_app(world: World) -> None:
    """A key is accepted at its app's own host name."""
    await world.user("anna")

    assert await world.uids("/users", headers=host_of(world.app_id)) == ["anna"]


async def test_a_host_name_has_no_case(world: World) -> None:
    """A host name is read in any case, with or without a port."""
    host = f"{world.app_id.upper()}.API-US.example.com:8443"

    assert await world.get("/users", headers={"HOST": host}) == []


async def test_the_header_names_the_app(world: World) -> None:
    """A key is accepted with its app's id in the header, in any case."""
    await world.user("anna")

    assert await world.uids("/users", headers={"appId": world.app_id.upper()}) == ["anna"]


async def test_the_key_alone_names_the_app(world: World) -> None:
    """A key is enough."""
    await world.user("anna")

    assert await world.uids("/users") == ["anna"]


async def test_a_token_alone_names_the_app(world: World) -> None:
    """An auth token is enough, too."""
    await world.user("anna")

    assert await world.uids("/users", token=await world.token("anna")) == ["anna"]


@pytest.mark.parametrize("name", ["apikey", "apiKey", "APIKEY", "Apikey"])
async def test_header_names_have_no_case(world: World, name: str) -> None:
    """Header names are read in any case."""
    assert await world.get("/users", key="", headers={name: world.key}) == []


async def test_an_app_is_sealed(node: Node, world: World) -> None:
    """Two apps never see each other's users, even with equal uids."""
    other = await node.world()
    await world.user("anna", name="Anna Keller")
    await other.user("anna", name="Anna Osei")
    await other.user("ben")

    assert (await world.get("/users/anna"))["name"] == "Anna Keller"
    assert await world.uids("/users") == ["anna"]
    assert await world.uids("/users?searchKey=ben&withDeactivated=true") == []
    await world.refused("GET", "/users/ben", status=404, code="ERR_UID_NOT_FOUND")
    await world.refused("GET", "/users", as_="ben", status=404, code="ERR_UID_NOT_FOUND")
    await world.delete("/users/anna", {"permanent": True})
    assert (await other.get("/users/anna"))["name"] == "Anna Osei"


@pytest.mark.parametrize("region", ["eu", "in", "mars"])
async def test_another_region_does_not_have_the_app(world: World, region: str) -> None:
    """An app is found in its own region only."""
    host = host_of(world.app_id, region)

    await world.refused("GET", "/users", headers=host, status=401, code=INVALID)


async def test_an_app_has_a_region_of_its_own(node: Node) -> None:
    """An app of the region eu is served at the host name of eu."""
    world = await node.world(region="eu")

    assert await world.get("/users", headers=host_of(world.app_id, "eu")) == []
    await world.refused("GET", "/users", headers=host_of(world.app_id), status=401, code=INVALID)


@pytest.mark.parametrize("app_id", ["nobodys-app", "x" * 63, "-"])
async def test_an_unknown_app_is_refused(world: World, app_id: str) -> None:
    """A missing app is refused, with a valid key and without any."""
    await world.refused("GET", "/users", headers=host_of(app_id), status=401, code=INVALID)
    await world.refused("GET", "/users", headers={"appId": app_id}, status=401, code=INVALID)
    await world.refused(
        "GET", "/users", key="", headers={"appId": app_id}, status=401, code=INVALID
    )


@pytest.mark.parametrize("app_id", ["a\x7fb", "é", "x" * 10_000, "../..", "' OR 1=1 --"])
async def test_an_odd_app_id_is_unknown(world: World, app_id: str) -> None:
    """Any value of the header is looked up or refused."""
    await world.refused("GET", "/users", headers={"appId": app_id}, status=401, code=INVALID)


async def test_the_host_name_wins_over_the_header(node: Node, world: World) -> None:
    """If both name an app, the host name decides."""
    other = await node.world()
    headers = {**host_of(world.app_id), "appId": other.app_id}

    assert await world.get("/users", headers=headers) == []
    await other.refused("GET", "/users", headers=headers, status=401, code=UNKNOWN_KEY)


async def test_a_key_of_another_app_does_not_exist(node: Node, world: World) -> None:
    """Another app's key or token is refused as if it did not exist."""
    other = await node.world()
    await other.user("anna")
    token = await other.token("anna")

    for headers in (host_of(world.app_id), {"appId": world.app_id}):
        await other.refused("GET", "/users", headers=headers, status=401, code=UNKNOWN_KEY)
        answer = await other.ask("GET", "/users", token=token, headers=headers)
        assert answer.status == 401
        assert answer.error["code"] == "AUTH_ERR_AUTH_TOKEN_NOT_FOUND"


async def test_a_key_and_a_token_of_different_apps_do_not_mix(node: Node, world: World) -> None:
    """A key and a token that are sent together must be of one app."""
    other = await node.world()
    await other.user("anna")
    token = await other.token("anna")

    answer = await world.ask("GET", "/users", key=world.key, token=token)
    assert answer.status == 401


async def test_no_app_at_all(world: World) -> None:
    """A request without an app is refused."""
    await world.refused("GET", "/users", key="", status=401, code="AUTH_ERR_EMPTY_APPID")


async def test_an_app_without_a_key(world: World) -> None:
    """A request that names an app without credentials is refused for lack of a key."""
    for headers in (host_of(world.app_id), {"appId": world.app_id}):
        await world.refused(
            "GET", "/users", key="", headers=headers, status=401, code="AUTH_ERR_EMPTY_APIKEY"
        )


async def test_nobody_reaches_an_archived_app(node: Node, world: World) -> None:
    """Once an app is deleted, its keys and tokens are refused."""
    await world.user("anna")
    token = await world.token("anna")
    await world.get("/users", token=token)

    await node.manager().delete(f"/apps/{world.app_id}")

    await world.refused("GET", "/users", status=401, code=INVALID)
    await world.refused("GET", "/users", token=token, status=401, code=INVALID)
    await world.refused("GET", "/users", headers=host_of(world.app_id), status=401, code=INVALID)
    await world.refused("POST", "/users", {"uid": "b", "name": "B"}, status=401, code=INVALID)
