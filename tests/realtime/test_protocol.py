"""What clients may say when: frames that are wrong end the session with the documented code."""

import asyncio
import base64
import json
from dataclasses import replace
from typing import Any

import pytest
from tests.clock import ManualClock
from tests.realtime.chat import Hall, hall_of
from tests.soon import until
from tests.wire import LOOPBACK
from tests.world import Node, World
from websockets.frames import Frame, Opcode

from hubbub.realtime.protocol.limits import SessionLimits
from hubbub.realtime.sessions.origins import Origins


@pytest.mark.parametrize(
    "frame",
    [
        b"{",
        b"\xff",
        b"[]",
        b"{}",
        b'{"op":"ping"}',
        b'{"op":"call","ref":"1","method":"list_messages"}',
        b'{"op":"connect","authToken":5}',
        b'{"op":"connect","since":"yesterday and longer"' + b" " * 5000 + b"}",
        b"[" * 60_000,
    ],
    ids=repr,
)
async def test_bad_first_frames(hall: Hall, frame: bytes) -> None:
    """The first frame is `connect`, in JSON, of at most 4 KB."""
    async with hall.open() as client:
        await client.socket.send(frame, text=True)

        assert await client.close_code() == 4400


@pytest.mark.parametrize(
    "fields", [{}, {"authToken": ""}, {"authToken": "x"}, {"authToken": "ü" * 50}]
)
async def test_refused_tokens(hall: Hall, fields: dict[str, str]) -> None:
    """A token that is unknown or missing ends the session with 4401."""
    async with hall.open() as client:
        await client.say(op="connect", **fields)

        assert await client.close_code() == 4401


@pytest.mark.parametrize("field", ["platform", "resource"])
async def test_a_device_that_is_no_text(hall: Hall, world: World, field: str) -> None:
    """A device whose description can't be stored is refused when it connects."""
    token = await world.token("anna")
    async with hall.open() as client:
        await client.say(op="connect", authToken=token, device={field: "we\0b"})

        assert await client.close_code() == 4400


@pytest.mark.parametrize("since", ["", "yesterday", "1", "1-2-3", "１-2", "-1", f"1-{'9' * 30}"])
async def test_a_cursor_that_is_none(hall: Hall, world: World, since: str) -> None:
    """A client whose `since` is no cursor hears so, and keeps its user signed in."""
    token = await world.token("anna")
    async with hall.open() as client:
        await client.say(op="connect", authToken=token, since=since)

        assert await client.close_code() == 4400
        assert "`since`" in (client.socket.close_reason or "")


async def test_tokens_of_other_apps(hall: Hall, world: World, node: Any) -> None:
    """A token is of its app: another app that is named refuses it."""
    other = await node.world()
    token = await world.token("anna")
    async with hall.open() as client:
        await client.say(op="connect", authToken=token, appId=other.app_id)
        assert await client.close_code() == 4401
    async with hall.open() as client:
        await client.say(op="connect", authToken=token, appId=world.app_id)
        assert (await client.hear())["user"]["uid"] == "anna"


async def test_the_answer_to_a_handshake(hall: Hall) -> None:
    """The connection is upgraded, and nothing says that it is closed: proxies believe that."""
    async with hall.open() as client:
        response = client.socket.response
        assert response is not None
        assert response.headers.get_all("Connection") == ["Upgrade"]
        assert response.headers.get_all("Upgrade") == ["websocket"]


async def test_a_token_in_the_handshake(hall: Hall, world: World) -> None:
    """The token may be a header of the handshake."""
    headers = {"authToken": await world.token("anna")}
    async with hall.open(additional_headers=headers) as client:
        await client.say(op="connect")
        connected = await client.hear()

        assert connected["op"] == "connected"
        assert connected["user"]["uid"] == "anna"
        assert connected["heartbeat"] == SessionLimits().heartbeat


