"""A delivery of content that was erased since is dropped, with the reason `erased`."""

import asyncio

import pytest
from tests.api.people.erasing import rows_of
from tests.api.webhooks.deliveries.conftest import Teller
from tests.api.webhooks.deliveries.test_delivering import attach
from tests.receiver import Receiver
from tests.world import Json, Node, World

from hubbub.domain.deliveries.plan import plan_consumer
from hubbub.domain.erasure.erase import erase_all
from hubbub.rest.payloads.render import render_payloads

GONE = {"permanent": True}


async def say(world: World, text: str, sender: str = "anna", **fields: object) -> Json:
    """Send a message to Ben."""
    body = {"receiver": "ben", "receiverType": "user", "type": "text", "category": "message"}
    message: Json = await world.post(
        "/messages", {**body, "data": {"text": text}, **fields}, as_=sender
    )
    return message


async def reasons(world: World) -> list[tuple[str, str, str | None]]:
    """Return trigger, state and reason of each delivery, oldest first."""
    found = await world.get("/webhooks/hook/deliveries?perPage=100")
    return [(each["trigger"], each["state"], each.get("reason")) for each in reversed(found)]


async def erase(node: Node, world: World, uid: str) -> None:
    """Erase a user with all that is theirs."""
    await world.delete(f"/users/{uid}", GONE)
    await erase_all(node.runtime)


@pytest.fixture
async def failing(town: World, receiver: Receiver) -> Receiver:
    """A receiver that is down, and retried."""
    receiver.reply = lambda _: 500
    triggers = ("message_sent", "user_mentioned", "message_edited")
    await attach(town, receiver.url(), *triggers, retryOnFailure=True)
    return receiver


async def test_a_message_is_deleted_permanently(
    town: World, teller: Teller, failing: Receiver
) -> None:
    """Deliveries that tell of it, in any way, are dropped; the conversation goes on."""
    gone = await say(town, "Secret <@uid:ben>")
    await town.put(
        f"/messages/{gone['id']}", {"data": {"text": "More secret <@uid:ben>"}}, as_="anna"
    )
    await say(town, "Quoting", quotedMessageId=gone["id"])
    await say(town, "Kept")
    await teller.tell()
    assert [call.text for call in failing.received] == ["More secret <@uid:ben>"]

    await town.delete(f"/messages/{gone['id']}", GONE, as_="anna")
    failing.reply = lambda _: 200
    await teller.tell(after=3600)

    assert [call.text for call in failing.received[1:]] == ["Kept"]
    assert sorted(await reasons(town), key=str) == sorted(
        [
            ("message_sent", "failed", "erased"),
            ("user_mentioned", "failed", "erased"),
            ("message_edited", "failed", "erased"),
            ("message_sent", "failed", "erased"),
            ("message_sent", "delivered", None),
        ],
        key=str,
    )


async def test_a_message_is_deleted_softly(town: World, teller: Teller, failing: Receiver) -> None:
    """The app still sees its content, and so do webhooks."""
    kept = await say(town, "Hello")
    await teller.tell()
    await town.delete(f"/messages/{kept['id']}", as_="anna")
    failing.reply = lambda _: 200
    await teller.tell(after=3600)

    assert failing.received[-1].text == "Hello"


async def test_a_dropped_delivery_is_not_replayed(
    town: World, teller: Teller, failing: Receiver
) -> None:
    """Nobody can have erased content sent again, also if it was delivered before."""
    failing.reply = lambda _: 200
    gone = await say(town, "Secret")
    await teller.tell()
    await town.delete(f"/messages/{gone['id']}", GONE, as_="anna")

    [delivery] = await town.get("/webhooks/hook/deliveries")
    path = f"/webhooks/hook/deliveries/{delivery['id']}"
    assert (delivery["state"], "reason" in delivery) == ("delivered", False)
    await town.refused("POST", f"{path}/replay", {}, status=404, code="ERR_DELIVERY_NOT_FOUND")
    assert (await town.get(path))["attempts"]


async def test_it_is_erased_while_it_is_called(
    town: World, teller: Teller, failing: Receiver
) -> None:
    """A call that fails while the message is erased is not made again, and holds nothing up."""
    gone = await say(town, "Secret")
    await say(town, "Kept")
    await teller.plan()
    failing.gate = asyncio.Event()
    delivering = asyncio.create_task(teller.deliver())
    await failing.called.wait()
    await town.delete(f"/messages/{gone['id']}", GONE, as_="anna")
    failing.gate.set()
    await delivering
    failing.reply = lambda _: 200
    await teller.tell(after=3600)

    assert [call.text for call in failing.received] == ["Secret", "Kept"]
    assert (await reasons(town))[0] == ("message_sent", "failed", "erased")


