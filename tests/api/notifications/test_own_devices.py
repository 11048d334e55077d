"""Users register their own devices and change their own preferences, with their auth token."""

import pytest
from tests.api.notifications.push_tokens import PATH, all_of, register
from tests.clock import FAR_AHEAD
from tests.world import World

PREFERENCES = "/notifications/v1/preferences"
PUSHED = {"platform": "fcm_android", "fcmToken": "f1", "timezone": "Europe/Berlin"}
NO_ACCESS = "AUTH_ERR_NO_ACCESS"


async def test_a_phone_registers_itself(world: World) -> None:
    """With its auth token alone a device registers, lists and removes its push token."""
    await world.users("anna")
    token = await world.token("anna")

    assert await world.post(PATH, PUSHED, token=token) == {"success": True}
    [shown] = (await world.get(PATH, token=token))["pushTokens"]
    assert (shown["uid"], shown["pushToken"]) == ("anna", "f1")
    assert (await world.get(f"{PREFERENCES}/timezone", token=token))["timezone"] == "Europe/Berlin"
    [removed] = (await world.delete(f"{PATH}/f1", token=token))["pushTokens"]
    assert removed["pushToken"] == "f1"
    await world.post(PATH, PUSHED, token=token)
    assert len((await world.delete(PATH, token=token))["pushTokens"]) == 1
    assert await all_of(world, token) == []


async def test_other_auth_tokens_are_not_shown(world: World) -> None:
    """A user sees all of their devices, but no auth token; the app sees those."""
    await world.users("anna")
    one, other = await world.token("anna"), await world.token("anna")
    await register(world, one, "f1")
    await register(world, other, "f2")

    shown = (await world.get(f"{PATH}?all=true", token=one))["pushTokens"]
    assert {each["pushToken"] for each in shown} == {"f1", "f2"}
    assert {each["authToken"] for each in shown} == {"•••"}
    shown = (await world.get(f"{PATH}?all=true&authToken={one}"))["pushTokens"]
    assert {each["authToken"] for each in shown} == {one, other}


async def test_devices_of_others(world: World) -> None:
    """The auth token of somebody else is refused, and nothing changes."""
    await world.users("anna", "ben")
    annas, bens = await world.token("anna"), await world.token("ben")
    await register(world, bens, "f1")
    of_ben = {"authToken": bens}

    for method, path, body in (
        ("POST", PATH, PUSHED | of_ben | {"fcmToken": "f2"}),
        ("GET", f"{PATH}?authToken={bens}&all=true", None),
        ("DELETE", f"{PATH}?all=true", of_ben),
        ("DELETE", f"{PATH}/f1", of_ben),
    ):
        await world.refused(method, path, body, status=403, code=NO_ACCESS, token=annas)
        await world.refused(method, path, body, status=403, code=NO_ACCESS, as_="anna")
    assert (await world.delete(f"{PATH}/f1", token=annas))["pushTokens"] == []
    assert await all_of(world, bens) == ["f1"]


async def test_the_app_names_whom_it_means(world: World) -> None:
    """Without an acting user, the auth token or the uid is required."""
    refusal = await world.refused("POST", PATH, PUSHED, status=400, code="ERR_BAD_REQUEST")
    assert list(refusal) == ["authToken"]
    refusal = await world.refused("GET", PREFERENCES, status=400, code="ERR_BAD_REQUEST")
    assert list(refusal) == ["uid"]


@pytest.mark.parametrize("query", ["", "?uid=anna", "?uid=ANNA"])
async def test_own_preferences(world: World, query: str) -> None:
    """A user reads and changes their own preferences, mutes and time zone, also without a uid."""
    await world.users("anna", "ben")
    token = await world.token("anna")
    groups = {"groupPreferences": {"groupMessages": 1}}
    muted = {"id": "ben", "type": "oneOnOne"}

    changed = await world.patch(PREFERENCES + query, groups, token=token)
    assert changed["groupPreferences"]["groupMessages"] == 1
    assert await world.get(PREFERENCES + query, token=token) == changed
    zone = f"{PREFERENCES}/timezone{query}"
    await world.patch(zone, {"timezone": "Asia/Tokyo"}, token=token)
    assert (await world.get(zone, token=token))["timezone"] == "Asia/Tokyo"
    mutes = f"{PREFERENCES}/mute{query}"
    until = {**muted, "until": FAR_AHEAD * 1_000}
    await world.put(mutes, {"conversations": [until]}, token=token)
    assert len((await world.get(mutes, token=token))["mutedConversations"]) == 1
    await world.delete(mutes, {"conversations": [muted]}, token=token)
    assert (await world.get(mutes, token=token))["mutedConversations"] == []
    await world.delete(PREFERENCES + query, token=token)
    assert await world.get(f"{PREFERENCES}?uid=anna") != changed


async def test_mutes_show_nothing_of_private_groups(world: World) -> None:
    """A private group is muted by its members only; for others it does not exist."""
    await world.users("anna", "ben")
    await world.post("/groups", {"guid": "den", "name": "D", "type": "private", "owner": "ben"})
    muted = {"conversations": [{"id": "den", "type": "group", "until": FAR_AHEAD * 1_000}]}
    path, code = f"{PREFERENCES}/mute", "ERR_GUID_NOT_FOUND"

    await world.refused("PUT", path, muted, status=404, code=code, as_="anna")
    assert await world.put(path, muted, as_="ben") == {"success": True}
    assert await world.put(f"{path}?uid=anna", muted) == {"success": True}
