"""The webhooks of before_message decide on transient messages, if the app wants that."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from tests.api.messages.talk import group
from tests.api.webhooks.hooks import ALLOW, Checked, change, says, serve_checked
from tests.realtime.chat import Hall, hall_of
from tests.world import Json, Node

TO_BEN = {"receiver": "ben", "receiverType": "user"}
TO_TEAM = {"receiver": "team", "receiverType": "group"}
SETTING = "webhooks.beforeMessage.transient"


@pytest.fixture
async def checked(node: Node, tmp_path: Path) -> AsyncIterator[Checked]:
    """An app with Anna and Ben, who are in a group; its transient messages are checked."""
    async with serve_checked(node, tmp_path) as served:
        await group(served.world, "team", "anna", "ben")
        await served.world.put("/settings", {"settings": {SETTING: True}})
        yield served


@pytest.fixture
async def hall(checked: Checked) -> AsyncIterator[Hall]:
    """A server with sockets."""
    async with hall_of(checked.world, checked.node.runtime) as hall:
        yield hall


@pytest.mark.parametrize(
    ("receiver", "conversation"), [(TO_BEN, "anna_user_ben"), (TO_TEAM, "group_team")]
)
async def test_what_is_asked(
    checked: Checked, hall: Hall, receiver: Json, conversation: str
) -> None:
    """It is told who sends what to whom; what it allows is sent as it is."""
    await checked.attach(says(ALLOW))
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        assert "error" not in await anna.ask("send_transient", **receiver, data=[1, {"a": None}])
        told = await ben.event("transient_message")

    assert told["data"]["data"] == [1, {"a": None}]
    [asked] = checked.bodies
    assert asked["data"] == {
        "action": "transient",
        "message": {
            "conversationId": conversation, "sender": "anna", **receiver,
            "category": "custom", "type": "transient", "data": [1, {"a": None}],
        },
    }  # fmt: skip


async def test_other_data(checked: Checked, hall: Hall) -> None:
    """Others get the data of the last webhook."""

    async def more(body: Json) -> web.StreamResponse:
        data = body["data"]["message"]["data"]
        return web.json_response(change(**data, more=1))

    await checked.attach(says(change(text="****")), "one")
    await checked.attach(more, "two")
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        await anna.ask("send_transient", **TO_BEN, data="Damn")
        told = await ben.event("transient_message")
    assert told["data"]["data"] == {"text": "****", "more": 1}


async def test_a_refusal(checked: Checked, hall: Hall) -> None:
    """The sender gets the reason, and nobody gets the message."""
    await checked.attach(says({"action": "refuse", "reason": "Not so."}))
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        reply = await anna.ask("send_transient", **TO_BEN, data=1)
        assert await ben.until_pong() == []
    assert reply["error"]["code"] == "ERR_BLOCKED_BY_WEBHOOK"
    assert reply["error"]["message"] == "Not so."


async def test_a_failure(checked: Checked, hall: Hall) -> None:
    """If the webhook fails, the message is sent as it was, or not at all: the app decides."""
    await checked.attach(says({}, 500))
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        assert "error" not in await anna.ask("send_transient", **TO_BEN, data=1)
        assert (await ben.event("transient_message"))["data"]["data"] == 1
        await checked.refuse_on_failure()
        reply = await anna.ask("send_transient", **TO_BEN, data=2)
        assert reply["error"]["code"] == "ERR_BLOCKED_BY_WEBHOOK"
        assert await ben.until_pong() == []


async def test_what_may_not_be_sent(checked: Checked, hall: Hall) -> None:
    """Nobody is asked about what may not be sent; a block made meanwhile counts."""

    async def block(_: Json) -> web.StreamResponse:
        await checked.world.post("/users/ben/blockedusers", {"blockedUids": ["anna"]})
        return web.json_response(ALLOW)

    await checked.attach(block)
    async with hall.client("anna") as anna:
        nobody = {"receiver": "nobody", "receiverType": "user"}
        codes = [
            (await anna.ask("send_transient", **receiver, data=1))["error"]["code"]
            for receiver in (nobody, TO_BEN, TO_BEN)
        ]
    assert codes == ["ERR_UID_NOT_FOUND", "ERR_BLOCKED_SENDER", "ERR_BLOCKED_SENDER"]
    assert len(checked.bodies) == 1


async def test_by_default(checked: Checked, hall: Hall) -> None:
    """Without the setting nobody is asked, nor ever about typing."""
    await checked.attach(says({"action": "refuse"}))
    async with hall.client("anna") as anna:
        await anna.ask("start_typing", **TO_BEN)
        await checked.world.delete("/settings", {"keys": [SETTING]})
        assert "error" not in await anna.ask("send_transient", **TO_BEN, data=1)
    assert checked.bodies == []
