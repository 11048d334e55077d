"""Push tokens: registered with auth tokens, replaced, moved, listed and removed."""

from datetime import UTC, datetime
from typing import get_args
from urllib.parse import quote

import pytest
from tests.api.notifications.push_tokens import NOT_FOUND, PATH, all_of, listed, register
from tests.engines import one_engine
from tests.world import Json, Node, World

from hubbub.records.devices.model import (
    APNS_PLATFORMS,
    FCM_PLATFORMS,
    VOIP_PLATFORMS,
    WEB_PUSH,
)
from hubbub.rest.wire.enums import PushPlatform

ZONE = "/notifications/v1/preferences/timezone"
FIELDS = (
    *((platform, "fcmToken", "chat") for platform in FCM_PLATFORMS),
    *((platform, "deviceToken", "chat") for platform in APNS_PLATFORMS),
    *((platform, "voipToken", "call") for platform in VOIP_PLATFORMS),
)


def now(node: Node) -> str:
    """Return the time of the node, in the format of ISO 8601."""
    moment = datetime.fromtimestamp(node.clock.milliseconds() / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def test_the_platforms() -> None:
    """The interface accepts exactly the platforms that the records know."""
    (literal, *_) = get_args(PushPlatform)

    assert {platform for platform, *_ in FIELDS} | {WEB_PUSH} == set(get_args(literal))
    assert len(get_args(literal)) == 18


@pytest.mark.parametrize(("platform", "field", "kind"), FIELDS)
async def test_a_push_token_is_registered(
    world: World, node: Node, token: str, platform: str, field: str, kind: str
) -> None:
    """Each platform has a field of its own for the token; a list shows all in one form."""
    body = {"platform": platform, field: "abc:DEF_1-2", "authToken": token, "providerId": "mine"}
    assert await world.post(PATH, body) == {"success": True}

    assert await listed(world, token) == [
        {
            "uid": "anna",
            "authToken": token,
            "pushToken": "abc:DEF_1-2",
            "pushTokenType": kind,
            "platform": platform,
            "providerId": "mine",
            "createdAt": now(node),
            "updatedAt": now(node),
        }
    ]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"platform": None}, "platform"),
        ({"platform": "fcm_symbian"}, "platform"),
        ({"platform": 5}, "platform"),
        ({"authToken": None}, "authToken"),
        ({"authToken": ""}, "authToken"),
        ({"fcmToken": None}, "fcmToken"),
        ({"fcmToken": ""}, "fcmToken"),
        ({"fcmToken": "x" * 4097}, "fcmToken"),
        ({"fcmToken": "a b"}, "fcmToken"),
        ({"fcmToken": "a\n"}, "fcmToken"),
        ({"fcmToken": "ä"}, "fcmToken"),
        ({"platform": "apns_ios_device"}, "deviceToken"),
        ({"platform": "apns_flutter_voip"}, "voipToken"),
        ({"platform": "web_push"}, "subscription"),
        ({"providerId": "a/b"}, "providerId"),
        ({"timezone": "Mars/Olympus"}, "timezone"),
    ],
)
@one_engine
async def test_an_invalid_registration(world: World, token: str, change: Json, field: str) -> None:
    """A field that is missing or wrong is refused by name, and nothing is stored."""
    body = {"platform": "fcm_ios", "fcmToken": "f1", "authToken": token, **change}
    body = {name: value for name, value in body.items() if value is not None}
    details = await world.refused("POST", PATH, body, status=400, code="ERR_BAD_REQUEST")

    assert list(details) == [field]
    assert await listed(world, token) == []


async def test_the_longest_token(world: World, token: str) -> None:
    """A token has at most 4,096 characters, and is found by all of them."""
    long = "x" * 4095
    await register(world, token, f"{long}1")
    await register(world, await world.token("anna"), f"{long}2")
    removed = await world.delete(f"{PATH}/{long}1", {"authToken": token})

    assert [each["pushToken"] for each in removed["pushTokens"]] == [f"{long}1"]
    assert await all_of(world, token) == [f"{long}2"]


