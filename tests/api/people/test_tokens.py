"""Auth tokens: create, list, get, change, delete, flush."""

import asyncio
import re

import pytest
from tests.clock import ManualClock
from tests.world import World

NOT_FOUND = "ERR_AUTH_TOKEN_NOT_FOUND"
NOBODY = "ERR_UID_NOT_FOUND"
TOKENS = "/users/anna/auth_tokens"


@pytest.fixture
async def anna(world: World) -> None:
    """A user without tokens."""
    await world.user("anna")


@pytest.mark.usefixtures("anna")
async def test_a_token_is_made(world: World, clock: ManualClock) -> None:
    """A token begins with its user and the second of its creation, and is accepted."""
    token = await world.post(TOKENS)

    assert token.keys() == {"uid", "authToken", "createdAt"}
    assert token["uid"] == "anna"
    assert token["createdAt"] == clock.now()
    assert re.fullmatch(rf"anna_{clock.now()}[0-9a-f]{{30}}", token["authToken"])
    assert await world.uids("/users", token=token["authToken"]) == ["anna"]


@pytest.mark.usefixtures("anna")
async def test_a_token_is_made_when_there_is_none(world: World, clock: ManualClock) -> None:
    """Without `force` the newest token is returned, with it a new one."""
    first = await world.post(TOKENS, {})
    clock.advance(1)
    second = await world.post(TOKENS, {"force": True})

    assert second["authToken"] != first["authToken"]
    for body in (None, {}, {"force": False}):
        assert await world.post(TOKENS, body) == second
    assert await world.get(TOKENS) == [second, first]


@pytest.mark.usefixtures("anna")
async def test_a_token_is_made_once_by_concurrent_calls(world: World) -> None:
    """Devices that ask at the same time, without `force`, are all given the same token."""
    answers = await asyncio.gather(*(world.ask("POST", TOKENS, {}) for _ in range(10)))

    assert len({answer.data["authToken"] for answer in answers}) == 1
    assert len(await world.get(TOKENS)) == 1


@pytest.mark.usefixtures("anna")
async def test_tokens_are_listed_in_pages(world: World) -> None:
    """A list of tokens is newest first, in pages, with a true total."""
    tokens = [await world.token("anna") for _ in range(5)]

    pages = [
        [token["authToken"] for token in await world.get(f"{TOKENS}?perPage=2&page={page}")]
        for page in (1, 2, 3)
    ]
    assert [token for page in pages for token in page] == tokens[::-1]
    assert world.answer.meta["pagination"] == {
        "total": 5,
        "count": 1,
        "per_page": 2,
        "current_page": 3,
        "total_pages": 3,
    }


@pytest.mark.usefixtures("anna")
async def test_a_list_has_the_tokens_of_one_user(world: World) -> None:
    """A user's list has no tokens of others."""
    await world.user("ben")
    await world.token("ben")

    assert await world.get(TOKENS) == []


@pytest.mark.usefixtures("anna")
async def test_the_oldest_token_is_revoked(world: World) -> None:
    """A user has at most 100 tokens: the next one revokes the oldest, at once."""
    tokens = [await world.token("anna") for _ in range(100)]
    await world.get("/users", token=tokens[0])
    tokens.append(await world.token("anna"))

    await world.refused(
        "GET", "/users", token=tokens[0], status=401, code="AUTH_ERR_AUTH_TOKEN_NOT_FOUND"
    )
    await world.get("/users", token=tokens[1])
    listed = [token["authToken"] for token in await world.get(f"{TOKENS}?perPage=1000")]
    assert listed == tokens[:0:-1]
    assert world.answer.meta["pagination"]["total"] == 100


@pytest.mark.usefixtures("anna")
async def test_how_many_tokens_is_a_setting(world: World) -> None:
    """The app's setting limits a user's tokens; the next one revokes all beyond it."""
    tokens = [await world.token("anna") for _ in range(5)]
    await world.put("/settings", {"settings": {"limits.authTokensPerUser": 2}})
    assert len(await world.get(TOKENS)) == 5

    tokens.append(await world.token("anna"))

    listed = [token["authToken"] for token in await world.get(TOKENS)]
    assert listed == [tokens[5], tokens[4]]
    for token in tokens[:4]:
        await world.refused(
            "GET", "/users", token=token, status=401, code="AUTH_ERR_AUTH_TOKEN_NOT_FOUND"
        )
    await world.put("/settings", {"settings": {"limits.authTokensPerUser": 3}})
    tokens.append(await world.token("anna"))
    assert len(await world.get(TOKENS)) == 3


