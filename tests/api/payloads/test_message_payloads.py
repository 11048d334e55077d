"""The payloads of triggers about messages: sent, edited, deleted, with mentions."""

from dataclasses import replace
from typing import Any

import pytest
from tests.api.groups.clubs import create_group
from tests.api.interactions.forms import card, custom, form
from tests.api.messages.talk import say, to_group, to_user
from tests.api.payloads.rendered import data_of, list_rendered
from tests.clock import ManualClock
from tests.files.uploads import File, fetch, send_files
from tests.world import Json, Node, World

from hubbub.domain.erasure.erase import erase_all

SENT, MENTIONED = "message_sent", "user_mentioned"
EDITED, DELETED = "message_edited", "message_deleted"
ANNA: Json = {"uid": "anna", "name": "Anna", "role": "default", "status": "offline"}
BEN: Json = {"uid": "ben", "name": "Ben", "role": "default", "status": "offline"}
PAIR = "anna_user_ben"
SCHEDULER: Json = {
    "category": "interactive",
    "type": "scheduler",
    "data": {
        "interactiveData": {
            "title": "Meet",
            "avatarUrl": "https://example.com/a.png",
            "bufferTime": 5,
            "duration": 30,
            "icsFileUrl": "https://example.com/a.ics",
            "timezoneCode": "Europe/Berlin",
            "availability": {"monday": [{"from": "0900", "to": "1700"}]},
            "dateRangeStart": "2026-01-01",
            "dateRangeEnd": "2026-12-31",
            "scheduleElement": {
                "elementType": "button",
                "elementId": "book",
                "buttonText": "Book",
                "action": {"actionType": "customAction"},
            },
            "goalCompletionText": "Done",
        }
    },
}
KINDS: dict[str, Json] = {
    "text": {"data": {"text": "Hello"}},
    "image": {"type": "image", "data": {"attachments": [{"url": "https://example.com/a.png"}]}},
    "custom": {"category": "custom", "type": "place", "data": {"customData": {"at": [1, 2]}}},
    "form": form(),
    "card": card("yes"),
    "scheduler": SCHEDULER,
    "customInteractive": custom(),
    "with all fields": {
        "data": {"text": "Hi <@uid:ben> and <@all>", "metadata": {"a": "b"}},
        "muid": "m-1",
        "tags": ["work", "fun"],
        "sendNotification": False,
        "updateConversation": False,
        "conversationText": "A text",
    },
}
"""A message of each kind, without its receiver."""


@pytest.fixture
async def talk(world: World) -> World:
    """Anna and Ben may talk, also in the group of the hikers; Carla is not in it."""
    await world.users("anna", "ben", "carla")
    await create_group(world, by="anna", members={"participants": ["ben"]})
    return world


def user(entity: Json) -> Json:
    """Return a user as messages show them."""
    return {"entity": entity, "entityType": "user"}


async def test_all_of_a_text_message(node: Node, talk: World, clock: ManualClock) -> None:
    """A text message has exactly the promised fields."""
    sent = await say(talk, "anna", to_user("ben", "Hello Ben"))

    assert await data_of(node, talk, SENT) == [
        {
            "message": {
                "id": sent["id"],
                "conversationId": PAIR,
                "sender": "anna",
                "receiverType": "user",
                "receiver": "ben",
                "category": "message",
                "type": "text",
                "data": {
                    "text": "Hello Ben",
                    "entities": {
                        "sender": user(ANNA),
                        "receiver": user({**BEN, "conversationId": PAIR}),
                    },
                },
                "sentAt": clock.now(),
                "updatedAt": clock.now(),
            }
        }
    ]


@pytest.mark.parametrize("to", [to_user("ben"), to_group("hikers")], ids=["1:1", "group"])
@pytest.mark.parametrize("kind", KINDS)
async def test_every_kind_of_message(node: Node, talk: World, kind: str, to: Json) -> None:
    """The payload has the message as the app gets it by its id, of any kind."""
    sent = await say(talk, "anna", {**to, **KINDS[kind]})

    expected = await talk.get(f"/messages/{sent['id']}")
    assert await data_of(node, talk, SENT) == [{"message": expected}]
    assert expected["data"]["entities"].keys() == {"sender", "receiver"}


