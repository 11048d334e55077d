"""Edits of messages: effects, permissions, and action messages."""

import asyncio
import json
from typing import Any

import pytest
from tests.api.groups.clubs import make_hikers
from tests.api.messages.talk import events, say, stored, texts, to_group, to_user
from tests.clock import ManualClock
from tests.world import Json, Node, World

BAD = "ERR_BAD_REQUEST"
DATA = "ERR_INVALID_MESSAGE_DATA"
DENIED = "ERR_PERMISSION_DENIED"
NOT_FOUND = "ERR_MESSAGE_ID_NOT_FOUND"
NOT_A_SENDER = "ERR_MESSAGE_NOT_A_SENDER"
NOT_ALLOWED = "ERR_MESSAGE_ACTION_NOT_ALLOWED"
ATTACHMENT = {"url": "https://files.example.com/a.png", "mimeType": "image/png"}


@pytest.fixture
async def pair(world: World) -> World:
    """Anna has sent 1 to Ben; Clara is not involved."""
    await world.users("anna", "ben", "clara")
    await say(world, "anna", to_user("ben", "Hi", tags=["a", "b"], muid="m"))
    return world


async def edit(world: World, id_: str, by: str | None = "anna", **body: Any) -> Json:
    """Edit a message; return it from the action message."""
    action: Json = await world.put(f"/messages/{id_}", body, as_=by)
    edited: Json = action["data"]["entities"]["on"]["entity"]
    return edited


async def test_an_edit_is_an_action_message(pair: World, clock: ManualClock) -> None:
    """The answer is an action message: the actor, the message as it is now, the conversation."""
    before = await pair.get("/messages/1")
    clock.advance(60)

    action = await pair.put("/messages/1", {"data": {"text": "Hello"}}, as_="anna")

    entities = action["data"].pop("entities")
    assert action == {
        "id": "2",
        "conversationId": "anna_user_ben",
        "sender": "anna",
        "receiverType": "user",
        "receiver": "ben",
        "category": "action",
        "type": "message",
        "data": {"action": "edited"},
        "sentAt": clock.now(),
        "updatedAt": clock.now(),
    }
    assert (entities["by"]["entity"]["uid"], entities["by"]["entityType"]) == ("anna", "user")
    assert (entities["for"]["entity"]["uid"], entities["for"]["entityType"]) == ("ben", "user")
    assert entities["on"]["entityType"] == "message"
    edited = entities["on"]["entity"]
    assert edited == await pair.get("/messages/1")
    assert edited == before | {
        "data": {"text": "Hello", "entities": before["data"]["entities"]},
        "updatedAt": clock.now(),
        "editedAt": clock.now(),
        "editedBy": "anna",
    }


async def test_an_edit_is_in_the_history(pair: World) -> None:
    """Both users read the action message; it shows the message as it is when read."""
    await edit(pair, "1", data={"text": "Hello"})
    await edit(pair, "1", data={"text": "Hello again"})

    for uid in ("anna", "ben", None):
        rows = await pair.get("/messages", as_=uid)
        assert [row["category"] for row in rows] == ["message", "action", "action"]
        ons = [row["data"]["entities"]["on"]["entity"]["data"]["text"] for row in rows[1:]]
        assert ons == ["Hello again"] * 2


async def test_an_edit_is_an_event(node: Node, pair: World) -> None:
    """The event names the message, and its action message."""
    await edit(pair, "1", data={"text": "Hello"})

    *_, name, at, body = (await events(node, pair))[-1]
    known = {"message": 2, "on": 1, "by": "anna", "shows": False, "at": at}
    assert name == "message_edited"
    assert known.items() <= json.loads(body).items()
    assert "Hello" not in body


async def test_keys_are_replaced_one_by_one(pair: World) -> None:
    """Given keys replace the stored ones; the others are unchanged."""
    data = {"text": "One", "metadata": {"a": 1, "b": 2}, "zeta": [1], "alpha": None}
    id_ = (await say(pair, "anna", {**to_user("ben"), "data": data}))["id"]

    edited = await edit(pair, id_, data={"metadata": {"c": 3}, "alpha": 1.0, "new": "\0 🏔"})

    del edited["data"]["entities"]
    wanted = {
        "text": "One",
        "metadata": {"c": 3},
        "zeta": [1],
        "alpha": 1.0,
        "new": "\0 🏔",
    }
    assert list(edited["data"].items()) == list(wanted.items())


