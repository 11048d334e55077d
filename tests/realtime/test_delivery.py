"""Events reach the sessions of those whom they concern, once, in order, and nobody else."""

import asyncio
import random
from typing import Any

import pytest
from tests.realtime.chat import Hall
from tests.realtime.role_model import Rules, play
from tests.world import World


async def say(world: World, text: str, *, sender: str = "anna", receiver: str = "ben") -> Any:
    """Send a text message, by the app on behalf of the sender."""
    body = {"receiver": receiver, "receiverType": "user", "data": {"text": text}}
    return await world.post(
        "/messages", {**body, "category": "message", "type": "text"}, as_=sender
    )


async def test_a_message_reaches_both(hall: Hall, world: World) -> None:
    """A message is told to all sessions of sender and receiver, as the history has it."""
    async with (
        hall.client("anna") as anna,
        hall.client("ben") as ben,
        hall.client("ben") as phone,
        hall.client("cora") as cora,
    ):
        sent = await say(world, "Hello")
        frames = [await client.event("message_sent") for client in (anna, ben, phone)]

        assert frames[0] == frames[1] == frames[2]
        message = frames[0]["data"]["message"]
        assert message["id"] == sent["id"]
        assert message["data"]["text"] == "Hello"
        assert frames[0]["id"] == frames[0]["cursor"]
        assert frames[0]["at"] == sent["sentAt"]
        await hall.settle()
        assert await cora.until_pong() == []


async def test_a_call_is_answered_before_its_event(hall: Hall) -> None:
    """The session that sends gets its reply, with what REST answers, and then the event."""
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        fields = {"receiver": "ben", "receiverType": "user", "category": "message", "type": "text"}
        reply = await anna.ask("send_message", **fields, data={"text": "Hello"})

        assert reply["ref"] == "r"
        assert reply["data"]["sender"] == "anna"
        for client in (anna, ben):
            event = await client.event("message_sent")
            assert event["data"]["message"]["id"] == reply["data"]["id"]


async def test_groups(hall: Hall, world: World) -> None:
    """Members are told from their joining on, up to their own removal and not beyond."""
    group = {"guid": "team", "name": "Team", "type": "public", "owner": "anna"}
    await world.post("/groups", group)
    fields = {"receiver": "team", "receiverType": "group", "category": "message", "type": "text"}
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        await world.post("/messages", {**fields, "data": {"text": "one"}}, as_="anna")
        await anna.event("message_sent")
        await world.post("/groups/team/members", {"participants": ["ben"]})
        joined = [await client.event("group_member_added") for client in (anna, ben)]
        assert joined[0] == joined[1]
        await world.post("/messages", {**fields, "data": {"text": "two"}}, as_="anna")
        for client in (anna, ben):
            assert (await client.event("message_sent"))["data"]["message"]["data"]["text"] == "two"
        await world.delete("/groups/team/members/ben")
        for client in (anna, ben):
            await client.event("group_member_kicked")
        await world.post("/messages", {**fields, "data": {"text": "three"}}, as_="anna")
        await anna.event("message_sent")
        await hall.settle()
        assert await ben.until_pong() == []


async def test_earlier_messages_that_new_members_may_not_see(hall: Hall, world: World) -> None:
    """Changes of a message that is hidden from new members are not told to them, live or later."""
    await world.put("/settings", {"settings": {"groups.historyForNewMembers": False}})
    group = {"guid": "team", "name": "Team", "type": "public", "owner": "anna"}
    await world.post("/groups", group)
    fields = {"receiver": "team", "receiverType": "group", "category": "message", "type": "text"}
    early = await world.post("/messages", {**fields, "data": {"text": "early"}}, as_="anna")
    await world.post("/groups/team/members", {"participants": ["cora"]})
    async with hall.client("anna") as anna, hall.client("ben") as ben, hall.client("cora") as cora:
        await world.post("/groups/team/members", {"participants": ["ben"]})
        start = await ben.event("group_member_added")
        late = await world.post("/messages", {**fields, "data": {"text": "late"}}, as_="anna")
        for id_ in (early["id"], late["id"]):
            await world.put(f"/messages/{id_}", {"data": {"text": "new"}}, as_="anna")
            await world.post(f"/messages/{id_}/reactions/x", as_="anna")
            await world.post(f"/messages/{id_}/pin", as_="anna")
        await hall.settle()
        everything = [frame["event"] for frame in await anna.until_pong()]
        changes = ["message_edited", "message_reaction_added", "message_pinned"]
        assert everything == ["group_member_added", "message_sent", *changes, *changes]
        assert [frame["event"] for frame in await cora.until_pong()] == everything[:5]
        live = await ben.until_pong()
        assert [frame["event"] for frame in live] == everything[1:5]
        async with hall.client("ben", since=start["cursor"]) as again:
            missed = await again.until_pong()
            assert [frame["id"] for frame in missed] == [frame["id"] for frame in live]


