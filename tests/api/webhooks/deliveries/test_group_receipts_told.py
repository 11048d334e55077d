"""Receipts in groups reach the webhooks that listen to them: each member's, and those of all."""

from collections import Counter

from tests.api.events.test_change_feed import follow, start_of
from tests.api.webhooks.deliveries.conftest import Teller
from tests.api.webhooks.deliveries.test_delivering import attach
from tests.receiver import Receiver
from tests.world import Json, World

RECEIPTS = ("message_delivery_receipt", "message_read_receipt")


async def say_to_group(town: World) -> Json:
    """Return a message of Anna to a group of Anna, Ben and Cora."""
    group = {"guid": "team", "name": "T", "type": "public", "owner": "anna"}
    await town.post("/groups", group)
    await town.post("/groups/team/members", {"participants": ["ben", "cora"]})
    target = {"receiver": "team", "receiverType": "group", "category": "message", "type": "text"}
    sent: Json = await town.post("/messages", {**target, "data": {"text": "Hello"}}, as_="anna")
    return sent


def told(receiver: Receiver) -> Counter[tuple[str, str]]:
    """Return how often each receipt was told, as (what was done, by whom)."""
    payloads = [call.content["data"] for call in receiver.received]
    return Counter((each["body"]["action"], each["body"]["user"]["uid"]) for each in payloads)


async def test_each_members_receipts(town: World, teller: Teller, receiver: Receiver) -> None:
    """A member's receipts are told once, when that member marks; the last one's with all's."""
    await attach(town, receiver.url(), *RECEIPTS)
    sent = await say_to_group(town)

    await town.post("/groups/team/conversation/read", as_="ben")
    await town.post("/groups/team/conversation/read", as_="ben")
    await teller.tell()
    assert told(receiver) == {("delivered", "ben"): 1, ("read", "ben"): 1}
    await town.post("/groups/team/conversation/read", as_="cora")
    await teller.tell()

    everybody = ("ben", "cora", "app_system")
    assert told(receiver) == dict.fromkeys(
        ((action, uid) for action in ("delivered", "read") for uid in everybody), 1
    )
    for call in receiver.received:
        data = call.content["data"]
        assert (data["receiver"], data["receiverType"]) == ("team", "group")
        assert data["sender"] == data["body"]["user"]["uid"]
        assert (data["messageSender"], data["body"]["messageId"]) == ("anna", sent["id"])


async def test_only_what_is_heard_is_written(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """A member's receipts are events only while an enabled webhook listens to their kind."""
    await say_to_group(town)

    await town.post("/groups/team/conversation/delivered", as_="ben")
    await attach(town, receiver.url(), "message_read_receipt")
    await town.post("/groups/team/conversation/read", as_="ben")
    await teller.tell()
    await town.put("/webhooks/hook", {"enabled": False})
    await town.post("/groups/team/conversation/delivered", as_="cora")

    assert told(receiver) == {("read", "ben"): 1}
    events = await follow(town, await start_of(town))
    receipts = [each["data"]["sender"] for each in events if each["event"] in RECEIPTS]
    assert receipts == ["ben", "app_system"], "that Cora has it, too, is about all"


async def test_own_messages_have_no_receipt(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """Who reads up to their own message is told about as a reader of the others' before it."""
    await attach(town, receiver.url(), *RECEIPTS)
    sent = await say_to_group(town)
    target = {"receiver": "team", "receiverType": "group", "category": "message", "type": "text"}
    await town.post("/messages", {**target, "data": {"text": "Hi"}}, as_="ben")

    await town.post("/groups/team/conversation/read", as_="ben")
    await teller.tell()

    assert told(receiver) == {("delivered", "ben"): 1, ("read", "ben"): 1}
    assert {call.content["data"]["body"]["messageId"] for call in receiver.received} == {sent["id"]}