async def test_replies_quotes_bots_and_the_app(node: Node, talk: World) -> None:
    """Replies, quotes, and messages of the app and of bots have the same payload."""
    first = (await say(talk, "anna", to_user("ben")))["id"]
    await talk.post(f"/messages/{first}/thread", {"data": {"text": "A reply"}}, as_="ben")
    await say(talk, "ben", to_user("anna", "A quote", quotedMessageId=first))
    await talk.post("/messages", to_group("hikers", "From the app"))
    await talk.post("/bots", {"uid": "bot", "name": "Bot"})
    await talk.post("/bots/bot/messages", to_user("ben", "From the bot"))

    found = [data["message"] for data in await data_of(node, talk, SENT)]
    assert found == [await talk.get(f"/messages/{each['id']}") for each in found]
    assert [each["sender"] for each in found] == ["anna", "ben", "ben", "app_system", "bot"]
    assert (found[1]["parentId"], found[2]["quotedMessage"]["id"]) == (first, first)


async def test_who_is_data_of_is_shown_as_they_are_now(
    node: Node, talk: World, clock: ManualClock
) -> None:
    """A message is shown as it is when it is rendered, with receipts, reactions and pins."""
    message = (await say(talk, "anna", to_user("ben")))["id"]
    clock.advance(5)
    await talk.put("/users/anna", {"name": "Anne", "avatar": "https://example.com/anne.png"})
    await talk.post("/users/anna/conversation/read", as_="ben")
    await talk.post(f"/messages/{message}/reactions/👍", as_="ben")
    await talk.post(f"/messages/{message}/pin", as_="ben")

    [found] = await data_of(node, talk, SENT)
    assert found["message"] == await talk.get(f"/messages/{message}")
    assert found["message"]["readAt"] == clock.now()
    assert found["message"]["data"]["reactions"] == [{"reaction": "👍", "count": 1}]


async def test_nothing_depends_on_a_viewer(node: Node, talk: World) -> None:
    """Payloads leave out what only one user sees: blocks, interactions, saved messages."""
    sent = await say(talk, "anna", {**to_user("ben", "Hi <@uid:ben>"), "tags": ["a"]})
    yes = await say(talk, "anna", {**to_user("ben"), **card("yes")})
    await talk.patch(f"/messages/{yes['id']}/interacted", {"interactions": ["yes"]}, as_="ben")
    await talk.post(f"/messages/{sent['id']}/save", as_="ben")
    await talk.post("/users/anna/blockedusers", {"blockedUids": ["ben"]}, as_="anna")

    first, second = await data_of(node, talk, SENT)
    assert "savedAt" not in first["message"]
    assert first["message"]["data"]["mentions"] == {"ben": BEN}
    assert "interactions" not in second["message"]["data"]


async def test_mentions(node: Node, talk: World) -> None:
    """A message that mentions someone has a payload for each of two triggers, others for one."""
    plain = await say(talk, "anna", to_user("ben", "Hello"))
    one = await say(talk, "anna", to_user("ben", "<@uid:ben>!"))
    many = await say(talk, "anna", to_group("hikers", "<@all>, <@uid:ben>"))
    none = await say(talk, "anna", to_group("hikers", "<@uid:carla>"))

    found = [(each, data["message"]) for each, data in (await list_rendered(node, talk))[-6:]]
    assert [(trigger, each["id"]) for trigger, each in found] == [
        (SENT, plain["id"]),
        (SENT, one["id"]),
        (MENTIONED, one["id"]),
        (SENT, many["id"]),
        (MENTIONED, many["id"]),
        (SENT, none["id"]),
    ]
    assert found[1][1] == found[2][1]
    assert found[2][1]["data"]["mentions"] == {"ben": BEN}
    assert found[4][1]["data"]["mentions"] == {"ben": BEN, "all": {"type": "all"}}


@pytest.mark.parametrize("to", [to_user("ben"), to_group("hikers")], ids=["1:1", "group"])
async def test_an_edit(node: Node, talk: World, clock: ManualClock, to: Json) -> None:
    """The payload of an edit is its action message, about the message as it is now."""
    sent = await say(talk, "anna", {**to, "data": {"text": "Old"}, "tags": ["work"]})
    clock.advance(5)
    action = await talk.put(f"/messages/{sent['id']}", {"data": {"text": "New"}}, as_="anna")

    [found] = await data_of(node, talk, EDITED)
    assert found == {"message": await talk.get(f"/messages/{action['id']}")}
    shown = found["message"]
    assert (shown["category"], shown["type"]) == ("action", "message")
    assert shown["data"].keys() == {"action", "entities"}
    assert shown["data"]["action"] == "edited"
    entities = shown["data"]["entities"]
    assert entities.keys() == {"by", "on", "for"}
    assert entities["by"] == user(ANNA)
    assert entities["on"]["entityType"] == "message"
    on = entities["on"]["entity"]
    assert on == await talk.get(f"/messages/{sent['id']}")
    assert (on["data"]["text"], on["editedAt"], on["editedBy"]) == ("New", clock.now(), "anna")


