"""Calls of sockets that would cost the node more than their client."""

import json
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.realtime.chat import Client, Hall
from tests.world import World

METHODS = ("list_messages", "send_message", "send_transient", "list_conversations", "edit_message")
TO_BEN = {"receiver": "ben", "receiverType": "user", "uid": "ben", "id": 1}


def nested(depth: int) -> Any:
    """Return lists within lists."""
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


async def refused(client: Client, method: str, **params: Any) -> str:
    """Return the code with which a call is refused."""
    code: str = (await client.ask(method, **params))["error"]["code"]
    return code


@pytest.mark.parametrize("depth", [64, 200, 900])
async def test_deep_params_are_refused(hall: Hall, depth: int) -> None:
    """Deeply nested parameters are a bad request of every method, and nothing is logged."""
    async with hall.client("anna") as anna:
        with capture_logs() as lines:
            for method in METHODS:
                further = {"data": nested(depth), "tags": nested(depth)}
                assert await refused(anna, method, **TO_BEN, **further) == "ERR_BAD_REQUEST"
        assert await anna.until_pong() == []

    assert lines == []


async def test_params_that_are_too_many_are_refused(hall: Hall) -> None:
    """Parameters of more values than a body may have are a bad request, and so is a long query."""
    async with hall.client("anna") as anna:
        assert await refused(anna, "send_transient", **TO_BEN, data=[0] * 20_000)
        assert await refused(anna, "list_messages", uid="ben", tags=["a"] * 1_001)


async def test_calls_are_counted_before_they_are_decoded(hall: Hall, world: World) -> None:
    """Calls that are malformed count towards the limit of their user, and good ones once."""
    await world.put("/settings", {"settings": {"limits.userCallsPerMinute": 6}})
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        for _ in range(3):
            assert "data" in await anna.ask("list_conversations")
            assert await refused(anna, "list_messages", tags=nested(900)) == "ERR_BAD_REQUEST"

        code = await refused(anna, "list_messages", tags=nested(900))
        assert code == await refused(anna, "list_conversations") == "ERR_TOO_MANY_REQUESTS"
        assert "data" in await ben.ask("list_conversations"), "others have limits of their own"


async def test_frames_that_are_too_deep_end_the_session(hall: Hall) -> None:
    """A frame whose own fields are nested without end is no frame."""
    async with hall.client("anna") as anna:
        await anna.socket.send(json.dumps({"op": "call", "x": 1})[:-1] + ',"y":' + "[" * 60_000)
        assert await anna.close_code() == 4400
