"""Methods of sockets obey the rules that operations of REST have: roles, scopes, limits."""

from functools import partial
from typing import Any

import pytest
from tests.api.access.town import allow, forget
from tests.realtime.chat import Client, Hall
from tests.soon import until
from tests.world import World

TO_BEN = {"receiver": "ben", "receiverType": "user"}
TO_TEAM = {"receiver": "team", "receiverType": "group"}
DEFAULT = "/roles/default"
CALLS: dict[str, dict[str, Any]] = {
    "start_typing": {},
    "end_typing": {},
    "send_transient": {"data": 1},
    "send_message": {"data": {"text": "Hello"}},
}
FORBIDDING = {
    "sendMessage": "deny",
    "sendMessage.mode": "friends",
    "sendMessage.allowedReceiverTypes": ["group"],
    "sendMessage.allowedReceiverRoles": ["staff"],
}


@pytest.fixture
async def team(hall: Hall, world: World) -> Hall:
    """A group of Anna and Ben."""
    await world.post("/groups", {"guid": "team", "name": "T", "type": "public", "owner": "ben"})
    await world.post("/groups/team/members", {"participants": ["anna"]})
    return hall


async def details_of(client: Client, method: str, **params: Any) -> list[str]:
    """Return what forbids a call, by the details of the reply; nothing if it is carried out."""
    reply = await client.ask(method, **params, **CALLS.get(method, {}))
    if "error" not in reply:
        return []
    assert reply["error"]["code"] == "ERR_PERMISSION_DENIED", reply
    return [*reply["error"]["details"]]


@pytest.mark.parametrize("method", CALLS)
async def test_permissions_of_the_role(team: Hall, world: World, method: str) -> None:
    """A role that may not send messages to somebody may not reach them by any method."""
    async with team.client("anna") as anna, team.client("ben") as ben:
        for permission, value in FORBIDDING.items():
            await allow(world, permission, value, DEFAULT)
            assert await details_of(anna, method, **TO_BEN) == [permission]
            await forget(world, permission, DEFAULT)
        await world.put(DEFAULT, {"settings": {"sendMessagesTo": "friendsOnly"}})
        assert await details_of(anna, method, **TO_BEN) == ["settings.sendMessagesTo"]
        assert await ben.until_pong() == []
        await world.post("/users/anna/friends", {"accepted": ["ben"]})
        assert await details_of(anna, method, **TO_BEN) == []


@pytest.mark.parametrize("method", CALLS)
async def test_restricted_features(hall: Hall, world: World, method: str) -> None:
    """Who may not send messages may not type, either, nor send messages that are not stored."""
    await world.post(f"{DEFAULT}/restrictedfeatures", {"featuresToRestrict": ["createMessage"]})
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        assert await details_of(anna, method, **TO_BEN) == ["u.createMessage"]
        assert await ben.until_pong() == []


@pytest.mark.parametrize("method", CALLS)
async def test_permissions_of_the_scope(team: Hall, world: World, method: str) -> None:
    """Members whose scope may not send messages reach the group by no method."""
    scope = "/groups/team/scopes/participant"
    await allow(world, "sendMessage", "deny", scope)
    async with team.client("anna") as anna, team.client("ben") as ben:
        assert await details_of(anna, method, **TO_TEAM) == ["sendMessage"]
        assert await details_of(ben, method, **TO_TEAM) == []


async def test_kinds_of_messages(hall: Hall, world: World) -> None:
    """A transient message counts as a custom one of type `transient`; typing has no kind."""
    await allow(world, "sendMessage.allowedMessageCategories", ["message"], DEFAULT)
    await allow(world, "sendMessage.allowedCustomTypes", ["location"], DEFAULT)
    async with hall.client("anna") as anna:
        categories, types = (
            f"sendMessage.allowed{name}" for name in ("MessageCategories", "CustomTypes")
        )
        assert await details_of(anna, "start_typing", **TO_BEN) == []
        assert await details_of(anna, "send_transient", **TO_BEN) == [categories]
        await forget(world, categories, DEFAULT)
        assert await details_of(anna, "send_transient", **TO_BEN) == [types]
        await allow(world, types, ["location", "transient"], DEFAULT)
        assert await details_of(anna, "send_transient", **TO_BEN) == []


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("start_typing", TO_BEN),
        ("end_typing", TO_BEN),
        ("send_transient", {**TO_BEN, "data": 1}),
        ("subscribe_presence", {"presence": "none"}),
        ("list_conversations", {}),
    ],
)
async def test_limits(hall: Hall, world: World, method: str, params: dict[str, Any]) -> None:
    """Calls of all methods count towards the user's limit, also those that are refused."""
    await world.put("/settings", {"settings": {"limits.userCallsPerMinute": 2}})
    async with hall.client("anna") as anna:
        assert "error" not in await anna.ask(method, **params)
        await anna.ask(method, nonsense=[])
        refused = await anna.ask(method, **params)
        assert refused["error"]["code"] == "ERR_TOO_MANY_REQUESTS"