KINDS: dict[str, dict[str, Any]] = {
    "text": {"data": {"text": "Grüße 👋", "metadata": {"a": [1, None]}}},
    "muid": {"data": {"text": "once"}, "muid": "m-1"},
    "mention": {"data": {"text": "<@uid:ben> look, <@all>"}},
    "custom": {"category": "custom", "type": "place", "data": {"customData": {"lat": 1.5}}},
    "tags": {"data": {"text": "tagged"}, "tags": ["later"]},
    "attachment": {
        "type": "file",
        "data": {
            "attachments": [
                {
                    "url": "https://example.com/a.pdf",
                    "name": "a.pdf",
                    "extension": "pdf",
                    "mimeType": "application/pdf",
                    "size": 5,
                }
            ]
        },
    },
    "quote": {"data": {"text": "quoting"}, "quotedMessageId": "{earlier}"},
    "reply": {"data": {"text": "replying"}, "parentId": "{earlier}"},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("receiver_type", ["user", "group"])
async def test_a_new_message_is_told_as_it_is_stored(
    hall: Hall, world: World, kind: str, receiver_type: str
) -> None:
    """A send is told without reading the message; a resume, which reads it, tells the same."""
    await world.post("/groups", {"guid": "team", "name": "Team", "type": "public", "owner": "anna"})
    await world.post("/groups/team/members", {"participants": ["ben"]})
    receiver = "ben" if receiver_type == "user" else "team"
    fields = {"receiver": receiver, "receiverType": receiver_type}
    text = {**fields, "category": "message", "type": "text"}
    earlier = await world.post("/messages", {**text, "data": {"text": "earlier"}}, as_="anna")
    body = {**text, **KINDS[kind]}
    for name in ("quotedMessageId", "parentId"):
        if name in body:
            body[name] = earlier["id"]
    async with hall.client("ben") as ben:
        assert ben.connected is not None
        await world.post("/messages", body, as_="anna")
        told = await ben.event("message_sent")
        async with hall.client("ben", since=ben.connected["cursor"]) as again:
            assert await again.event("message_sent") == told


async def test_a_batch_arrives_in_order(hall: Hall, world: World) -> None:
    """Messages that are committed together are told one by one, in order, to each participant."""
    async with hall.client("anna") as anna, hall.client("ben") as ben, hall.client("cora") as cora:
        receivers = ["ben", "cora"] * 20
        await asyncio.gather(*(say(world, "Hello", receiver=uid) for uid in receivers))
        of_anna, of_ben, of_cora = [
            [(await client.event("message_sent"))["cursor"] for _ in range(count)]
            for client, count in ((anna, 40), (ben, 20), (cora, 20))
        ]

        assert of_anna == sorted(of_ben + of_cora, key=parse_number)
        assert [of_ben, of_cora] == [sorted(each, key=parse_number) for each in (of_ben, of_cora)]
        assert len(set(of_anna)) == 40


def parse_number(cursor: str) -> int:
    """Return the number in a cursor."""
    return int(cursor.partition("-")[2])


async def test_kinds_that_a_role_may_not_list(hall: Hall, world: World) -> None:
    """A session is told no message that its user's role may not list, live or missed."""
    await world.post("/roles", {"role": "reader", "name": "Reader"})
    kinds = {"listMessages.allowedMessageCategories": ["message"]}
    await world.put("/roles/reader/permissions", {"permissions": kinds})
    await world.put("/users/ben", {"role": "reader"})
    fields = {"receiver": "ben", "receiverType": "user", "category": "custom", "type": "poll"}
    async with hall.client("anna") as anna, hall.client("ben") as ben:
        await hall.gateway.present.settle()  # messages show whether their users are available
        cursor = ben.connected["cursor"] if ben.connected else ""
        await world.post("/messages", {**fields, "data": {"customData": {"q": 1}}}, as_="anna")
        await say(world, "Hello")
        assert [await anna.event("message_sent") for _ in range(2)]
        live = await ben.until_pong()
        assert [each["data"]["message"]["category"] for each in live] == ["message"]
        async with hall.client("ben", since=cursor) as again:
            missed = await again.until_pong()
            assert [frame["id"] for frame in missed] == [frame["id"] for frame in live]


@pytest.mark.parametrize("seed", range(6))
async def test_a_session_follows_its_role(hall: Hall, world: World, seed: int) -> None:
    """A session is told what its role may list at that time; a resumed one, what it may now."""
    rules = Rules(world)
    await rules.begin()
    await play(rules, hall, hall, random.Random(seed))
