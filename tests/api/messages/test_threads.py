"""Threads: replies to a message, refusals, files, and parents."""

import pytest
from tests.api.groups.clubs import make_hikers
from tests.api.messages.talk import say, texts, to_group, to_user
from tests.files.uploads import TYPE, File, fetch, form, picture, stored_files
from tests.world import Json, Node, World

NOT_FOUND = "ERR_MESSAGE_ID_NOT_FOUND"
NOT_ALLOWED = "ERR_MESSAGE_ACTION_NOT_ALLOWED"
WRONG = "ERR_WRONG_MESSAGE_THREAD"
THREAD = "/messages/1/thread"
HELLO: Json = {"data": {"text": "Hello"}}


@pytest.fixture
async def pair(world: World) -> World:
    """Anna has sent 1 to Ben; Clara is not involved."""
    await world.users("anna", "ben", "clara")
    await say(world, "anna", to_user("ben", "Up?", tags=["plan"]))
    return world


async def answer(world: World, uid: str, text: str = "Hello", id_: str = "1") -> Json:
    """Reply to a message; return the answer."""
    reply: Json = await world.post(f"/messages/{id_}/thread", {"data": {"text": text}}, as_=uid)
    return reply


async def test_a_reply_is_a_message_in_the_conversation(pair: World) -> None:
    """A reply has its parent, goes to the other user, and is in both thread and conversation."""
    reply = await answer(pair, "ben", "Up!")
    own = await answer(pair, "anna", "At six?")

    assert (reply["parentId"], reply["sender"], reply["receiver"]) == ("1", "ben", "anna")
    assert (own["parentId"], own["receiver"]) == ("1", "ben")
    assert await texts(pair, THREAD, as_="ben") == ["Up!", "At six?"]
    assert await texts(pair, "/users/anna/messages", as_="ben") == ["Up?", "Up!", "At six?"]
    assert await texts(pair, "/users/anna/messages?hideReplies=1", as_="ben") == ["Up?"]


async def test_pages_of_a_thread(pair: World) -> None:
    """A thread is read by page number, or by cursor, in both directions."""
    for number in range(5):
        await answer(pair, "ben", str(number))

    assert await texts(pair, f"{THREAD}?perPage=2&page=2", as_="anna") == ["2", "3"]
    assert await texts(pair, f"{THREAD}?limit=2&affix=prepend", as_="anna") == ["3", "4"]
    before = pair.answer.meta["previous"]
    path = f"{THREAD}?limit=2&affix=prepend&id={before['id']}&sentAt={before['sentAt']}"
    assert await texts(pair, path, as_="anna") == ["1", "2"]


async def test_a_reply_has_no_thread(pair: World) -> None:
    """A reply to a reply is refused."""
    reply = await answer(pair, "ben")

    details = await pair.refused(
        "POST",
        f"/messages/{reply['id']}/thread",
        HELLO,
        as_="anna",
        status=400,
        code="ERR_MESSAGE_THREAD_NESTING",
    )
    assert list(details) == ["parentId"]
    assert len(await pair.get(THREAD, as_="anna")) == 1


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"receiver": "clara"},
        {"receiver": "clara", "receiverType": "user"},
        {"receiver": "hikers", "receiverType": "group"},
        {"receiverType": "group"},
    ],
)
async def test_a_reply_stays_in_its_conversation(pair: World, elsewhere: Json) -> None:
    """A reply with another receiver than its conversation's is refused."""
    for by in ("anna", "ben"):
        details = await pair.refused(
            "POST", THREAD, HELLO | elsewhere, as_=by, status=400, code=WRONG
        )
        assert list(details) == ["receiver"]
    here = HELLO | {"receiver": "BEN", "receiverType": "user"}
    assert (await pair.post(THREAD, here, as_="anna"))["receiver"] == "ben"