@pytest.mark.parametrize("to", [to_user("ben"), to_group("hikers")], ids=["1:1", "group"])
@pytest.mark.parametrize("is_permanent", [False, True])
async def test_a_deletion(
    node: Node, talk: World, clock: ManualClock, to: Json, is_permanent: bool
) -> None:
    """The payload of a deletion is its action message, without content, soft or permanent."""
    sent = await say(talk, "anna", {**to, "data": {"text": "Secret"}, "tags": ["private"]})
    clock.advance(5)
    path, body = f"/messages/{sent['id']}", {"permanent": is_permanent}
    action = await talk.delete(path, body, as_="anna")

    [found] = await data_of(node, talk, DELETED)
    shown = found["message"]
    on = shown["data"]["entities"].pop("on")
    assert on == {
        "entity": {
            "id": sent["id"],
            "conversationId": sent["conversationId"],
            "deletedAt": clock.now(),
            "deletedBy": "anna",
        },
        "entityType": "message",
    }
    expected = await talk.get(f"/messages/{action['id']}")
    del expected["data"]["entities"]["on"]
    assert found == {"message": expected, "permanent": is_permanent}
    assert shown["data"]["entities"].keys() == {"by", "for"}


async def test_deleted_content_is_in_no_payload(node: Node, talk: World) -> None:
    """Content that is deleted before it is rendered is left out of messages, quotes and edits."""
    secret = (await say(talk, "anna", to_user("ben", "Secret", tags=["Secret"])))["id"]
    await say(talk, "ben", to_user("anna", "Why?", quotedMessageId=secret))
    await talk.put(f"/messages/{secret}", {"data": {"text": "Secret!"}}, as_="anna")
    await talk.delete(f"/messages/{secret}", as_="anna")
    lost = (await say(talk, "anna", to_user("ben", "Secret 2")))["id"]
    await talk.put(f"/messages/{lost}", {"data": {"text": "Secret 3"}}, as_="anna")
    await talk.delete(f"/messages/{lost}", {"permanent": True}, as_="anna")

    found = await list_rendered(node, talk)
    assert "Secret" not in str(found)
    about_messages = [(trigger, data) for trigger, data in found if "message_" in trigger]
    assert [trigger for trigger, _ in about_messages] == [SENT, SENT, EDITED, DELETED, DELETED]
    assert about_messages[0][1]["message"]["deletedBy"] == "anna"


async def test_nothing_is_data_of_conversations_that_are_gone(node: Node, talk: World) -> None:
    """A deleted group, a cleared conversation and erased users leave no payloads of messages."""
    await say(talk, "anna", to_group("hikers", "In the group"))
    await say(talk, "anna", to_user("ben", "To Ben"))
    edited = await say(talk, "carla", to_user("ben", "To Ben"))
    await talk.put(f"/messages/{edited['id']}", {"data": {"text": "New"}}, as_="carla")
    await talk.delete("/groups/hikers")
    await talk.delete(f"/conversations/{PAIR}", as_="anna")
    await talk.delete("/users/carla", {"permanent": True})

    assert [trigger for trigger, _ in await list_rendered(node, talk) if "message" in trigger] == []
    await erase_all(node.runtime)
    assert [trigger for trigger, _ in await list_rendered(node, talk) if "message" in trigger] == []


async def test_messages_removed_in_bulk_have_no_payloads(node: Node, talk: World) -> None:
    """Deleting all one's messages of a conversation causes no `message_deleted`."""
    await say(talk, "anna", to_user("ben", "One"))
    await say(talk, "anna", to_user("ben", "Two"))
    kept = await say(talk, "ben", to_user("anna", "Three"))
    token = await talk.token("anna")
    body = {"deleteMessagesPermanently": True}
    await talk.delete("/users/ben/conversation", body, token=token)
    await erase_all(node.runtime)

    found = [
        (trigger, data) for trigger, data in await list_rendered(node, talk) if "mess" in trigger
    ]
    assert [(trigger, data["message"]["id"]) for trigger, data in found] == [(SENT, kept["id"])]


@pytest.mark.parametrize("public_url", ["", "https://chat.example.com/"])
async def test_links_to_files(node: Node, talk: World, public_url: str) -> None:
    """A file's link works; it begins with the public address of the server, if that is set."""
    await send_files(talk, File("plan.pdf", b"%PDF-1.7\n"))
    settings = replace(node.runtime.settings, public_url=public_url)
    there = replace(node, runtime=replace(node.runtime, settings=settings))

    [found] = await data_of(there, talk, SENT)
    url: Any = found["message"]["data"]["attachments"][0]["url"]
    assert url.startswith(f"{public_url.rstrip('/')}/files/{talk.app_id}/")
    assert (await fetch(node.sender, url)).body == b"%PDF-1.7\n"
