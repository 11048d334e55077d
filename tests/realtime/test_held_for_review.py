"""Sockets of an app whose rules hold messages: who hears of what, and when."""

from collections.abc import AsyncIterator

import pytest
from tests.api.messages.talk import group, say, to_group, to_user
from tests.api.moderation.ruling import make_rules
from tests.realtime.chat import Hall, hall_of
from tests.world import Node, World

BLOCKED = "/moderation/blocked-messages"
TO_BEN = {"receiver": "ben", "receiverType": "user"}


@pytest.fixture
async def hall(node: Node, world: World) -> AsyncIterator[Hall]:
    """A server with sockets, of an app with rules; Anna and Ben are in a group."""
    await world.users("anna", "ben", "clara")
    await group(world, "team", "anna", "ben")
    await make_rules(world)
    async with hall_of(world, node.runtime) as hall:
        yield hall


async def test_an_approved_message_is_told(hall: Hall) -> None:
    """Nobody hears of a held message; once approved all do, with a cursor that goes on."""
    world = hall.world
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        held = await say(world, "anna", to_user("ben", "It is blocked"))
        assert await ben.until_pong() == await anna.until_pong() == []
        later = await say(world, "anna", to_user("ben", "Later"))
        before = await ben.event("message_sent")
        assert before["data"]["message"]["id"] == later["id"]

        await world.patch(f"{BLOCKED}/{held['id']}", {"status": "approved"})
        told = await ben.event("message_sent")

    assert told["data"]["message"]["id"] == held["id"]
    assert told["data"]["message"]["sentAt"] == held["sentAt"]
    assert told["data"]["message"]["data"]["moderation"] == {"status": "approved"}
    numbers = [int(frame["cursor"].rpartition("-")[2]) for frame in (before, told)]
    assert numbers == sorted(set(numbers))


async def test_who_joined_since_does_not_hear_of_it(hall: Hall) -> None:
    """Where new members do not see earlier messages, one that is delivered late is earlier."""
    world = hall.world
    await world.put("/settings", {"settings": {"groups.historyForNewMembers": False}})
    held = await say(world, "anna", to_group("team", "It is blocked"))
    await say(world, "anna", to_group("team", "Later"))
    await world.post("/groups/team/members", {"participants": ["clara"]})
    async with hall.client("ben") as ben, hall.client("clara") as clara:
        await world.patch(f"{BLOCKED}/{held['id']}", {"status": "approved"})
        told = await ben.event("message_sent")
        assert await clara.until_pong() == []

    assert told["data"]["message"]["id"] == held["id"]
    await world.refused(
        "GET", f"/messages/{held['id']}", as_="clara", status=404, code="ERR_MESSAGE_ID_NOT_FOUND"
    )


@pytest.mark.parametrize("word", ["dropped", "bounced", "blocked"])
async def test_a_transient_message_is_refused(hall: Hall, word: str) -> None:
    """A transient message that would be kept back reaches nobody, and its sender is told."""
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        data = {"note": [f"It is {word}"]}
        reply = await anna.ask("send_transient", **TO_BEN, data=data)
        assert await ben.until_pong() == []

    assert reply["error"]["code"] == "ERR_BLOCKED_BY_EXTENSION"
    assert reply["error"]["details"]["rule"] == [word]
    assert await hall.world.get(BLOCKED) == []


async def test_a_transient_message_is_masked(hall: Hall) -> None:
    """A transient message is told with stars, and one that no rule matches as it is."""
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        for data in ({"note": "It is masked"}, "It is masked", [1, {"a": None}]):
            assert "error" not in await anna.ask("send_transient", **TO_BEN, data=data)
        told = [(await ben.event("transient_message"))["data"]["data"] for _ in range(3)]

    assert told == [{"note": "It is ***"}, "It is ***", [1, {"a": None}]]
