"""Sending messages: what is stored, and how messages are shown."""

import asyncio
import json
from typing import Any

import pytest
from tests.api.messages.talk import group, import_rows, past, say, stored, texts, to_group, to_user
from tests.clock import ManualClock
from tests.world import Json, Node, World

from hubbub.domain.access.actor import Actor
from hubbub.domain.erasure.erase import erase_all
from hubbub.domain.messages.compose import MessageInput, compose
from hubbub.domain.messages.send import send_messages
from hubbub.kernel.errors import Refusal
from hubbub.records.messages.model import MessageView
from hubbub.storage.interface import Transaction

NOT_FOUND = "ERR_MESSAGE_ID_NOT_FOUND"
USER = {"role": "default", "status": "offline"}


async def test_a_message_to_a_user(world: World, clock: ManualClock) -> None:
    """A text comes back with its id, conversation, time, sender and receiver."""
    await world.users("anna", "ben")

    said = await world.post("/messages", to_user("ben", "Hi Ben"), as_="anna")

    sender = {"uid": "anna", "name": "Anna", **USER}
    receiver = {"uid": "ben", "name": "Ben", **USER, "conversationId": "anna_user_ben"}
    assert said == {
        "id": "1",
        "conversationId": "anna_user_ben",
        "sender": "anna",
        "receiverType": "user",
        "receiver": "ben",
        "category": "message",
        "type": "text",
        "data": {
            "text": "Hi Ben",
            "entities": {
                "sender": {"entity": sender, "entityType": "user"},
                "receiver": {"entity": receiver, "entityType": "user"},
            },
        },
        "sentAt": clock.now(),
        "updatedAt": clock.now(),
    }


async def test_a_message_to_a_group(world: World) -> None:
    """A message to a group has the group's current profile."""
    await world.users("anna")
    await group(world, "hikers", "anna", name="The Hikers", icon="https://example.com/h.png")

    said = await say(world, "anna", to_group("hikers", "Hi all"))

    assert said["conversationId"] == "group_hikers"
    assert (said["receiver"], said["receiverType"]) == ("hikers", "group")
    assert said["data"]["entities"]["receiver"] == {
        "entityType": "group",
        "entity": {
            "guid": "hikers",
            "name": "The Hikers",
            "icon": "https://example.com/h.png",
            "type": "public",
            "owner": "app_system",
            "createdAt": 1,
            "membersCount": 1,
            "conversationId": "group_hikers",
        },
    }


async def test_the_app_speaks(world: World) -> None:
    """Without an acting user the sender is the app itself, which may write anywhere."""
    await world.users("anna")
    await group(world, "hikers", type="private")

    to_anna = await world.post("/messages", to_user("anna"))
    to_hikers = await world.post("/messages", to_group("hikers"))

    assert (to_anna["sender"], to_hikers["sender"]) == ("app_system", "app_system")
    assert to_anna["conversationId"] == "anna_user_app_system"
    assert to_anna["data"]["entities"]["sender"]["entity"]["name"] == "System"
    assert await texts(world, "/messages", as_="anna") == ["Hello"]


async def test_a_user_sends_with_a_token(world: World) -> None:
    """With an auth token the sender is its user."""
    await world.users("anna", "ben")
    token = await world.token("anna")

    assert (await world.post("/messages", to_user("ben"), token=token))["sender"] == "anna"


async def test_a_user_writes_a_note(world: World) -> None:
    """Notes to oneself are a conversation, too."""
    await world.users("anna")

    assert (await say(world, "anna", to_user("anna")))["conversationId"] == "anna_user_anna"
    assert await texts(world, "/users/anna/messages", as_="anna") == ["Hello"]


async def test_ids_are_lowered(world: World) -> None:
    """Upper case in the receiver and the acting user is lowered."""
    await world.users("anna", "ben")

    said = await say(world, "ANNA", to_user("Ben"))
    assert (said["sender"], said["receiver"]) == ("anna", "ben")