async def test_unusual_values_are_unchanged(pair: World) -> None:
    """Unusual values of other keys are unchanged by an edit."""
    odd = r"""{"text": "\u0000 🏔", "big": 18446744073709551616, "half": 0.5, "one": 1.0,
        "tiny": 5e-324, "huge": 1.7976931348623157e308, "below": -0.0,
        "": {"": [null, "\u2028"]}}"""
    body = b'{"receiver":"ben","receiverType":"user","data":' + odd.encode() + b"}"
    await pair.ask("POST", "/messages", body, as_="anna")

    await edit(pair, "2", data={"metadata": {}})

    data = (await pair.ask("GET", "/messages/2")).json["data"]["data"]
    del data["entities"], data["metadata"]
    assert json.dumps(data) == json.dumps(json.loads(odd))


@pytest.mark.parametrize("name", ["entities", "mentions", "reactions", "moderation"])
async def test_keys_of_the_server_are_removed(pair: World, name: str) -> None:
    """Keys of `data` that only the server may write are removed from an edit."""
    edited = await edit(pair, "1", data={name: [{"reaction": "x", "count": 9}]})

    assert set(edited["data"]) == {"text", "entities"}
    assert edited["data"]["entities"]["sender"]["entity"]["uid"] == "anna"


async def test_tags_are_replaced(pair: World) -> None:
    """Given tags replace all others; without tags they are unchanged."""
    assert (await edit(pair, "1", data={"text": "Hello"}))["tags"] == ["a", "b"]
    assert (await edit(pair, "1", tags=["b", "c", "b"]))["tags"] == ["b", "c"]

    for tag, found in (("a", []), ("b", ["Hello"]), ("c", ["Hello"])):
        assert await texts(pair, f"/messages?tags={tag}", as_="ben") == found
        path = f"/users/ben/messages?tags={tag}"
        assert await texts(pair, path, as_="anna") == found
    assert "tags" not in await edit(pair, "1", tags=[])
    assert await pair.get("/messages?tags=b,c") == []


async def test_mentions_and_links_follow_the_text(pair: World) -> None:
    """After an edit, mentions and links are those of the new text."""
    edited = await edit(pair, "1", data={"text": "<@uid:ben>, <@uid:clara>: https://example.com"})
    assert list(edited["data"]["mentions"]) == ["ben"]

    assert list((await edit(pair, "1", tags=["x"]))["data"]["mentions"]) == ["ben"]
    edited = await edit(pair, "1", data={"text": "<@uid:anna>"})
    assert list(edited["data"]["mentions"]) == ["anna"]
    assert "mentions" not in (await edit(pair, "1", data={"text": "Nobody"}))["data"]


async def test_a_muid_stays_used(pair: World) -> None:
    """A repeated send with the muid returns the edited message."""
    await edit(pair, "1", data={"text": "Hello"})

    again = await say(pair, "anna", to_user("ben", muid="m"))
    assert (again["id"], again["data"]["text"]) == ("1", "Hello")


# Invalid edits


NO_EDITS: list[tuple[Any, str, str]] = [
    ({}, BAD, "data"),
    ({"data": None, "tags": None}, BAD, "data"),
    ({"data": []}, DATA, "data"),
    ({"data": "Hello"}, DATA, "data"),
    ({"data": {"text": ""}}, "ERR_EMPTY_MESSAGE_TEXT", "data.text"),
    ({"data": {"text": None}}, "ERR_EMPTY_MESSAGE_TEXT", "data.text"),
    ({"data": {"text": 1}}, "ERR_INVALID_MESSAGE_TEXT", "data.text"),
    ({"data": {"metadata": []}}, "ERR_INVALID_METADATA", "data.metadata"),
    ({"data": {"text": "t" * 10_240}}, DATA, "data"),
    ({"tags": "a"}, BAD, "tags"),
    ({"tags": [""]}, BAD, "tags.0"),
    ({"tags": ["a", "t" * 101]}, BAD, "tags.1"),
    ({"tags": ["a\0"]}, BAD, "tags.0"),
    ({"tags": ["t"] * 26}, BAD, "tags"),
    ({"tags": ["a"], "data": {"text": ""}}, "ERR_EMPTY_MESSAGE_TEXT", "data.text"),
]


@pytest.mark.parametrize(("body", "code", "field"), NO_EDITS, ids=lambda value: str(value)[:40])
async def test_an_invalid_edit(node: Node, pair: World, body: Json, code: str, field: str) -> None:
    """An edit to something that could not be sent is refused by field, and nothing changes."""
    before = await pair.get("/messages"), await events(node, pair)

    details = await pair.refused("PUT", "/messages/1", body, as_="anna", status=400, code=code)

    assert list(details) == [field]
    assert (await pair.get("/messages"), await events(node, pair)) == before