async def test_messages_that_cannot_be_replied_to(world: World) -> None:
    """Action messages, deleted and missing messages cannot be replied to."""
    await make_hikers(world)
    await world.delete("/groups/hikers/members/paul", as_="paul")
    said = await say(world, "mona", to_group("hikers", "Oops"))
    await world.delete(f"/messages/{said['id']}", as_="mona")

    for id_, status, code in (
        ("1", 403, NOT_ALLOWED),
        (said["id"], 403, NOT_ALLOWED),
        ("99", 404, NOT_FOUND),
    ):
        path = f"/messages/{id_}/thread"
        await world.refused("POST", path, HELLO, as_="mona", status=status, code=code)


async def test_a_reply_is_checked_as_every_message(pair: World) -> None:
    """A reply is checked like any other message."""
    for body, code in (
        ({"data": {"text": ""}}, "ERR_EMPTY_MESSAGE_TEXT"),
        ({"type": "image"}, "ERR_EMPTY_MESSAGE_FILE"),
        ({"data": {"text": "Hi", "metadata": []}}, "ERR_INVALID_METADATA"),
    ):
        await pair.refused("POST", THREAD, body, as_="ben", status=400, code=code)
    assert await pair.get(THREAD, as_="ben") == []


async def test_a_repeated_reply(pair: World) -> None:
    """A repeated muid returns the first reply."""
    first = await pair.post(THREAD, HELLO | {"muid": "m"}, as_="ben")
    again = await pair.post(THREAD, HELLO | {"muid": "m"}, as_="ben")

    assert again == first
    assert pair.answer.headers["idempotent-replayed"] == "true"
    assert len(await pair.get(THREAD, as_="ben")) == 1


# Files


async def test_a_reply_has_files(node: Node, pair: World) -> None:
    """A reply may have files like any other message."""
    body = form({"type": "image", "data": {"text": "Look"}}, File("a.png", picture(2, 3)))
    reply = await pair.post(THREAD, body, as_="ben", headers=TYPE)

    attached = reply["data"]["attachments"][0]
    assert (reply["parentId"], reply["data"]["text"]) == ("1", "Look")
    assert (attached["name"], attached["width"], attached["height"]) == ("a.png", 2, 3)
    assert (await fetch(node.sender, attached["url"])).body == picture(2, 3)
    listed = (await pair.get(f"{THREAD}?hasAttachments=1", as_="anna"))[0]
    assert listed["data"]["attachments"][0]["name"] == "a.png"


async def test_a_refused_reply_leaves_no_files(node: Node, pair: World) -> None:
    """The files of a refused reply are removed."""
    before = stored_files(node)
    file = File("a.txt", b"Hello")
    for fields, by, status, code in (
        ({"type": "file"}, "clara", 404, NOT_FOUND),
        ({"type": "file", "receiver": "clara"}, "ben", 400, WRONG),
        ({"type": "text", "data": {"text": "Hi"}}, "ben", 400, "ERR_INVALID_MEDIA_MESSAGE"),
    ):
        await pair.refused(
            "POST", THREAD, form(fields, file), as_=by, headers=TYPE, status=status, code=code
        )

    assert stored_files(node) == before
    assert await pair.get(THREAD, as_="ben") == []


# Parents


@pytest.mark.parametrize("path", [THREAD, "/messages", "/users/anna/messages"])
async def test_a_reply_shows_its_parent(pair: World, path: str) -> None:
    """With `withParent` each reply has the message that it replies to; otherwise none does."""
    await answer(pair, "ben")

    *others, reply = await pair.get(f"{path}?withParent=true", as_="ben")
    parent = reply["parentMessage"]
    assert (parent["id"], parent["data"]["text"], parent["sender"]) == ("1", "Up?", "anna")
    assert all("parentMessage" not in row for row in others)
    assert "parentMessage" not in (await pair.get(path, as_="ben"))[-1]
    assert "parentMessage" in (await pair.get("/messages?withParent=1"))[-1]


