"""Limits of calls a minute: for users with a token, and for an app that has set some."""

import pytest
from tests.api.messages.talk import to_user
from tests.clock import ManualClock
from tests.wire import Answer
from tests.world import Json, Node, World


@pytest.fixture(autouse=True)
def beginning_of_a_minute(clock: ManualClock) -> None:
    """Set the clock to the beginning of a minute without calls."""
    clock.advance(120 - clock.now() % 60)


async def limit(world: World, **limits: int) -> None:
    """Set limits of calls a minute."""
    values = {f"limits.{name}PerMinute": value for name, value in limits.items()}
    await world.put("/settings", {"settings": values})


def limit_headers(world: World) -> Json:
    """Return the rate limit headers of the latest answer."""
    names = ("X-Rate-Limit", "X-Rate-Limit-Remaining", "X-Rate-Limit-Reset", "Retry-After")
    headers = world.answer.headers
    return {name: headers[name.lower()] for name in names if name.lower() in headers}


async def call_as(world: World, token: str) -> Answer:
    """Make a call as a user, successful or not."""
    return await world.ask("GET", "/conversations", token=token)


async def test_a_user_has_600_calls_a_minute(world: World, clock: ManualClock) -> None:
    """The 601st call of a user in a minute is refused; in the next minute they may call again."""
    await world.users("anna", "ben")
    token, other = await world.token("anna"), await world.token("ben")
    for number in range(600):
        assert (await call_as(world, token)).status == 200
        if number in {0, 599}:
            told = {"X-Rate-Limit": "600", "X-Rate-Limit-Remaining": str(599 - number)}
            assert limit_headers(world) == told
    clock.advance(10)
    refused = await call_as(world, token)
    told = {"Retry-After": "50", "X-Rate-Limit-Reset": str(clock.now() + 50)}

    assert (refused.status, refused.error["code"]) == (429, "ERR_TOO_MANY_REQUESTS")
    assert limit_headers(world) == told
    assert (await call_as(world, other)).status == 200
    clock.advance(50)
    assert (await call_as(world, token)).status == 200


async def test_a_user_sends_120_messages_a_minute(world: World) -> None:
    """The 121st message of a user in a minute is refused and not sent; they may still read."""
    await world.users("anna", "ben")
    token = await world.token("anna")
    for number in range(120):
        await world.post("/messages", to_user("ben", str(number)), token=token)
    assert limit_headers(world) == {"X-Rate-Limit": "120", "X-Rate-Limit-Remaining": "0"}
    code = "ERR_TOO_MANY_REQUESTS"
    body = to_user("ben", "One too many")
    await world.refused("POST", "/messages", body, token=token, status=429, code=code)
    listed = await world.get("/users/ben/messages?affix=prepend&limit=1", token=token)

    assert listed[0]["data"]["text"] == "119"
    for body in (to_user("ben"), to_user("anna")):
        await world.post("/messages", body, as_="anna" if body["receiver"] == "ben" else "ben")


async def test_an_app_is_not_limited_unless_it_wants_to(world: World) -> None:
    """Calls with a key have no limit until the app sets one."""
    await world.get("/users")
    assert limit_headers(world) == {}

    await limit(world, calls=3)
    for number in (2, 1, 0):
        await world.get("/users")
        assert limit_headers(world) == {"X-Rate-Limit": "3", "X-Rate-Limit-Remaining": str(number)}
    await world.refused("GET", "/users", status=429, code="ERR_TOO_MANY_REQUESTS")


async def test_each_kind_of_call_has_its_limit(world: World) -> None:
    """Creating users and importing are counted apart from other calls."""
    await limit(world, coreCalls=1, importCalls=1)
    await world.user("anna")
    code = "ERR_TOO_MANY_REQUESTS"
    await world.refused("POST", "/users", {"uid": "b", "name": "B"}, status=429, code=code)
    await world.post("/data_import/users", {"users": {}})
    rows = {"users": {"b": {"uid": "b", "name": "B"}}}
    await world.refused("POST", "/data_import/users", rows, status=429, code=code)

    assert await world.uids("/users") == ["anna"]


async def test_limits_can_always_be_lifted(world: World) -> None:
    """An app whose calls are used up may still change its limits."""
    await limit(world, calls=1)
    await world.get("/users")
    await world.refused("GET", "/users", status=429, code="ERR_TOO_MANY_REQUESTS")
    await limit(world, calls=0)

    assert await world.get("/users") == []


async def test_refused_calls_of_a_user_take_nothing_from_others(world: World) -> None:
    """Calls of a user beyond their own limit are not counted for the app."""
    await world.users("anna", "ben")
    tokens = {uid: await world.token(uid) for uid in ("anna", "ben")}
    await limit(world, calls=5, userCalls=2)
    statuses = [(await call_as(world, tokens["anna"])).status for _ in range(10)]

    assert statuses == [200] * 2 + [429] * 8
    assert (await call_as(world, tokens["ben"])).status == 200


async def test_each_receiver_is_a_message(world: World) -> None:
    """A message to several receivers counts once for each."""
    await world.users("anna", "ben", "cleo", "dora")
    token = await world.token("anna")
    await limit(world, userSends=4)
    body = {"multipleReceivers": {"uids": ["ben", "cleo", "dora"]}, "data": {"text": "Hello"}}
    await world.post("/messages", body, token=token)
    code = "ERR_TOO_MANY_REQUESTS"
    await world.refused("POST", "/messages", body, token=token, status=429, code=code)

    assert len(await world.get("/messages?category=message", as_="anna")) == 3


async def test_0_takes_a_limit_away(world: World) -> None:
    """A limit of 0 means unlimited."""
    await world.users("anna", "ben")
    token = await world.token("anna")
    await limit(world, userSends=0, userCalls=0)
    for _ in range(125):
        await world.post("/messages", to_user("ben"), token=token)
    assert limit_headers(world) == {}


async def test_apps_do_not_share_a_limit(world: World, node: Node) -> None:
    """The calls of one app do not count for another."""
    other = await node.world()
    for each in (world, other):
        await limit(each, calls=2)
        await each.get("/users")
        await each.get("/users")
    for each in (world, other):
        await each.refused("GET", "/users", status=429, code="ERR_TOO_MANY_REQUESTS")