async def test_data_together_are_too_large(pair: World) -> None:
    """The limit of the data applies to old and new parts together, without attachments."""
    await edit(pair, "1", data={"one": "x" * 6_000})
    details = await pair.refused(
        "PUT", "/messages/1", {"data": {"two": "x" * 6_000}}, as_="anna", status=400, code=DATA
    )
    assert list(details) == ["data"]

    large = [ATTACHMENT | {"name": "n" * 6_000}]
    assert (await edit(pair, "1", data={"attachments": large}))["data"]["attachments"] == large
    assert (await edit(pair, "1", data={"one": 1, "two": "x" * 6_000}))["data"]["one"] == 1


LONG_BUTTON = {"elementType": "button", "elementId": "x" * 256}
OF_KINDS: list[tuple[Json, Json, str]] = [
    ({"type": "image", "data": {"attachments": [ATTACHMENT]}}, {"attachments": []}, "_FILE"),
    ({"category": "custom", "type": "x", "data": {"customData": {}}}, {"customData": 1}, "CUSTOM"),
    (
        {"category": "interactive", "type": "card", "data": {"interactiveData": {"text": "Hi"}}},
        {"interactiveData": {"text": "Hi", "cardActions": [{"elementType": "nothing"}]}},
        DATA,
    ),
    (
        {"category": "interactive", "type": "card", "data": {"interactiveData": {"text": "Hi"}}},
        {"interactiveData": {"text": "Hi", "cardActions": [LONG_BUTTON]}},
        DATA,
    ),
]


@pytest.mark.parametrize(("kind", "data", "code"), OF_KINDS, ids=["media", "custom", "card", "id"])
async def test_each_kind_has_its_checks(pair: World, kind: Json, data: Json, code: str) -> None:
    """A message of each kind is checked as it was when sent."""
    said = await say(pair, "anna", {"receiver": "ben", "receiverType": "user", **kind})
    path = f"/messages/{said['id']}"

    answer = await pair.ask("PUT", path, {"data": data}, as_="anna")
    assert answer.status == 400
    assert code in answer.error["code"]
    edited = await edit(pair, said["id"], data={"more": 1})
    assert edited["data"].pop("more") == 1
    assert edited["data"] == said["data"]


async def test_action_messages_stay(world: World) -> None:
    """An action message cannot be edited, neither by a user nor by the app."""
    await make_hikers(world)
    await world.delete("/groups/hikers/members/paul", as_="paul")
    for by in (None, "olga", "mona"):
        await world.refused(
            "PUT", "/messages/1", {"tags": []}, as_=by, status=403, code=NOT_ALLOWED
        )


async def test_deleted_messages_stay(pair: World) -> None:
    """A deleted message cannot be edited."""
    await pair.delete("/messages/1", as_="anna")
    for by in (None, "anna"):
        body = {"data": {"text": "Back"}}
        await pair.refused("PUT", "/messages/1", body, as_=by, status=403, code=NOT_ALLOWED)


# Permissions


@pytest.fixture
async def hike(world: World) -> World:
    """Paul has sent 1 to the hikers; Pia is a participant, too."""
    await make_hikers(world)
    await world.user("pia")
    await world.post("/groups/hikers/members", {"participants": ["pia"]})
    await say(world, "paul", to_group("hikers", "Up we go"))
    return world


async def first(world: World) -> str:
    """Return the id of Paul's message."""
    return str((await world.get("/messages?category=message"))[0]["id"])


@pytest.mark.parametrize("by", [None, "olga", "adam", "mona", "paul"])
async def test_rights_to_edit_in_a_group(hike: World, by: str | None) -> None:
    """The sender, moderators, admins and the app edit a message to a group."""
    edited = await edit(hike, await first(hike), by, data={"text": "Down"})

    assert (edited["data"]["text"], edited["editedBy"]) == ("Down", by or "app_system")
    assert edited["sender"] == "paul"
    row = (await hike.get("/groups/hikers/messages?affix=prepend&limit=1", as_="pia"))[0]
    assert (row["sender"], row["conversationId"]) == (by or "app_system", "group_hikers")
    assert row["data"]["entities"]["for"]["entity"]["guid"] == "hikers"


@pytest.mark.parametrize(
    ("by", "status", "code"),
    [("pia", 403, NOT_A_SENDER), ("bob", 404, NOT_FOUND), ("sara", 404, NOT_FOUND)],
)
async def test_edits_in_a_group_that_are_refused(
    hike: World, by: str, status: int, code: str
) -> None:
    """Members who only see it are refused, and for others it does not exist."""
    path, body = f"/messages/{await first(hike)}", {"data": {"text": "Mine"}}
    await hike.refused("PUT", path, body, as_=by, status=status, code=code)
    await hike.refused("PUT", path, body, token=await hike.token(by), status=status, code=code)

    assert await texts(hike, "/messages?category=message") == ["Up we go"]