async def test_limits_of_sends(hall: Hall, world: World) -> None:
    """Transient messages count towards the limit of sends, as messages do; typing does not."""
    await world.put("/settings", {"settings": {"limits.userSendsPerMinute": 1}})
    async with hall.client("anna") as anna:
        assert "error" not in await anna.ask("start_typing", **TO_BEN)
        assert "error" not in await anna.ask("send_transient", **TO_BEN, data=1)
        refused = await anna.ask("send_transient", **TO_BEN, data=1)
        assert refused["error"]["code"] == "ERR_TOO_MANY_REQUESTS"


# --- Presence ------------------------------------------------------------------------------------


def is_gone(hall: Hall, uid: str) -> bool:
    """Return whether a user has no session."""
    return all(each.listener.uid != uid for each in hall.gateway.sessions)


async def told_of(hall: Hall, client: Client, *uids: str) -> list[str]:
    """Return which of some users a client is told of when they come."""
    for uid in uids:
        async with hall.client(uid):
            await hall.gateway.present.settle()
        await until(partial(is_gone, hall, uid))
        await hall.gateway.present.settle()
    frames = await client.until_pong()
    return sorted({frame["data"]["user"]["uid"] for frame in frames})


RULES: dict[str, tuple[Any, list[str]]] = {
    "listUsers": ("deny", []),
    "listUsers.mode": ("friends", ["ben"]),
    "listUsers.allowedRoles": (["staff"], ["cora"]),
}
EVERYBODY = ["ben", "cora"]


@pytest.fixture
async def people(hall: Hall, world: World) -> Hall:
    """Ben is a friend of Anna, Cora is of the staff."""
    await world.post("/roles", {"role": "staff", "name": "Staff"})
    await world.put("/users/cora", {"role": "staff"})
    await world.post("/users/anna/friends", {"accepted": ["ben"]})
    await hall.settle()
    return hall


@pytest.mark.parametrize("permission", RULES)
async def test_presence_shows_whom_the_role_may_list(
    people: Hall, world: World, permission: str
) -> None:
    """Sessions are told only of users whom their role may list, as it is at that time."""
    value, shown = RULES[permission]
    async with people.client("anna", presence="all") as before:
        assert await told_of(people, before, *EVERYBODY) == EVERYBODY
        await allow(world, permission, value, DEFAULT)
        await people.settle()
        await people.gateway.look()
        async with people.client("anna", presence="all") as after:
            await before.until_pong()
            assert await told_of(people, after, *EVERYBODY) == shown
            assert await told_of(people, before, *EVERYBODY) == shown
            await forget(world, permission, DEFAULT)
            await people.settle()
            assert await told_of(people, after, *EVERYBODY) == EVERYBODY


async def test_presence_of_roles_that_may_not_be_listed(people: Hall, world: World) -> None:
    """A session that names roles is told of those alone that its own role may list."""
    await allow(world, "listUsers.allowedRoles", ["default"], DEFAULT)
    async with people.client("anna", presence=["staff", "default"]) as anna:
        assert await told_of(people, anna, *EVERYBODY) == ["ben"]


async def test_presence_follows_settings_and_features(people: Hall, world: World) -> None:
    """The role's setting, its restricted features and another role hold at once, too."""
    await world.post("/roles", {"role": "guest", "name": "G", "settings": {"listUsers": "all"}})
    feature = {"featuresToRestrict": ["listUsers"]}
    async with people.client("anna", presence="all") as anna:
        await world.put(DEFAULT, {"settings": {"listUsers": "friendsOnly"}})
        await people.settle()
        await people.gateway.look()
        assert await told_of(people, anna, *EVERYBODY) == ["ben"]
        await world.put("/users/anna", {"role": "guest"})
        await people.settle()
        assert await told_of(people, anna, *EVERYBODY) == EVERYBODY
        await world.post("/roles/guest/restrictedfeatures", feature)
        await people.settle()
        assert await told_of(people, anna, *EVERYBODY) == []


async def test_subscribing_without_the_right_to_list(hall: Hall, world: World) -> None:
    """Who may list nobody is refused when they ask for all; friends and nobody need no right."""
    await world.post(f"{DEFAULT}/restrictedfeatures", {"featuresToRestrict": ["listUsers"]})
    async with hall.client("anna") as anna:
        assert await details_of(anna, "subscribe_presence", presence="all") == ["u.listUsers"]
        assert await details_of(anna, "subscribe_presence", presence=["x"]) == ["u.listUsers"]
        assert await details_of(anna, "subscribe_presence", presence="friends") == []
        assert await details_of(anna, "subscribe_presence", presence="none") == []
        features = {"featuresToAllow": ["listUsers"]}
        await world.delete(f"{DEFAULT}/restrictedfeatures", features)
        await allow(world, "listUsers", "deny", DEFAULT)
        assert await details_of(anna, "subscribe_presence", presence="all") == ["listUsers"]