async def test_an_unknown_auth_token(world: World, token: str) -> None:
    """Nothing is registered, listed or removed for an auth token that is not known."""
    await register(world, token)
    body = {"platform": "fcm_ios", "fcmToken": "f1", "authToken": "anna_1"}
    await world.refused("POST", PATH, body, status=404, code=NOT_FOUND)
    await world.refused("GET", f"{PATH}?authToken=anna_1", status=404, code=NOT_FOUND)
    await world.refused(
        "DELETE", f"{PATH}?all=true", {"authToken": "anna_1"}, status=404, code=NOT_FOUND
    )
    await world.refused("DELETE", f"{PATH}/f1", {"authToken": "anna_1"}, status=404, code=NOT_FOUND)

    assert await all_of(world, token) == ["f1"]


async def test_the_auth_token_must_be_given(world: World) -> None:
    """A call without an auth token is refused."""
    for method, path in (("GET", PATH), ("DELETE", PATH), ("DELETE", f"{PATH}/f1")):
        details = await world.refused(method, path, status=400, code="ERR_BAD_REQUEST")
        assert list(details) == ["authToken"]


async def test_an_auth_token_has_one_of_each_kind(world: World, node: Node, token: str) -> None:
    """A further token replaces the one of the same kind; VoIP tokens are a kind of their own."""
    await register(world, token)
    node.clock.advance(1)
    voip = {"platform": "apns_ios_voip", "authToken": token}
    await world.post(PATH, voip | {"voipToken": "v1"})
    await world.post(PATH, voip | {"voipToken": "v2"})
    device = {"platform": "apns_ios_device", "deviceToken": "d1", "authToken": token}
    await world.post(PATH, device)

    assert [each["pushToken"] for each in await listed(world, token)] == ["d1", "v2"]


async def test_registering_again_keeps_the_age(world: World, node: Node, token: str) -> None:
    """The same token registered again has a new time of change, and the new fields."""
    await register(world, token, providerId="old")
    before = now(node)
    node.clock.advance(1.5)
    await register(world, token)

    (found,) = await listed(world, token)
    assert (found["createdAt"], found["updatedAt"]) == (before, now(node))
    assert before != now(node)
    assert "providerId" not in found


async def test_a_push_token_moves_to_another_user(world: World, token: str) -> None:
    """A push token that another user registers is theirs alone; so is one of a new auth token."""
    await register(world, token)
    second = await world.token("anna")
    await register(world, second)
    assert (await listed(world, token), len(await listed(world, second))) == ([], 1)

    bens = await world.token("ben")
    await register(world, bens)
    assert await all_of(world, token) == []
    (moved,) = await listed(world, bens)
    assert (moved["uid"], moved["authToken"]) == ("ben", bens)


async def test_a_time_zone_becomes_the_users(world: World, token: str) -> None:
    """The time zone of a registration is stored; a registration without one changes nothing."""
    await register(world, token, timezone="Asia/Kolkata")
    await register(world, token)

    assert await world.get(f"{ZONE}?uid=anna") == {"timezone": "Asia/Kolkata"}
    assert await world.get(f"{ZONE}?uid=ben") == {"timezone": "UTC"}


async def test_lists_and_removals_of_one_or_all(world: World, token: str) -> None:
    """Without `all` only the push tokens of the auth token are meant, with it all of its user."""
    second, bens = await world.token("anna"), await world.token("ben")
    for number, auth_token in enumerate((token, second, bens)):
        await register(world, auth_token, f"f{number}")
    assert [each["pushToken"] for each in await listed(world, second)] == ["f1"]
    assert await all_of(world, token) == ["f1", "f0"]

    before = await listed(world, second)
    removed = await world.delete(PATH, {"authToken": second})
    assert removed == {"pushTokens": before}
    assert await world.delete(PATH, {"authToken": second}) == {"pushTokens": []}
    await register(world, second, "f1")
    removed = await world.delete(f"{PATH}?all=true", {"authToken": second})
    assert [each["pushToken"] for each in removed["pushTokens"]] == ["f1", "f0"]
    assert await all_of(world, token) == []
    assert await all_of(world, bens) == ["f2"]


async def test_one_push_token_is_removed(world: World, token: str) -> None:
    """A push token is removed by its user alone, with any of their auth tokens."""
    second, bens = await world.token("anna"), await world.token("ben")
    await register(world, token, "a/b?c%d")
    path = f"{PATH}/{quote('a/b?c%d', safe='')}"
    assert await world.delete(path, {"authToken": bens}) == {"pushTokens": []}
    assert await all_of(world, token) == ["a/b?c%d"]

    removed = await world.delete(path, {"authToken": second})
    assert [each["authToken"] for each in removed["pushTokens"]] == [token]
    assert await all_of(world, token) == []