async def test_a_parent_is_shown_as_it_is(pair: World) -> None:
    """A parent is shown as edited, a softly deleted one without content, an erased one never."""
    await answer(pair, "ben")
    path = f"{THREAD}?withParent=1"
    await pair.put("/messages/1", {"data": {"text": "Up there?"}}, as_="anna")
    assert (await pair.get(path, as_="ben"))[0]["parentMessage"]["data"]["text"] == "Up there?"

    await pair.delete("/messages/1", as_="anna")
    parent = (await pair.get(path, as_="ben"))[0]["parentMessage"]
    assert parent["deletedBy"] == "anna"
    assert "text" not in parent["data"]

    await pair.delete("/messages/1", {"permanent": True}, as_="anna")
    reply = (await pair.get("/messages?withParent=1&sender=ben&type=text", as_="ben"))[0]
    assert reply["parentId"] == "1"
    assert "parentMessage" not in reply


async def test_a_parent_that_is_hidden_is_not_shown(pair: World) -> None:
    """A user who reset the conversation reads new replies, but not their hidden parents."""
    await pair.delete("/users/anna/conversation", as_="ben")
    await answer(pair, "anna", "Well?")

    reply = (await pair.get("/messages?withParent=1", as_="ben"))[0]
    assert (reply["data"]["text"], reply["parentId"]) == ("Well?", "1")
    assert "parentMessage" not in reply


@pytest.mark.parametrize("id_", ["1", "999"])
async def test_a_role_may_not_reply(pair: World, id_: str) -> None:
    """A user who may not reply is refused, whether the message exists or not."""
    await pair.put("/roles/default/permissions", {"permissions": {"sendMessage": "deny"}})

    call = ("POST", f"/messages/{id_}/thread", HELLO)
    details = await pair.refused(*call, status=403, code="ERR_PERMISSION_DENIED", as_="ben")
    assert list(details) == ["sendMessage"]


# --- The numbers of replies ----------------------------------------------------------------------


async def test_replies_to_several_messages_are_counted_together(pair: World) -> None:
    """Each message that the reader may see has the number of its replies that are not deleted."""
    await say(pair, "anna", to_user("ben", "And tomorrow?"))
    await say(pair, "ben", to_user("clara", "Hello, Clara"))
    first, *_ = [await answer(pair, uid) for uid in ("ben", "anna", "ben")]
    await pair.delete(f"/messages/{first['id']}", {"permanent": False}, as_="ben")

    counted = [{"id": "1", "count": 2}, {"id": "2", "count": 0}]
    assert await pair.get("/messages/replies?ids=1,2,3,999", as_="anna") == counted
    assert await pair.get("/messages/replies?ids=1,2,3") == [*counted, {"id": "3", "count": 0}]
    assert await pair.get("/messages/replies?ids=1", as_="clara") == []


async def test_replies_of_a_kind_that_a_role_may_not_list_do_not_count(pair: World) -> None:
    """The number is that of the replies that the reader's role may list."""
    custom = {"category": "custom", "type": "offer", "data": {"customData": {"price": 3}}}
    await answer(pair, "ben")
    await pair.post("/messages/1/thread", custom, as_="ben")
    await pair.post("/roles", {"role": "reader", "name": "Reader"})
    only = {"listMessages.allowedMessageCategories": ["message"]}
    await pair.put("/roles/reader/permissions", {"permissions": only})
    await pair.put("/users/ben", {"role": "reader"})

    assert await pair.get("/messages/replies?ids=1", as_="anna") == [{"id": "1", "count": 2}]
    assert await pair.get("/messages/replies?ids=1", as_="ben") == [{"id": "1", "count": 1}]


@pytest.mark.parametrize(
    "ids", ["a", "0", ",".join(str(number) for number in range(1, 102))], ids=len
)
async def test_what_are_no_ids_is_refused(pair: World, ids: str) -> None:
    """At most 100 ids of messages are taken; a refusal names the field. Without any, none count."""
    path = f"/messages/replies?ids={ids}"
    details = await pair.refused("GET", path, status=400, code="ERR_BAD_REQUEST")

    assert next(iter(details)).startswith("ids")
    assert await pair.get("/messages/replies") == []