async def test_unknown_ops_and_methods(hall: Hall) -> None:
    """An unknown op or method is answered with an error, and the session goes on."""
    async with hall.client("anna") as anna:
        await anna.say(op="sing", ref="1")
        refused = await anna.hear()
        assert (refused["ref"], refused["error"]["code"]) == ("1", "ERR_BAD_REQUEST")
        assert list((await anna.ask("sing"))["error"]["details"]) == ["method"]
        await anna.say(op="ping")
        assert (await anna.hear())["op"] == "pong"


async def test_silence(hall: Hall, clock: ManualClock) -> None:
    """Who does not connect in 10 s, or is silent for two heartbeats, is cut."""
    async with hall.open() as late, hall.client("anna") as anna, hall.client("ben") as ben:
        clock.advance(11)
        await hall.gateway.look()
        assert await late.close_code() == 4408
        clock.advance(30)
        await (await ben.socket.ping())
        await hall.gateway.look()
        clock.advance(12)
        await hall.gateway.look()
        assert await anna.close_code() == 4408
        assert await ben.until_pong() == []


async def test_too_many_frames(hall: Hall) -> None:
    """More frames than allowed end the session with 4429."""
    async with hall.client("anna") as anna:
        for _ in range(SessionLimits().frames_at_once + 1):
            await anna.socket.send(json.dumps({"op": "ping"}))

        assert await anna.close_code() == 4429


async def test_long_reasons(hall: Hall) -> None:
    """The reason of a close fits into its frame, in whole characters."""
    async with hall.open() as client:
        await client.say(op="connect", authToken="x", appId="ü" * 60)

        assert await client.close_code() == 4401
        assert client.socket.close_reason


async def test_pings_of_a_client_that_does_not_read(node: Node, world: World) -> None:
    """Pongs that nobody reads are bounded like everything else that waits."""
    settings = replace(node.runtime.settings, realtime_queue_frames=5)
    key = base64.b64encode(b"0123456789abcdef").decode()
    async with hall_of(world, replace(node.runtime, settings=settings)) as hall:
        reader, writer = await asyncio.open_connection(LOOPBACK, hall.port)
        writer.write(
            f"GET /v3/realtime HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
            f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {key}\r\n\r\n".encode()
        )
        await reader.readline()
        [session] = hall.gateway.sessions
        session.socket.pause_writing()
        ping = Frame(Opcode.PING, b"x" * 100).serialize(mask=True, extensions=[])
        writer.write(ping * 6)
        await until(lambda: session.socket.is_ended)

        assert session.socket.closed_with == 4409
        writer.close()


async def test_large_messages(hall: Hall) -> None:
    """A message of over 64 KB ends the session."""
    async with hall.client("anna") as anna:
        await anna.socket.send("x" * 1024 * 1024)

        assert await anna.close_code() == 1009


async def test_binary_messages(hall: Hall) -> None:
    """Frames are text."""
    async with hall.client("anna") as anna:
        await anna.socket.send(b"{}")

        assert await anna.close_code() == 4400


async def test_revoked_tokens(hall: Hall, world: World) -> None:
    """The end of a token, of a user's activity, or of a user ends their sessions with 4401."""
    async with hall.client("anna") as anna, hall.client("ben") as ben, hall.client("cora") as cora:
        for token in await world.get("/users/anna/auth_tokens"):
            await world.delete(f"/users/anna/auth_tokens/{token['authToken']}")
        assert await anna.close_code() == 4401
        await world.delete("/users", {"uidsToDeactivate": ["ben"]})
        assert await ben.close_code() == 4401
        await world.delete("/users/cora", {"permanent": False})
        assert await cora.close_code() == 4401


@pytest.mark.parametrize(
    ("origin", "is_allowed"),
    [
        (None, True),
        ("http://127.0.0.1:{port}", True),
        ("https://elsewhere.example", False),
        ("null", False),
        ("http://[", False),
    ],
)
async def test_origins(hall: Hall, origin: str | None, *, is_allowed: bool) -> None:
    """Sockets of pages of other hosts are closed with a reason; programs have no origin."""
    headers = {"Origin": origin.format(port=hall.port)} if origin else {}
    async with hall.open(additional_headers=headers) as client:
        if is_allowed:
            await client.say(op="connect", authToken=await hall.world.token("anna"))
            assert (await client.hear())["op"] == "connected"
        else:
            assert await client.close_code() == 4403
            assert client.socket.close_reason == (
                f"HUBBUB_REALTIME_ORIGINS does not name {origin}."
            )