async def test_former_members_cannot_edit(hike: World) -> None:
    """A former member, sender or moderator, does not find the messages of the group."""
    id_ = await first(hike)
    for uid in ("paul", "mona"):
        await hike.delete(f"/groups/hikers/members/{uid}", as_=uid)
        await hike.refused(
            "PUT", f"/messages/{id_}", {"tags": []}, as_=uid, status=404, code=NOT_FOUND
        )


async def test_rights_to_edit_between_two_users(pair: World) -> None:
    """Between two users only the sender may; the other one is refused, a third finds nothing."""
    body = {"data": {"text": "Mine"}}
    for by, status, code in (("ben", 403, NOT_A_SENDER), ("clara", 404, NOT_FOUND)):
        await pair.refused("PUT", "/messages/1", body, as_=by, status=status, code=code)
    await pair.put("/messages/1", body, token=await pair.token("anna"))

    assert (await pair.get("/messages/1"))["data"]["text"] == "Mine"


@pytest.mark.parametrize("id_", ["2", "999", str(2**63 - 1)])
async def test_there_is_nothing_to_edit(pair: World, id_: str) -> None:
    """The id of a missing message is not found."""
    for by in (None, "anna"):
        await pair.refused(
            "PUT", f"/messages/{id_}", {"tags": []}, as_=by, status=404, code=NOT_FOUND
        )


async def test_the_app_edits_between_two(node: Node, pair: World) -> None:
    """An edit by the app between two users is recorded in their conversation, not in its own."""
    action = await pair.put("/messages/1", {"data": {"text": "Censored"}})

    assert (action["sender"], action["receiver"]) == ("app_system", "ben")
    assert action["conversationId"] == "anna_user_ben"
    assert action["data"]["entities"]["by"]["entity"]["uid"] == "app_system"
    assert action["data"]["entities"]["on"]["entity"]["editedBy"] == "app_system"
    for path, uid in (("/users/ben/messages", "anna"), ("/users/anna/messages", "ben")):
        rows = await pair.get(path, as_=uid)
        assert [row["conversationId"] for row in rows] == ["anna_user_ben"] * 2
    assert (await pair.get("/messages/2", as_="ben"))["conversationId"] == "anna_user_ben"
    await pair.refused("GET", "/messages/2", as_="clara", status=404, code=NOT_FOUND)
    assert len(await stored(node, pair, "SELECT 1 FROM conversations WHERE app_id = :app_id")) == 1


@pytest.mark.parametrize("way", ["blocked", "has blocked"])
async def test_blocked_people_edit_nothing_for_one_another(pair: World, way: str) -> None:
    """A message that a block would prevent cannot be delivered as an edit."""
    by, whom = ("ben", "anna") if way == "blocked" else ("anna", "ben")
    code = "ERR_BLOCKED_SENDER" if way == "blocked" else "ERR_BLOCKED_RECEIVER"
    await pair.post(f"/users/{by}/blockedusers", {"blockedUids": [whom]})

    body = {"data": {"text": "Read this!"}}
    await pair.refused("PUT", "/messages/1", body, as_="anna", status=403, code=code)
    assert (await edit(pair, "1", None, **body))["data"]["text"] == "Read this!"


async def test_a_role_may_not_edit(hike: World) -> None:
    """The permission of a role denies editing to its users, not to the app."""
    id_ = await first(hike)
    path = "/roles/default/permissions"
    await hike.put(path, {"permissions": {"editMessage": "deny"}})
    await denied(hike, id_, "paul", "editMessage")
    await denied(hike, "999", "paul", "editMessage")
    assert await edit(hike, id_, None, tags=["a"])
    await hike.put(path, {"permissions": {"editMessage": "allow"}})

    assert await edit(hike, id_, "paul", tags=["b"])


async def denied(world: World, id_: str, by: str, permission: str) -> None:
    """Check that a user may not edit, and that the refusal gives the reason."""
    details = await world.refused(
        "PUT", f"/messages/{id_}", {"tags": []}, as_=by, status=403, code=DENIED
    )
    assert list(details) == [permission]


