"""Receipts in groups: one's own devices are told at once, the members once a second of all."""

import pytest
from tests.api.events.test_change_feed import follow, start_of
from tests.realtime.chat import Hall
from tests.world import Json, World

TEAM = {"receiver": "team", "receiverType": "group"}


@pytest.fixture
async def sent(hall: Hall, world: World) -> Json:
    """A message of Anna in a group of Anna, Ben and Cora."""
    await world.post("/groups", {"guid": "team", "name": "T", "type": "public", "owner": "anna"})
    await world.post("/groups/team/members", {"participants": ["ben", "cora"]})
    text = {**TEAM, "category": "message", "type": "text", "data": {"text": "Hello"}}
    message: Json = await world.post("/messages", text, as_="anna")
    return message


@pytest.mark.parametrize(
    ("method", "event", "field"),
    [
        ("mark_read", "conversation_read", "lastReadMessageId"),
        ("mark_delivered", "conversation_delivered", "lastDeliveredMessageId"),
    ],
)
async def test_own_devices(
    hall: Hall, world: World, sent: Json, method: str, event: str, field: str
) -> None:
    """All sessions of the reader learn how far they are; nobody else does."""
    async with hall.client("ben") as ben, hall.client("ben") as phone, hall.client("anna") as anna:
        await ben.ask(method, **TEAM)
        for client in (ben, phone):
            told = await client.event(event)
            assert told["data"][field] == sent["id"]
            assert told["data"]["by"]["uid"] == "ben"
            assert not {"id", "cursor"} & told.keys()
        await hall.settle()
        assert await anna.until_pong() == []
        await ben.ask(method, **TEAM)
        assert await phone.until_pong() == [], "nothing has moved"


async def test_all_members(hall: Hall, world: World, sent: Json) -> None:
    """When all have read a message its sender is told, in one frame for many marks."""
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        for uid in ("ben", "cora"):
            await world.post("/groups/team/conversation/read", as_=uid)
        await hall.settle()
        await hall.gateway.look()
        told = await anna.event("receipts_advanced")
        ids = {"deliveredToAllId": sent["id"], "readByAllId": sent["id"]}
        assert told["data"] == {**TEAM, **ids}
        await hall.gateway.look()
        assert await anna.until_pong() == []
        frames = [f for f in await ben.until_pong() if f["event"] == "receipts_advanced"]
        assert frames == [], "they have sent nothing"


async def test_crowded_groups(hall: Hall, world: World, sent: Json) -> None:
    """While more members are connected than the limit, receipts are kept and not told."""
    await world.put("/settings", {"settings": {"limits.groupReceiptOnline": 1}})
    async with hall.client("anna") as anna, hall.client("ben"):
        await hall.gateway.present.settle()
        for uid in ("ben", "cora"):
            await world.post("/groups/team/conversation/read", as_=uid)
        await hall.settle()
        await hall.gateway.look()
        assert await anna.until_pong() == []
        assert "readAt" not in await world.get(f"/messages/{sent['id']}", as_="anna")
    await hall.gateway.present.settle()
    assert "readAt" in await world.get(f"/messages/{sent['id']}", as_="anna")
    receipts = await world.get(f"/messages/{sent['id']}/receipts")
    assert {each["uid"] for each in receipts if "readAt" in each} == {"ben", "cora"}


async def test_a_mark_with_an_idempotency_key(hall: Hall, world: World, sent: Json) -> None:
    """The devices of the reader are told once, after the mark is stored; a repetition is silent."""
    mark = "/groups/team/conversation/read"
    key = {"Idempotency-Key": "a mark"}
    async with hall.client("ben") as phone:
        first = await world.ask("POST", mark, {}, as_="ben", headers=key)
        told = await phone.event("conversation_read")
        again = await world.ask("POST", mark, {}, as_="ben", headers=key)

        assert (first.status, again.status) == (200, 200)
        assert told["data"]["lastReadMessageId"] == sent["id"]
        assert await phone.until_pong() == []


async def test_webhooks_that_listen(hall: Hall, world: World, sent: Json) -> None:
    """Sessions are told the same, whether or not a webhook listens to each member's receipts."""
    await world.post("/webhooks", {"id": "hook", "name": "H", "webhookURL": "https://example.com"})
    await world.post("/webhooks/hook/triggers", {"triggerIds": ["message_read_receipt"]})
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        await ben.ask("mark_read", **TEAM)
        assert (await ben.event("conversation_read"))["data"]["lastReadMessageId"] == sent["id"]
        await hall.settle()
        await hall.gateway.look()
        assert await anna.until_pong() == []
        assert await ben.until_pong() == []


async def test_webhooks_of_crowded_groups(hall: Hall, world: World, sent: Json) -> None:
    """While more members are connected than the limit, a member's receipts reach no webhook."""
    await world.post("/webhooks", {"id": "hook", "name": "H", "webhookURL": "https://example.com"})
    await world.post("/webhooks/hook/triggers", {"triggerIds": ["message_read_receipt"]})
    await world.put("/settings", {"settings": {"limits.groupReceiptOnline": 1}})
    async with hall.client("anna"), hall.client("ben"):
        await hall.gateway.present.settle()
        await world.post("/groups/team/conversation/read", as_="ben")
    await hall.gateway.present.settle()
    await world.post("/groups/team/conversation/read", as_="cora")

    events = await follow(world, await start_of(world))
    told = [each["data"]["sender"] for each in events if each["event"] == "message_read_receipt"]
    assert told == ["cora", "app_system"]