async def test_a_long_origin(hall: Hall) -> None:
    """The reason of a refused origin fits into a close frame, whatever its characters."""
    async with hall.open(additional_headers={"Origin": "https://" + "\u00fc" * 500}) as client:
        assert await client.close_code() == 4403


@pytest.mark.parametrize(
    ("setting", "origin", "is_allowed"),
    [
        ("loopback", "http://localhost:5173", True),
        ("loopback", "http://[::1]:5173", True),
        ("loopback", "http://hubbub.test", True),
        ("loopback", "http://localhost.example:5173", False),
        ("loopback, https://app.example", "https://app.example", True),
        ("https://app.example", "http://hubbub.test", False),
        ("https://app.example", "http://localhost:5173", False),
        ("*", "https://elsewhere.example", True),
    ],
)
def test_named_origins(setting: str, origin: str, *, is_allowed: bool) -> None:
    """Pages of named origins are allowed, and those of this machine where the setting says so."""
    assert Origins(setting).allow(origin, "hubbub.test") is is_allowed


async def test_methods(hall: Hall) -> None:
    """Each method is the operation of REST, with its answers and errors."""
    async with hall.client("anna") as anna, hall.client("ben"):
        fields = {"receiver": "ben", "receiverType": "user", "category": "message", "type": "text"}
        sent = (await anna.ask("send_message", **fields, data={"text": "Hello"}))["data"]
        await anna.event("message_sent")
        reply = await anna.ask("send_message", parentId=sent["id"], **fields, data={"text": "Re"})
        assert reply["data"]["parentId"] == sent["id"]
        await anna.event("message_sent")
        await anna.ask("edit_message", id=sent["id"], data={"text": "Hi"})
        await anna.event("message_edited")
        await anna.ask("add_reaction", id=sent["id"], reaction="👍")
        await anna.event("message_reaction_added")
        await anna.ask("remove_reaction", id=sent["id"], reaction="👍")
        await anna.event("message_reaction_removed")
        listed = await anna.ask("list_messages", uid="ben", limit=10, hideReplies=True)
        assert [each["data"].get("text") for each in listed["data"]][:1] == ["Hi"]
        assert "meta" in listed
        conversations = await anna.ask("list_conversations")
        assert [each["conversationId"] for each in conversations["data"]] == ["anna_user_ben"]
        error = (await anna.ask("delete_message", id="999"))["error"]
        assert error["code"] == "ERR_MESSAGE_ID_NOT_FOUND"
        assert list((await anna.ask("delete_message"))["error"]["details"]) == ["id"]
        assert list((await anna.ask("mark_read", receiver="ben"))["error"]["details"]) == [
            "receiverType"
        ]


async def test_receipts(hall: Hall) -> None:
    """A read receipt is told to the sender, and the reader's sessions learn how far they are."""
    async with hall.client("anna") as anna, hall.client("ben") as ben, hall.client("ben") as phone:
        fields = {"receiver": "ben", "receiverType": "user", "category": "message", "type": "text"}
        sent = (await anna.ask("send_message", **fields, data={"text": "Hello"}))["data"]
        for client in (anna, ben, phone):
            await client.event("message_sent")
        await ben.ask("mark_delivered", receiver="anna", receiverType="user")
        await ben.event("conversation_delivered")
        await phone.event("conversation_delivered")
        await anna.event("message_delivery_receipt")
        await ben.ask("mark_read", receiver="anna", receiverType="user", messageId=sent["id"])
        receipt = await anna.event("message_read_receipt")
        assert receipt["data"]["body"]["messageId"] == sent["id"]
        for client in (ben, phone):
            read = await client.event("conversation_read")
            assert read["id"] == receipt["id"]
            assert read["data"]["unreadMessageCount"] == "0"
            assert read["data"]["lastReadMessageId"] == sent["id"]