async def test_a_role_may_not_edit_in_some_scopes(hike: World) -> None:
    """A role may be denied editing in some scopes; one-to-one this does not matter."""
    id_ = await first(hike)
    permissions = {"editMessage.denyForScopes": ["participant", "moderator"]}
    await hike.put("/roles/default/permissions", {"permissions": permissions})

    for by in ("paul", "mona"):
        await denied(hike, id_, by, "editMessage.denyForScopes")
    assert await edit(hike, id_, "adam", tags=["a"])
    said = await say(hike, "paul", to_user("pia"))
    assert await edit(hike, said["id"], "paul", tags=["a"])


async def test_a_scope_may_not_edit(hike: World) -> None:
    """A group may deny editing to members of a scope, also of their own messages."""
    id_ = await first(hike)
    path = "/groups/hikers/scopes/participant/permissions"
    await hike.put(path, {"permissions": {"editMessage": "deny"}})

    await denied(hike, id_, "paul", "editMessage")
    assert await edit(hike, id_, "mona", tags=["a"])


async def test_a_kind_of_attachment_that_may_not_be_sent(pair: World) -> None:
    """A role that may send only some kinds of attachments cannot add others by an edit."""
    permissions = {"sendMessage.allowedMimeTypes": ["image/png"]}
    await pair.put("/roles/default/permissions", {"permissions": permissions})
    body = {"data": {"attachments": [ATTACHMENT | {"mimeType": "video/mp4"}]}}

    await pair.refused("PUT", "/messages/1", body, as_="anna", status=403, code=DENIED)
    assert await edit(pair, "1", data={"attachments": [ATTACHMENT]})
    assert await edit(pair, "1", None, **body)


# Effects elsewhere


@pytest.mark.parametrize("is_on", [False, True])
async def test_whether_an_edit_moves_the_conversation(
    pair: World, clock: ManualClock, *, is_on: bool
) -> None:
    """The action message is the lastMessage only if the app has set so; it is never unread."""
    setting = "core.conversations.updateOnMessageActions"
    await pair.put("/settings", {"settings": {setting: is_on}})
    before = await pair.get("/users/anna/conversation", as_="ben")
    clock.advance(5)
    await edit(pair, "1", data={"text": "Hello"})

    after = await pair.get("/users/anna/conversation", as_="ben")
    assert after["unreadMessageCount"] == before["unreadMessageCount"] == "1"
    assert after["lastMessage"]["id"] == ("2" if is_on else "1")
    assert after["updatedAt"] - before["updatedAt"] == (5 if is_on else 0)


async def test_hidden_content_stays_hidden(hike: World) -> None:
    """For a user who has reset the conversation, the edit shows only the id of the message."""
    id_ = await first(hike)
    await hike.delete("/groups/hikers/conversation", as_="pia")
    action = await hike.put(f"/messages/{id_}", {"data": {"text": "Secret"}}, as_="paul")

    seen = await hike.get(f"/messages/{action['id']}", as_="pia")
    assert seen["data"]["entities"]["on"] == {
        "entity": {"id": id_, "conversationId": "group_hikers"},
        "entityType": "message",
    }
    shown = await hike.get(f"/messages/{action['id']}", as_="mona")
    assert shown["data"]["entities"]["on"]["entity"]["data"]["text"] == "Secret"


async def test_many_edit_at_once(pair: World) -> None:
    """After concurrent edits, each key has the value that was written last."""
    bodies = [{"data": {f"key-{number}": number}} for number in range(10)]

    answers = await asyncio.gather(
        *(pair.ask("PUT", "/messages/1", body, as_="anna") for body in bodies)
    )

    assert {answer.status for answer in answers} == {200}
    data = (await pair.get("/messages/1"))["data"]
    assert {data[f"key-{number}"] for number in range(10)} == set(range(10))
    ids = sorted(int(row["id"]) for row in await pair.get("/messages"))
    assert ids == list(range(1, 12))


async def test_strangers_edit_nothing_for_one_another(pair: World) -> None:
    """A user who may write to friends only cannot edit messages to a former friend."""
    role = {"role": "guest", "name": "Guest", "settings": {"sendMessagesTo": "friendsOnly"}}
    await pair.post("/roles", role)
    await pair.put("/users/anna", {"role": "guest"})
    await pair.post("/users/anna/friends", {"accepted": ["ben"]})
    await edit(pair, "1", data={"text": "Among friends"})
    await pair.delete("/users/anna/friends", {"friends": ["ben"]})

    call = ("PUT", "/messages/1", {"data": {"text": "Among strangers"}})
    await pair.refused(*call, status=403, code="ERR_PERMISSION_DENIED", as_="anna")
    assert (await pair.get("/messages/1"))["data"]["text"] == "Among friends"
    assert await edit(pair, "1", by=None, data={"text": "By the app"})