ATTACHMENT = {
    "url": "https://files.example.com/peak.jpg",
    "name": "peak.jpg",
    "mimeType": "image/jpeg",
    "extension": "jpg",
    "size": "104857600",
}
FORM = {"formFields": [{"elementType": "label", "elementId": "a", "text": "Where to?"}]}
KINDS: list[Json] = [
    {"category": "message", "data": {"text": "Hi"}},
    {"type": "text", "data": {"text": "Hi", "metadata": {}, "attachments": []}},
    *({"type": name, "data": {"attachments": [ATTACHMENT]}} for name in ("image", "file")),
    *({"type": name, "data": {"attachments": [ATTACHMENT] * 2}} for name in ("audio", "video")),
    {"type": "image", "data": {"text": "The peak", "attachments": [{"url": "HTTP://x.example"}]}},
    {"category": "custom", "type": "poll", "data": {"customData": {"question": "When?"}}},
    {"category": "custom", "type": "Ort 📍", "data": {"custom_data": {"at": [47.4, 8.5]}}},
    {"category": "custom", "type": "t" * 100, "data": {"customData": {}}},
    {"category": "custom", "type": "x", "data": {"customData": {"a": 1}, "custom_data": {"b": 2}}},
    {"category": "interactive", "type": "form", "data": {"interactiveData": FORM}},
    {"category": "interactive", "type": "form", "data": FORM},
    {"category": "interactive", "type": "card", "data": {"interactiveData": {"text": "Hi"}}},
    {"category": "interactive", "type": "customInteractive", "data": {"interactiveData": {"a": 1}}},
]


@pytest.mark.parametrize("kind", KINDS, ids=json.dumps)
async def test_kinds_of_messages(world: World, kind: Json) -> None:
    """Every kind of message comes back with its content, under the same names."""
    await world.users("anna", "ben")

    said = await say(world, "anna", {"receiver": "ben", "receiverType": "user", **kind})

    assert (said["category"], said["type"]) == (
        kind.get("category", "message"),
        kind.get("type", "text"),
    )
    del said["data"]["entities"]
    assert said["data"] == kind["data"]


async def test_data_is_kept_as_it_is_sent(world: World) -> None:
    """The sender's own properties keep their order and values of any kind."""
    await world.users("anna", "ben")
    data = r"""
        {"zeta": 1, "text": "a\u0000b 🏔", "alpha": {"z": [], "a": {}, "": null}, "🏔": true,
         "big": 18446744073709551616, "least": -9223372036854775809, "half": 0.5, "one": 1.0,
         "tiny": 5e-324, "huge": 1.7976931348623157e308, "below": -0.0, "\u0000": "\u0000",
         "quote": "\"\\/\n\u2028", "metadata": {"b": 1, "a": 2}}"""

    said = await world.ask(
        "POST",
        "/messages",
        b'{"receiver":"ben","receiverType":"user","data":' + data.encode() + b"}",
        as_="anna",
    )
    read = await world.ask("GET", "/messages/1", as_="ben")

    kept = said.json["data"]["data"]
    del kept["entities"]
    assert json.dumps(kept) == json.dumps(json.loads(data))
    assert read.json["data"]["data"].pop("entities")
    assert json.dumps(read.json["data"]["data"]) == json.dumps(kept)


async def test_the_last_of_repeated_keys_counts(world: World) -> None:
    """Of a repeated key the last value counts."""
    await world.users("anna", "ben")
    body = b'{"receiver":"x","receiver":"ben","receiverType":"user","data":{"text":"a","text":"b"}}'

    assert (await world.post("/messages", body, as_="anna"))["data"]["text"] == "b"


@pytest.mark.parametrize("name", ["mentions", "reactions", "moderation", "interactions"])
async def test_keys_of_the_server_are_removed(world: World, name: str) -> None:
    """Keys of `data` that only the server may write are removed."""
    await world.users("anna", "ben")
    lie = {"text": "Hi", "entities": {"sender": {"entity": {"uid": "ben"}}}, name: [{"a": 1}]}

    said = await say(world, "anna", {**to_user("ben"), "data": lie})

    assert set(said["data"]) == {"text", "entities"}
    assert said["data"]["entities"]["sender"]["entity"]["uid"] == "anna"