async def test_a_user_is_erased(
    own_node: Node, town: World, teller: Teller, receiver: Receiver
) -> None:
    """Nothing is sent of their messages, of those of others to them, and of what is about them."""
    receiver.reply = lambda _: 500
    group = {"guid": "hikers", "name": "H", "type": "public", "owner": "ben"}
    await town.post("/groups", group)
    triggers = ("message_sent", "group_member_joined", "user_blocked")
    await attach(town, receiver.url(), *triggers, retryOnFailure=True)
    to_group = {"receiver": "hikers", "receiverType": "group"}
    await town.post("/groups/hikers/members", {"participants": ["cora"]})
    await say(town, "To Ben")
    await say(town, "From Ben", "ben", receiver="anna")
    await say(town, "To all", "ben", **to_group)
    await say(town, "Kept", "cora", **to_group)
    await town.post("/users/anna/blockedusers", {"blockedUids": ["cora"]})
    await teller.plan()

    await town.post("/groups/hikers/members", {"participants": ["anna"]})
    await erase(own_node, town, "anna")
    receiver.reply = lambda _: 200
    await teller.tell()

    assert sorted(call.text for call in receiver.received) == ["Kept", "To all"]
    rows = await rows_of(own_node, town, ["webhook_bodies"])
    assert not any("To Ben" in str(row) or '"anna"' in str(row) for row in rows["webhook_bodies"])


async def test_a_user_is_erased_whom_others_show(
    own_node: Node, town: World, teller: Teller, receiver: Receiver
) -> None:
    """Deliveries that show a user's profile are dropped, whoever caused them."""
    receiver.reply = lambda _: 500
    triggers = ("message_sent", "user_mentioned", "group_member_added", "group_created")
    await attach(town, receiver.url(), *triggers, retryOnFailure=True)
    await town.post("/groups", {"guid": "hikers", "name": "H", "type": "public"}, as_="anna")
    await town.post("/groups/hikers/members", {"participants": ["ben"]}, as_="anna")
    to_group = {"receiver": "hikers", "receiverType": "group"}
    await say(town, "Hello <@uid:anna>", "ben", **to_group)
    await say(town, "Kept", "ben", **to_group)
    await teller.plan()

    await erase(own_node, town, "anna")
    receiver.reply, before = (lambda _: 200), len(receiver.received)
    await teller.tell(after=3600)

    assert [call.text for call in receiver.received[before:]] == ["Kept"]
    assert "Anna" not in str(await rows_of(own_node, town, ["webhook_bodies"]))
    told = [each for each in await reasons(town) if each[2] == "erased"]
    assert [trigger for trigger, _, _ in told] == [
        "group_created",
        "group_member_added",
        "message_sent",
        "user_mentioned",
    ]


async def test_a_group_is_erased(
    own_node: Node, town: World, teller: Teller, receiver: Receiver
) -> None:
    """Deliveries that show it are dropped; its deletion is told."""
    receiver.reply = lambda _: 500
    triggers = ("group_created", "group_member_joined", "group_deleted")
    await attach(town, receiver.url(), *triggers, retryOnFailure=True)
    group = {"guid": "hikers", "name": "Old name", "type": "public"}
    await town.post("/groups", group, as_="anna")
    await town.post("/groups/hikers/members", {"participants": ["ben"]})
    await town.put("/groups/hikers", {"name": "Last name"})
    await teller.plan()

    await town.delete("/groups/hikers", as_="anna")
    await erase_all(own_node.runtime)
    await town.post("/groups", {**group, "name": "Next group"}, as_="anna")
    receiver.reply = lambda _: 200
    await teller.tell(after=3600)

    bodies = str(await rows_of(own_node, town, ["webhook_bodies"]))
    names = ("Old name", "Last name", "Next group")
    assert [name in bodies for name in names] == [False, True, True]
    assert [each for each in await reasons(town) if each[2] != "erased"] == [
        ("group_deleted", "delivered", None),
        ("group_created", "delivered", None),
    ]


async def test_a_user_is_erased_while_it_is_planned(
    own_node: Node, town: World, teller: Teller, receiver: Receiver
) -> None:
    """Who is erased between the reading and the storing is not shown; all is delivered."""
    await attach(town, receiver.url(), "message_sent", "user_blocked")
    await town.post("/groups", {"guid": "hikers", "name": "H", "type": "public"}, as_="ben")
    await town.post("/groups/hikers/members", {"participants": ["anna"]})
    to_group = {"receiver": "hikers", "receiverType": "group"}
    await say(town, "Hello <@uid:anna>", "ben", **to_group)
    await town.post("/users/ben/blockedusers", {"blockedUids": ["anna"]})

    async def render(*args: object) -> object:
        rendered = await render_payloads(*args)  # type: ignore[arg-type]  # as they are
        await erase(own_node, town, "anna")
        return rendered

    consumer = plan_consumer(own_node.runtime, render)  # type: ignore[arg-type]  # the same
    await consumer.consume_all()
    assert (await rows_of(own_node, town, ["webhook_bodies"]))["webhook_bodies"] == []
    await teller.tell()

    told = {call.content["trigger"] for call in receiver.received}
    assert told == {"message_sent", "user_blocked"}
    assert "Anna" not in str(await rows_of(own_node, town, ["webhook_bodies"]))


