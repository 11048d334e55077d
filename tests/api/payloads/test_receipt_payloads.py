"""The payloads of triggers about receipts."""

from typing import Any

import pytest
from tests.api.groups.clubs import create_group
from tests.api.messages.talk import import_past, past, say, to_group, to_user
from tests.api.payloads.rendered import data_of
from tests.clock import ManualClock
from tests.world import Json, Node, World

READ, DELIVERED = "message_read_receipt", "message_delivery_receipt"
TO_ANNA = "/users/anna/conversation"
TO_HIKERS = "/groups/hikers/conversation"


@pytest.fixture
async def talk(world: World) -> World:
    """Anna and Ben may talk, also in the group of the hikers, with Carla."""
    await world.users("anna", "ben", "carla")
    await create_group(world, by="anna", members={"participants": ["ben", "carla"]})
    return world


def receipt(message: Json, action: str, by: str, at: int, **fields: Any) -> Json:
    """Return the data of a receipt of a message from Anna, in a conversation of two users."""
    name = "System" if by == "app_system" else by.capitalize()
    return {
        "receiver": "anna",
        "receiverType": "user",
        "type": "receipts",
        "sender": by,
        "messageSender": message["sender"],
        "body": {
            "action": action,
            "messageId": message["id"],
            "user": {"uid": by, "name": name, "status": "offline"},
            "timestamp": at,
        },
        **fields,
    }


async def messages_read(node: Node, world: World) -> list[str]:
    """Return the ids of the messages that read receipts are about."""
    return [each["body"]["messageId"] for each in await data_of(node, world, READ)]


async def test_receipts_of_two_users(node: Node, talk: World, clock: ManualClock) -> None:
    """A receipt is about the last of the messages that it covers, and names its sender."""
    await say(talk, "anna", to_user("ben", "One"))
    last = await say(talk, "anna", to_user("ben", "Two"))
    clock.advance(2)
    await talk.post(f"{TO_ANNA}/delivered", as_="ben")
    delivered_at = clock.now()
    clock.advance(2)
    await talk.post(f"{TO_ANNA}/read", as_="ben")

    assert await data_of(node, talk, DELIVERED) == [receipt(last, "delivered", "ben", delivered_at)]
    assert await data_of(node, talk, READ) == [receipt(last, "read", "ben", clock.now())]


async def test_receipts_of_a_group(node: Node, talk: World, clock: ManualClock) -> None:
    """In a group there is one receipt, of the system user, when all members have a message."""
    last = await say(talk, "anna", to_group("hikers"))
    clock.advance(2)
    await talk.post(f"{TO_HIKERS}/read", as_="ben")
    assert await data_of(node, talk, READ) == []
    await talk.post(f"{TO_HIKERS}/read", as_="carla")

    in_group = {"receiver": "hikers", "receiverType": "group"}
    of_all = receipt(last, "read", "app_system", clock.now(), **in_group)
    assert await data_of(node, talk, READ) == [of_all]
    expected = receipt(last, "delivered", "app_system", clock.now(), **in_group)
    assert await data_of(node, talk, DELIVERED) == [expected]


async def test_receipts_of_a_group_by_sender(node: Node, talk: World) -> None:
    """A receipt of all members but one is about the last message of that one."""
    annas = await say(talk, "anna", to_group("hikers", "From Anna"))
    await say(talk, "ben", to_group("hikers", "From Ben"))
    for uid in ("ben", "carla"):
        await talk.post(f"{TO_HIKERS}/read", as_=uid)

    [found] = await data_of(node, talk, READ)
    assert found["messageSender"] == "anna"
    assert found["body"]["messageId"] == annas["id"]


async def test_own_messages_are_passed_over(node: Node, talk: World) -> None:
    """The last message of the other user counts, if the reader has written since."""
    first = await say(talk, "anna", to_user("ben", "One"))
    await talk.post(f"{TO_ANNA}/read", as_="ben")
    second = await say(talk, "anna", to_user("ben", "Two"))
    await say(talk, "ben", to_user("anna", "Three"))
    await say(talk, "ben", to_user("anna", "Four"))
    await talk.post(f"{TO_ANNA}/read", as_="ben")
    await say(talk, "ben", to_user("anna", "Five"))
    await talk.post(f"{TO_ANNA}/read", as_="ben")

    assert await messages_read(node, talk) == [first["id"], second["id"]]


async def test_deleted_messages_are_passed_over(node: Node, talk: World) -> None:
    """A receipt is about the last message that is left; without any, there is none."""
    kept = await say(talk, "anna", to_user("ben", "One"))
    gone = await say(talk, "anna", to_user("ben", "Two"))
    await talk.post(f"{TO_ANNA}/read", as_="ben")
    assert await messages_read(node, talk) == [gone["id"]]

    await talk.delete(f"/messages/{gone['id']}", {"permanent": True}, as_="anna")
    assert await messages_read(node, talk) == [kept["id"]]
    await talk.delete(f"/messages/{kept['id']}", {"permanent": True}, as_="anna")
    assert await messages_read(node, talk) == []


async def test_several_receipts_of_a_conversation(node: Node, talk: World) -> None:
    """Each receipt is about a message of its own range, however many are rendered at once."""
    expected = []
    for _ in range(3):
        expected.append((await say(talk, "anna", to_user("ben")))["id"])
        await say(talk, "ben", to_user("anna"))
        await talk.post(f"{TO_ANNA}/read", as_="ben")

    assert await messages_read(node, talk) == expected


async def test_receipts_of_imported_messages(node: Node, talk: World, clock: ManualClock) -> None:
    """Imported messages, whose times have another order than their ids, are found too."""
    now = clock.now()
    rows = {"late": past("anna", to_user("ben"), now - 10), "own": past("ben", to_user("anna"), 5)}
    imported = await import_past(talk, **rows)
    await talk.post(f"{TO_ANNA}/read", as_="ben")

    assert await messages_read(node, talk) == [imported["late"]["data"]["id"]]


async def test_nothing_is_rendered_of_a_deleted_conversation(node: Node, talk: World) -> None:
    """Receipts of a deleted conversation, or of a deleted group, have no payload."""
    await say(talk, "anna", to_user("ben"))
    await say(talk, "anna", to_group("hikers"))
    await talk.post(f"{TO_ANNA}/read", as_="ben")
    for uid in ("ben", "carla"):
        await talk.post(f"{TO_HIKERS}/read", as_=uid)
    assert len(await data_of(node, talk, READ)) == 2
    await talk.delete("/conversations/anna_user_ben", as_="anna")
    await talk.delete("/groups/hikers")

    assert await data_of(node, talk, READ) == []