async def test_those_names_are_free_further_inside(world: World) -> None:
    """Inside the sender's own objects the server's names have no meaning."""
    await world.users("anna", "ben")
    data = {"text": "Hi", "metadata": {"entities": 1, "reactions": {"entities": 2}}}

    assert (await say(world, "anna", {**to_user("ben"), "data": data}))["data"]["metadata"] == data[
        "metadata"
    ]


OPTIONS = [
    {},
    {"updateConversation": True, "sendNotification": True, "conversationText": "A poll"},
    {"updateConversation": False, "sendNotification": False, "conversationText": ""},
    {"sendNotification": False},
    {"conversationText": "🏔" * 255},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
async def test_options(world: World, options: Json) -> None:
    """The three options are stored and returned if they were given, and only then."""
    await world.users("anna", "ben")

    said = await say(world, "anna", to_user("ben", **options))
    read = await world.get("/messages/1", as_="ben")

    for shown in (said, read, (await world.get("/messages"))[0]):
        names = ("updateConversation", "sendNotification", "conversationText")
        assert {name: shown[name] for name in names if name in shown} == options


async def test_tags(world: World) -> None:
    """Tags keep their order, each once; lists show them on request."""
    await world.users("anna", "ben")

    said = await say(world, "anna", to_user("ben", tags=["b", "ä", "b", "a,b", " ", "ä"]))

    assert said["tags"] == ["b", "ä", "a,b", " "]
    assert (await world.get("/messages/1"))["tags"] == said["tags"]
    assert (await world.get("/messages?withTags=true"))[0]["tags"] == said["tags"]
    assert "tags" not in (await world.get("/messages"))[0]


async def test_time_does_not_go_back(world: World, clock: ManualClock) -> None:
    """Messages have the time of their sending, in seconds."""
    await world.users("anna", "ben")
    first = await say(world, "anna", to_user("ben"))
    clock.advance(90)

    second = await say(world, "ben", to_user("anna"))

    assert second["sentAt"] - first["sentAt"] == 90


async def test_entities_are_as_they_are_now(world: World) -> None:
    """Sender and receiver are shown as they are now, not as they were then."""
    await world.users("anna", "ben")
    await say(world, "anna", to_user("ben"))
    await world.put("/users/anna", {"name": "Anna Osei"})

    entities = (await world.get("/messages/1"))["data"]["entities"]
    assert entities["sender"]["entity"]["name"] == "Anna Osei"


# The client's own id


async def test_a_repeated_muid(world: World) -> None:
    """A repeated muid returns the first message, says so, and stores nothing."""
    await world.users("anna", "ben")
    body = to_user("ben", muid="m-1", tags=["a"])
    first = await say(world, "anna", body)
    assert "idempotent-replayed" not in world.answer.headers

    again = await say(world, "anna", body)

    assert again == first
    assert first["muid"] == "m-1"
    assert world.answer.headers["idempotent-replayed"] == "true"
    assert len(await world.get("/messages")) == 1


async def test_a_muid_decides_alone(world: World) -> None:
    """Whatever else a repeated muid comes with, the first message is the answer."""
    await world.users("anna", "ben", "clara")
    await group(world, "hikers", "anna")
    first = await say(world, "anna", to_user("ben", "first", muid="m"))

    for other in (to_user("clara", muid="m"), to_group("hikers", muid="m")):
        assert await say(world, "anna", other) == first
    assert await texts(world, "/messages") == ["first"]


async def test_a_muid_first_used_in_a_group(world: World) -> None:
    """A muid that was used in a group is answered with the group's message."""
    await world.users("anna", "ben")
    await group(world, "hikers", "anna")
    first = await say(world, "anna", to_group("hikers", muid="m"))

    assert await say(world, "anna", to_user("ben", muid="m")) == first


async def test_a_muid_to_a_deleted_receiver(world: World) -> None:
    """The first receiver may be deleted when the muid is repeated."""
    await world.users("anna", "ben", "clara")
    first = await say(world, "anna", to_user("ben", muid="m"))
    await world.delete("/users/ben")

    assert await say(world, "anna", to_user("clara", muid="m")) == first


async def test_a_uid_that_has_a_new_holder(node: Node, world: World) -> None:
    """A muid of a permanently deleted user is free for the next holder of the uid."""
    await world.users("anna", "ben")
    await say(world, "anna", to_user("ben", "the first Anna's", muid="m"))
    await world.delete("/users/anna", {"permanent": True})
    await world.user("anna")

    said = await say(world, "anna", to_user("ben", "the second Anna's", muid="m"))

    assert "idempotent-replayed" not in world.answer.headers
    await erase_all(node.runtime)
    assert await world.get("/messages?withTags=true") == [said]
    assert await say(world, "anna", to_user("ben", muid="m")) == said


async def test_a_muid_belongs_to_its_sender(world: World) -> None:
    """Two senders may use the same muid."""
    await world.users("anna", "ben")
    await say(world, "anna", to_user("ben", "from Anna", muid="m"))
    await say(world, "ben", to_user("anna", "from Ben", muid="m"))
    await world.post("/messages", to_user("anna", "from the app", muid="m"))

    assert await texts(world, "/messages") == ["from Anna", "from Ben", "from the app"]


async def test_muids_are_case_sensitive(world: World) -> None:
    """Muids are compared exactly, in any script."""
    await world.users("anna", "ben")

    for muid in ("m", "M", "m ", "é", "e\u0301", "🏔" * 255):
        assert (await say(world, "anna", to_user("ben", muid=muid)))["muid"] == muid
    assert len(await world.get("/messages")) == 6


async def test_one_muid_at_the_same_time(world: World) -> None:
    """Of concurrent sends with one muid, one is stored and all have the same answer."""
    await world.users("anna", "ben")
    body = to_user("ben", muid="m")

    answers = await asyncio.gather(
        *(world.ask("POST", "/messages", body, as_="anna") for _ in range(20))
    )

    replayed = [answer.headers.get("idempotent-replayed", "") for answer in answers]
    assert sorted(replayed) == ["", *["true"] * 19]
    assert {answer.body for answer in answers} == {answers[0].body}
    assert len(await world.get("/messages")) == 1


async def test_one_muid_in_one_batch(node: Node, world: World) -> None:
    """Of two messages with one muid in one batch, the second is a repetition."""
    await world.users("anna", "ben")
    draft = compose(
        Actor("anna"), MessageInput("ben", "user", None, None, {"text": "Hi"}, muid="m")
    )

    async def within(tx: Transaction) -> list[MessageView | Refusal]:
        return await send_messages(tx, [draft, draft], node.clock.now())

    outcomes = await node.runtime.database.write(world.app_id, within)

    assert [isinstance(told, MessageView) and told.is_repeated for told in outcomes] == [
        False,
        True,
    ]
    assert await texts(world, "/messages") == ["Hi"]


async def test_ids_are_dense_when_many_speak(world: World) -> None:
    """Concurrent messages have ids without gaps, even if some are refused."""
    await world.users("anna", "ben")
    bodies = [to_user("ben" if number % 3 else "nobody", str(number)) for number in range(30)]

    answers = await asyncio.gather(
        *(world.ask("POST", "/messages", body, as_="anna") for body in bodies)
    )

    given = [int(answer.data["id"]) for answer in answers if answer.status == 200]
    assert sorted(given) == list(range(1, 21))
    assert [answer.status for answer in answers] == [200 if n % 3 else 404 for n in range(30)]


async def test_one_muid_live_and_imported_at_the_same_time(world: World) -> None:
    """A muid that is sent and imported at the same time is stored once, and ids have no gaps."""
    await world.users("anna", "ben")
    body = to_user("ben", muid="m")
    rows = {"m": past("anna", body, 5), "other": past("anna", {**body, "muid": "other"}, 5)}

    live, imported = await asyncio.gather(
        asyncio.gather(*(world.ask("POST", "/messages", body, as_="anna") for _ in range(5))),
        asyncio.gather(*(import_rows(world, "messages", rows) for _ in range(5))),
    )

    new = [answer for answer in live if "idempotent-replayed" not in answer.headers]
    new_rows = [made for made in imported if made["m"]["success"]]
    assert len(new) + len(new_rows) == 1
    assert sum(made["other"]["success"] for made in imported) == 1
    assert sorted(row["id"] for row in await world.get("/messages")) == ["1", "2"]


# Large groups


async def test_a_group_of_more_than_300(node: Node, world: World) -> None:
    """In a group of over 300 members messages update no conversation and count no unread."""
    uids = [f"user-{number}" for number in range(301)]
    await group(world, "hikers", createdAt=5)
    for start in range(0, 301, 50):
        some = uids[start : start + 50]
        await import_rows(world, "users", {uid: {"uid": uid, "name": "U"} for uid in some})
        if start == 300:
            await say(world, "user-0", to_group("hikers", "300"))
        keys = {f"hikers_member_{uid}": uid for uid in some}
        rows = {
            key: {"memberId": key, "guid": "hikers", "uid": uid, "joinedAt": 5}
            for key, uid in keys.items()
        }
        await import_rows(world, "members", rows)
    await say(world, "user-0", to_group("hikers", "301"))

    assert await texts(world, "/groups/hikers/messages", as_="user-300") == ["300", "301"]
    conversation = "SELECT last_id, shown_id, counted FROM conversations WHERE app_id = :app_id"
    assert await stored(node, world, conversation) == [(2, 1, 1)]
    own = "SELECT sum(own) FROM participants WHERE app_id = :app_id"
    assert await stored(node, world, own) == [(1,)]


# Reading one


async def test_rights_to_read_a_message(world: World) -> None:
    """A message is read by the app and by its sender and receiver, and by nobody else."""
    await world.users("anna", "ben", "clara")
    said = await say(world, "anna", to_user("ben"))

    for reader in (None, "anna", "ben"):
        assert await world.get("/messages/1", as_=reader) == said
    await world.refused("GET", "/messages/1", as_="clara", status=404, code=NOT_FOUND)
    token = await world.token("clara")
    await world.refused("GET", "/messages/1", token=token, status=404, code=NOT_FOUND)


async def test_rights_to_read_a_group_message(world: World) -> None:
    """A group's message is read by its members, including later ones."""
    await world.users("anna", "ben", "clara")
    await group(world, "hikers", "anna")
    said = await say(world, "anna", to_group("hikers"))
    await group(world, "divers", "ben")

    await world.refused("GET", "/messages/1", as_="ben", status=404, code=NOT_FOUND)
    assert await world.get("/messages/1", as_="anna") == said


async def test_a_missing_user_reads_nothing(world: World) -> None:
    """A missing acting user is refused."""
    await world.users("anna", "ben")
    await say(world, "anna", to_user("ben"))

    await world.refused("GET", "/messages/1", as_="eve", status=404, code="ERR_UID_NOT_FOUND")


@pytest.mark.parametrize("id_", ["2", "999999999999", str(2**63 - 1)])
async def test_there_is_no_such_message(world: World, id_: str) -> None:
    """The id of a missing message is not found."""
    await world.users("anna", "ben")
    await say(world, "anna", to_user("ben"))

    for reader in (None, "anna"):
        await world.refused("GET", f"/messages/{id_}", as_=reader, status=404, code=NOT_FOUND)


NO_IDS = ["0", "-1", "1.0", "1e0", "0x1", "a", "1a", "+1", "1_0", "٣", "１", str(2**63), "9" * 400]


@pytest.mark.parametrize("id_", NO_IDS)
async def test_a_malformed_id(world: World, id_: str) -> None:
    """Anything but a positive whole number is refused as a message id."""
    details = await world.refused("GET", f"/messages/{id_}", status=400, code="ERR_BAD_REQUEST")
    assert list(details) == ["id"]


async def test_leading_zeros(world: World) -> None:
    """An id with leading zeros is the same number."""
    await world.users("anna", "ben")
    said = await say(world, "anna", to_user("ben"))

    assert await world.get("/messages/0001") == said


async def test_a_message_outlives_its_sender(world: World) -> None:
    """A message of a deleted user is still shown under their uid and name."""
    await world.users("anna", "ben")
    await say(world, "anna", to_user("ben"))
    await world.delete("/users/anna")

    read: Any = await world.get("/messages/1", as_="ben")
    assert read["data"]["entities"]["sender"]["entity"]["name"] == "Anna"
