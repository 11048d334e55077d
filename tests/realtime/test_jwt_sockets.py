"""Sockets that were opened with a JWT of the app's identity provider."""

import pytest
from tests.api.identity.idp import AUDIENCE, ISSUER, SECRET, sign
from tests.clock import ManualClock
from tests.realtime.chat import Client, Hall
from tests.realtime.test_delivery import say
from tests.world import Json, Node, World

from hubbub.domain.identity.provider import recall_provider

REFUSED = 4401
BODY = {"issuer": ISSUER, "audience": AUDIENCE, "secret": SECRET}


@pytest.fixture
async def trusting(hall: Hall) -> Hall:
    """A server with sockets, and an app with an identity provider."""
    await hall.world.put("/identity_provider", BODY)
    return hall


def jwt_for(clock: ManualClock, uid: str = "anna", **changed: object) -> str:
    """Return a JWT of a user."""
    now = clock.now()
    claims: Json = {"iss": ISSUER, "aud": AUDIENCE, "sub": uid, "iat": now, "exp": now + 3_600}
    return sign({**claims, **changed}, SECRET, "HS256")


async def connected(hall: Hall, client: Client, jwt: str) -> Client:
    """Return a client that is connected with a JWT."""
    await client.say(op="connect", authToken=jwt, appId=hall.world.app_id)
    frame = await client.hear()
    assert frame["op"] == "connected", frame
    return client


async def test_a_jwt_opens_a_socket(trusting: Hall, clock: ManualClock) -> None:
    """A session of a JWT hears what happens and makes calls, as with an auth token."""
    async with trusting.open() as socket:
        client = await connected(trusting, socket, jwt_for(clock))
        sent = await say(trusting.world, "Hi", sender="ben", receiver="anna")
        assert (await client.event("message_sent"))["data"]["message"]["id"] == sent["id"]
        listed = await client.ask("list_messages", uid="ben")
        assert [each["id"] for each in listed["data"]] == [sent["id"]]


@pytest.mark.parametrize("fault", ["no app", "forged", "ended"])
async def test_jwts_that_open_none(trusting: Hall, clock: ManualClock, fault: str) -> None:
    """A JWT that is refused, or whose app is not named, opens no socket."""
    jwt = jwt_for(clock, exp=clock.now()) if fault == "ended" else jwt_for(clock)
    if fault == "forged":
        jwt = jwt[:-8] + "AAAAAAAA"
    named = {} if fault == "no app" else {"appId": trusting.world.app_id}
    async with trusting.open() as client:
        await client.say(op="connect", authToken=jwt, **named)

        assert await client.close_code() == REFUSED


async def test_a_session_goes_on_with_another_jwt(trusting: Hall, clock: ManualClock) -> None:
    """A session is warned that its JWT ends, and goes on with the next one."""
    async with trusting.open() as socket:
        jwt = jwt_for(clock, exp=clock.now() + 45)
        client = await connected(trusting, socket, jwt)
        await trusting.gateway.look()
        assert (await client.hear())["op"] == "token_expiring"
        reply = await client.ask("renew_token", authToken=jwt_for(clock))
        assert reply["data"] == {"success": True}
        clock.advance(45)
        await trusting.gateway.look()
        assert await client.until_pong() == []
        assert "data" in await client.ask("list_messages", uid="ben")


@pytest.mark.parametrize(
    "way", ["of the user", "of all", "another secret", "removed", "deactivated"]
)
async def test_sessions_of_refused_jwts_end(trusting: Hall, clock: ManualClock, way: str) -> None:
    """A session ends once its JWT would be refused; that of a later JWT goes on or opens again."""
    world = trusting.world
    async with trusting.open() as socket, trusting.open() as other:
        client = await connected(trusting, socket, jwt_for(clock))
        bens = await connected(trusting, other, jwt_for(clock, "ben"))
        if way == "of the user":
            await world.delete("/users/anna/auth_tokens")
        elif way == "of all":
            await world.post("/identity_provider/revoke")
        elif way == "another secret":
            await world.put("/identity_provider", {**BODY, "secret": SECRET[::-1]})
        elif way == "removed":
            await world.delete("/identity_provider")
        else:
            await world.delete("/users", {"uidsToDeactivate": ["anna"]})
        await trusting.settle()
        await trusting.gateway.look()
        assert await client.close_code() == REFUSED
        if way in {"of the user", "deactivated"}:
            assert await bens.until_pong() == []
        else:
            assert await bens.close_code() == REFUSED
    clock.advance(1)
    if way in {"of the user", "of all"}:
        async with trusting.open() as socket:
            await connected(trusting, socket, jwt_for(clock))


async def test_a_revocation_is_seen_at_the_door(
    trusting: Hall, world: World, node: Node, clock: ManualClock
) -> None:
    """A node that remembers a JWT opens no session with it that the database knows as revoked."""
    jwt = jwt_for(clock)
    how = {"appId": world.app_id}
    await world.get("/users/anna", token=jwt, headers=how)
    known = dict(node.runtime.cache._values._values)
    await world.delete("/users/anna/auth_tokens")
    version = node.runtime.cache.version
    for key, (_, value) in known.items():  # as a node has it that was not told yet
        node.runtime.cache.put(key, value, app_id=world.app_id, version=version)
    assert await recall_provider(node.runtime, world.app_id) is not None
    async with trusting.open() as client:
        await client.say(op="connect", authToken=jwt, appId=world.app_id)

        assert await client.close_code() == REFUSED