@pytest.mark.usefixtures("anna")
async def test_all_of_many_tokens_are_revoked(world: World) -> None:
    """However many tokens the settings allow, all of them can be revoked at once."""
    await world.put("/settings", {"settings": {"limits.authTokensPerUser": 2000}})
    tokens = [await world.token("anna") for _ in range(1001)]
    await world.delete(TOKENS)

    assert await world.get(TOKENS) == []
    await world.refused(
        "GET", "/users", token=tokens[0], status=401, code="AUTH_ERR_AUTH_TOKEN_NOT_FOUND"
    )


async def test_a_user_has_one_token_at_least(world: World) -> None:
    """The settings cannot revoke a token that was just created."""
    values = {"settings": {"limits.authTokensPerUser": 0}}
    details = await world.refused("PUT", "/settings", values, status=400, code="ERR_BAD_REQUEST")

    assert "from 1 to" in details["settings.limits.authTokensPerUser"][0]


@pytest.mark.usefixtures("anna")
async def test_a_token_is_described(world: World) -> None:
    """The details of a device are stored, each part until it is changed."""
    token = await world.token("anna")
    app_info = {"version": "1.2.3", "nested": {"list": [1, None, "\0"]}}
    noted = await world.put(
        f"{TOKENS}/{token}", {"platform": "ios", "userAgent": "Chat/1", "appInfo": app_info}
    )
    noted = await world.put(f"{TOKENS}/{token}", {"userAgent": "Chat/2"})

    assert (noted["platform"], noted["userAgent"]) == ("ios", "Chat/2")
    assert noted["appInfo"] == app_info
    assert await world.get(f"{TOKENS}/{token}") == noted
    assert await world.get(TOKENS) == [noted]


@pytest.mark.usefixtures("anna")
async def test_a_user_describes_their_own_token(world: World) -> None:
    """With their token, users describe their own device, and no other user's."""
    await world.user("ben")
    annas, bens = await world.token("anna"), await world.token("ben")
    body = {"platform": "android"}

    assert (await world.put(f"{TOKENS}/{annas}", body, token=annas))["platform"] == "android"
    await world.refused(
        "PUT",
        f"/users/ben/auth_tokens/{bens}",
        body,
        token=annas,
        status=403,
        code="AUTH_ERR_NO_ACCESS",
    )


@pytest.mark.usefixtures("anna")
async def test_a_user_logs_out(world: World) -> None:
    """A user deletes the token in use; it is refused from then on."""
    token = await world.token("anna")
    done = await world.delete(f"{TOKENS}/{token}", token=token)

    assert done["success"] is True
    assert await world.get(TOKENS) == []
    await world.refused(
        "GET", "/users", token=token, status=401, code="AUTH_ERR_AUTH_TOKEN_NOT_FOUND"
    )


@pytest.mark.usefixtures("anna")
async def test_a_user_logs_out_everywhere(world: World) -> None:
    """With a token, a user flushes their own tokens, and nobody else's."""
    await world.user("ben")
    tokens = [await world.token("anna") for _ in range(3)]
    bens = await world.token("ben")
    done = await world.delete(TOKENS, token=tokens[0])

    assert done == {"success": True, "message": "Cleared Auth Tokens successfully for uid anna."}
    assert await world.get(TOKENS) == []
    assert await world.get("/users", token=bens)


@pytest.mark.usefixtures("anna")
async def test_a_flush_of_nothing(world: World) -> None:
    """Flushing succeeds for a user without tokens."""
    assert (await world.delete(TOKENS))["success"] is True


@pytest.mark.usefixtures("anna")
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_a_missing_token(world: World, method: str) -> None:
    """A missing token is not found; another user's is not accessible."""
    await world.user("ben")
    bens = await world.token("ben")

    await world.refused(method, f"{TOKENS}/nothing", status=404, code=NOT_FOUND)
    await world.refused(method, f"{TOKENS}/{bens}", status=403, code="ERR_AUTHTOKEN_NOT_ACCESSIBLE")
    assert len(await world.get("/users/ben/auth_tokens")) == 1


async def test_a_missing_user_has_no_tokens(world: World) -> None:
    """Tokens of a missing user cannot be created, listed, changed or deleted."""
    for method, path in [
        ("POST", "/users/nobody/auth_tokens"),
        ("GET", "/users/nobody/auth_tokens"),
        ("DELETE", "/users/nobody/auth_tokens"),
        ("GET", "/users/nobody/auth_tokens/x"),
        ("PUT", "/users/nobody/auth_tokens/x"),
        ("DELETE", "/users/nobody/auth_tokens/x"),
    ]:
        await world.refused(method, path, status=404, code=NOBODY)