async def test_reactions_of_who_is_erased_while_it_is_planned(
    own_node: Node, town: World, teller: Teller, receiver: Receiver
) -> None:
    """Reactions are left out that were read before their user was erased; all is delivered."""
    await attach(town, receiver.url())
    kept = await say(town, "Kept", sender="cora")
    await town.post(f"/messages/{kept['id']}/reactions/secret", as_="ben")

    async def render(*args: object) -> object:
        rendered = await render_payloads(*args)  # type: ignore[arg-type]  # as they are
        await erase(own_node, town, "anna")  # whose reaction it might be
        return rendered

    consumer = plan_consumer(own_node.runtime, render)  # type: ignore[arg-type]  # the same
    await consumer.consume_all()
    assert (await rows_of(own_node, town, ["webhook_bodies"]))["webhook_bodies"] == []
    await teller.tell()

    assert receiver.texts == ["Kept"]


async def test_a_group_is_erased_while_it_is_planned(
    own_node: Node, town: World, teller: Teller, receiver: Receiver
) -> None:
    """A group that is deleted between the reading and the storing is shown by its deletion."""
    await attach(town, receiver.url(), "group_created", "group_deleted")
    group = {"guid": "hikers", "name": "H", "type": "public", "description": "Secret"}
    await town.post("/groups", group, as_="ben")
    await town.put("/groups/hikers", {"description": "Last"})
    await town.post("/groups", {**group, "guid": "divers", "description": "Kept"}, as_="ben")

    async def render(*args: object) -> object:
        rendered = await render_payloads(*args)  # type: ignore[arg-type]  # as they are
        await town.delete("/groups/hikers")
        await erase_all(own_node.runtime)
        return rendered

    consumer = plan_consumer(own_node.runtime, render)  # type: ignore[arg-type]  # the same
    await consumer.consume_all()
    await teller.tell()

    told = [(call.content["trigger"], call.content["data"]["group"]) for call in receiver.received]
    assert {(trigger, group["guid"]) for trigger, group in told} == {
        ("group_created", "divers"),
        ("group_deleted", "hikers"),
    }


async def test_it_is_erased_while_it_is_planned(
    own_node: Node, town: World, teller: Teller, receiver: Receiver
) -> None:
    """Content that is erased between reading it and storing its delivery is not delivered."""
    await attach(town, receiver.url())
    gone = await say(town, "Secret")
    await say(town, "Kept")

    async def render(*args: object) -> object:
        rendered = await render_payloads(*args)  # type: ignore[arg-type]  # as they are
        await town.delete(f"/messages/{gone['id']}", GONE, as_="anna")
        return rendered

    consumer = plan_consumer(own_node.runtime, render)  # type: ignore[arg-type]  # the same
    await consumer.consume_all()
    await teller.deliver()

    assert receiver.texts == ["Kept"]


async def test_reactions_of_an_erased_user_are_not_told(
    own_node: Node, town: World, teller: Teller, failing: Receiver
) -> None:
    """Deliveries of others' messages that wait are made, without reactions that may be theirs."""
    await town.post("/groups", {"guid": "team", "name": "T", "type": "public", "owner": "cora"})
    await town.post("/groups/team/members", {"participants": ["anna"]})
    team = {"receiver": "team", "receiverType": "group"}
    kept = await say(town, "Kept", sender="cora", **team)
    await say(town, "Quoting", sender="cora", quotedMessageId=kept["id"], **team)
    await town.post(f"/messages/{kept['id']}/reactions/secret", as_="anna")
    data = {"data": {"text": "Edited", "metadata": {"reactions": [{"my": 1.5}]}}}
    await town.put(f"/messages/{kept['id']}", data, as_="cora")
    await teller.tell()
    assert "secret" in str(await rows_of(own_node, town, ["webhook_bodies"]))

    await erase(own_node, town, "anna")
    failing.received.clear()
    failing.reply = lambda _: 200
    await teller.tell(after=3600)

    assert "secret" not in str(await rows_of(own_node, town, ["webhook_bodies"]))
    told = [call.content for call in failing.received]
    assert [each["trigger"] for each in told] == ["message_sent", "message_sent", "message_edited"]
    edited = told[2]["data"]["message"]["data"]["entities"]["on"]["entity"]
    assert edited["data"]["metadata"] == {"reactions": [{"my": 1.5}]}
    assert "reactions" not in edited["data"]
