"""Sockets whose token ends: they are warned, may go on with another one, or are closed."""

from typing import Any

import pytest
from tests.clock import ManualClock
from tests.realtime.chat import Client, Hall
from tests.realtime.test_delivery import say

from hubbub.domain.tokens.end import end_tokens

REFUSED = 4401


async def token_of(hall: Hall, uid: str = "anna", **fields: Any) -> str:
    """Return a new token of a user."""
    made = await hall.world.post(f"/users/{uid}/auth_tokens", {"force": True, **fields})
    return str(made["authToken"])


async def connected(client: Client, token: str) -> Client:
    """Return a client that is connected with a token."""
    await client.say(op="connect", authToken=token)
    assert (await client.hear())["op"] == "connected"
    return client


async def pass_time(client: Client, clock: ManualClock, seconds: int) -> list[str]:
    """Advance the clock while the client shows signs of life; return the kinds of its frames."""
    heard: list[str] = []
    for _ in range(seconds // 40):
        clock.advance(40)
        heard += [frame["op"] for frame in await client.until_pong()]
    return heard


async def warned(hall: Hall, client: Client) -> dict[str, Any]:
    """Return the next frame, once the gateway has looked at its sessions."""
    await hall.gateway.look()
    return await client.hear()


async def test_a_session_is_warned_once(hall: Hall, clock: ManualClock) -> None:
    """A minute before its token ends a session is told when that is, once."""
    token = await token_of(hall, expiresIn=100)
    ends = clock.now() + 100
    async with hall.open() as socket:
        client = await connected(socket, token)
        clock.advance(39)
        await hall.gateway.look()
        assert await client.until_pong() == []
        clock.advance(1)
        assert await warned(hall, client) == {"op": "token_expiring", "expiresAt": ends}
        clock.advance(1)
        await hall.gateway.look()
        assert await client.until_pong() == []


async def test_a_session_ends_with_its_token(hall: Hall, clock: ManualClock) -> None:
    """At the end of its token a socket is closed with 4401 and the reason."""
    token = await token_of(hall, expiresIn=30)
    async with hall.open() as socket:
        client = await connected(socket, token)
        assert (await warned(hall, client))["op"] == "token_expiring"
        clock.advance(30)
        await hall.gateway.look()

        assert await client.close_code() == REFUSED
        assert client.socket.close_reason == "The auth token has ended."


async def test_a_token_that_has_ended_opens_no_socket(hall: Hall, clock: ManualClock) -> None:
    """A socket with a token that has ended is refused."""
    token = await token_of(hall, expiresIn=30)
    clock.advance(30)
    async with hall.open() as client:
        await client.say(op="connect", authToken=token)

        assert await client.close_code() == REFUSED
        assert client.socket.close_reason == "The auth token has ended."


async def test_a_session_goes_on_with_another_token(hall: Hall, clock: ManualClock) -> None:
    """With `renew_token` the socket stays, hears everything, and calls with the new token."""
    first, second = await token_of(hall, expiresIn=30), await token_of(hall, expiresIn=1_000)
    async with hall.open() as socket:
        client = await connected(socket, first)
        reply = await client.ask("renew_token", authToken=second)
        assert reply["data"] == {"success": True}
        assert await pass_time(client, clock, 120) == []
        await end_tokens(hall.gateway.runtime)
        await hall.settle()
        await hall.gateway.look()
        sent = await say(hall.world, "Hi", sender="ben", receiver="anna")
        assert (await client.event("message_sent"))["data"]["message"]["id"] == sent["id"]
        listed = await client.ask("list_messages", uid="ben")
        assert [each["id"] for each in listed["data"]] == [sent["id"]]
        assert await pass_time(client, clock, 800) == []
        clock.advance(40)
        assert (await warned(hall, client))["op"] == "token_expiring"
        assert await client.until_pong() == []
        clock.advance(40)
        await hall.gateway.look()
        assert await client.close_code() == REFUSED


@pytest.mark.parametrize("way", ["revoked", "unknown", "of ben", "ended", "empty"])
async def test_tokens_with_which_none_goes_on(hall: Hall, clock: ManualClock, way: str) -> None:
    """A token that is refused changes nothing: the session goes on until its own ends."""
    first = await token_of(hall, expiresIn=1_000)
    other = await token_of(hall, "ben" if way == "of ben" else "anna", expiresIn=20)
    if way == "revoked":
        await hall.world.delete(f"/users/anna/auth_tokens/{other}")
    if way == "ended":
        clock.advance(20)
    async with hall.open() as socket:
        client = await connected(socket, first)
        given = {"unknown": "anna_1", "empty": ""}.get(way, other)
        reply = await client.ask("renew_token", authToken=given)
        assert reply["error"]["code"] == {
            "of ben": "ERR_AUTHTOKEN_NOT_ACCESSIBLE",
            "empty": "ERR_BAD_REQUEST",
        }.get(way, "AUTH_ERR_AUTH_TOKEN_NOT_FOUND")
        clock.advance(30)
        await hall.gateway.look()
        assert await client.until_pong() == []


async def test_a_renewed_session_ends_with_the_new_token(hall: Hall) -> None:
    """Once a session goes on with another token, revoking that one ends it, and not the first."""
    first, second = await token_of(hall), await token_of(hall)
    async with hall.open() as socket:
        client = await connected(socket, first)
        await client.ask("renew_token", authToken=second)
        await hall.world.delete(f"/users/anna/auth_tokens/{first}")
        await hall.settle()
        assert await client.until_pong() == []
        await hall.world.delete(f"/users/anna/auth_tokens/{second}")

        assert await client.close_code() == REFUSED
