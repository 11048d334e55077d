"""A new user has the uid of a user who is being erased: neither has anything of the other's."""

import pytest
from tests.api.groups.clubs import HIKERS, create_group, join_group
from tests.api.messages.talk import say, texts, to_group
from tests.world import Json, Node, World

from hubbub.domain.erasure.erase import erase_all

NOT_FOUND = "ERR_MESSAGE_ID_NOT_FOUND"
HISTORY = f"{HIKERS}/messages?category=message"


@pytest.fixture
async def club(node: Node, world: World) -> World:
    """The hikers Anna, who may change all messages, Ben and Dora; one is by Anna, two by Dora."""
    await erase_all(node.runtime)  # left by other tests
    await world.users("anna", "ben", "dora")
    await create_group(world, by="anna", members={"participants": ["ben", "dora"]})
    await say(world, "anna", to_group("hikers", "one"))
    await say(world, "dora", to_group("hikers", "two", muid="two"))
    return world


async def id_of(world: World, text: str) -> str:
    """Return the id of a message by its text."""
    rows = await world.get(HISTORY)
    ids: list[str] = [row["id"] for row in rows if row["data"]["text"] == text]
    assert len(ids) == 1
    return ids[0]


async def delete_dora(world: World) -> None:
    """Delete Dora permanently."""
    await world.delete("/users/dora", {"permanent": True})


async def replace_dora(world: World) -> None:
    """Delete Dora permanently; a new user with her uid joins."""
    await delete_dora(world)
    await world.user("dora", name="Dorothy")
    await join_group(world, "dora")


async def mentioned(world: World, id_: str) -> list[str]:
    """Return the uids mentioned in a message."""
    return list((await world.get(f"/messages/{id_}"))["data"].get("mentions", {}))


async def group_conversation(world: World) -> Json:
    """Return the group's conversation, as Ben sees it."""
    seen: Json = await world.get(f"{HIKERS}/conversation", as_="ben")
    return seen


@pytest.mark.parametrize("by", [None, "anna", "ben"])
async def test_her_messages_are_not_found(club: World, by: str | None) -> None:
    """After her deletion nobody finds her messages, by id, in a list or in a count."""
    id_ = await id_of(club, "two")
    assert await texts(club, HISTORY, as_=by) == ["one", "two"]
    await delete_dora(club)

    assert await texts(club, HISTORY, as_=by) == ["one"]
    assert await texts(club, "/messages?category=message", as_=by) == ["one"]
    assert await club.get("/messages?searchKey=two", as_=by) == []
    (count,) = await club.get("/messages?category=message&count=true", as_=by)
    assert count["count"] == 1
    await club.refused("GET", f"/messages/{id_}", as_=by, status=404, code=NOT_FOUND)


async def test_her_messages_cannot_be_referred_to(club: World) -> None:
    """Her messages cannot be reacted to, pinned, saved, replied to or quoted, nor were they."""
    id_ = await id_of(club, "two")
    body = to_group("hikers", "quoting", quotedMessageId=id_)
    quoting = (await say(club, "ben", body))["id"]
    await delete_dora(club)

    for path in ("reactions/x", "pin", "save"):
        path = f"/messages/{id_}/{path}"
        await club.refused("POST", path, as_="ben", status=404, code=NOT_FOUND)
    body["data"] = {"text": "again"}
    await club.refused("POST", "/messages", body, as_="ben", status=404, code=NOT_FOUND)
    reply = {"data": {"text": "Yes"}}
    thread = f"/messages/{id_}/thread"
    await club.refused("POST", thread, reply, as_="ben", status=404, code=NOT_FOUND)
    assert "quotedMessage" not in await club.get(f"/messages/{quoting}", as_="ben")


async def test_the_last_message_exists(node: Node, club: World) -> None:
    """The lastMessage is the newest existing one, before the erasure and after it."""
    assert (await group_conversation(club))["lastMessage"]["data"]["text"] == "two"
    await delete_dora(club)

    before = await group_conversation(club)
    assert before["lastMessage"]["data"]["text"] == "one"
    (listed,) = await club.get("/conversations", as_="ben")
    assert listed["lastMessage"] == before["lastMessage"]
    await erase_all(node.runtime)
    assert await group_conversation(club) == before


async def test_a_new_holder_has_no_messages(node: Node, club: World) -> None:
    """The new holder of a uid cannot list, change or delete the former one's messages."""
    id_ = await id_of(club, "two")
    await replace_dora(club)

    assert await club.get("/messages?sender=dora&category=message", as_="dora") == []
    edit = {"data": {"text": "mine"}}
    for method, body in (("PUT", edit), ("DELETE", None), ("DELETE", {"permanent": True})):
        await club.refused(method, f"/messages/{id_}", body, as_="dora", status=404, code=NOT_FOUND)
    await say(club, "dora", to_group("hikers", "three", muid="two"))
    for _ in range(2):
        assert await texts(club, "/messages?sender=dora&category=message") == ["three"]
        await erase_all(node.runtime)


async def test_a_new_holder_has_no_earlier_mentions(node: Node, club: World) -> None:
    """A mention is of the holder at that time; it is deleted with her, and no other is."""
    await say(club, "anna", to_group("hikers", "old <@uid:dora>"))
    old, one = await id_of(club, "old <@uid:dora>"), await id_of(club, "one")
    assert await mentioned(club, old) == ["dora"]
    await replace_dora(club)
    edit = {"data": {"text": "now <@uid:dora>"}}
    await club.put(f"/messages/{one}", edit, as_="anna")

    for _ in range(2):
        assert (await mentioned(club, old), await mentioned(club, one)) == ([], ["dora"])
        for query in ("mentionedUids=dora", "myMentionsOnly=true"):
            assert await texts(club, f"{HISTORY}&{query}", as_="dora") == ["now <@uid:dora>"]
        await erase_all(node.runtime)
    assert await texts(club, f"{HISTORY}&hasMentions=true") == ["now <@uid:dora>"]


@pytest.mark.parametrize("by", ["ben", "dora", None])
async def test_a_new_pin_remains(node: Node, club: World, by: str | None) -> None:
    """A pin of a deleted user is removed; a new pin of the same message remains."""
    id_ = await id_of(club, "one")
    await club.post(f"/messages/{id_}/pin", as_="dora")
    assert "pinnedAt" in await club.get(f"/messages/{id_}")
    await replace_dora(club)

    assert "pinnedAt" not in await club.get(f"/messages/{id_}")
    for uid in (None, "ben"):
        assert await club.get("/messages?pinned=true", as_=uid) == []
    assert await club.get(f"{HISTORY}&pinned=true", as_="ben") == []
    pinned = await club.post(f"/messages/{id_}/pin", as_=by)
    await erase_all(node.runtime)
    assert await club.get(f"/messages/{id_}", as_=by) == pinned
    assert await texts(club, f"{HISTORY}&pinned=true") == ["one"]


async def test_pins_of_a_deleted_user_do_not_count(club: World) -> None:
    """Pins of a deleted user do not count for the limit."""
    await club.put("/settings", {"settings": {"limits.pinnedMessages": 1}})
    await say(club, "anna", to_group("hikers", "three"))
    await club.post(f"/messages/{await id_of(club, 'one')}/pin", as_="dora")
    await delete_dora(club)

    await club.post(f"/messages/{await id_of(club, 'three')}/pin", as_="ben")


async def test_edits_name_the_holder_at_the_time(node: Node, club: World) -> None:
    """The former user's edits are no longer attributed; the new user's are, also afterwards."""
    await club.put(f"{HIKERS}/members/dora", {"scope": "moderator"}, as_="anna")
    for text in ("a", "b", "c"):
        await say(club, "ben", to_group("hikers", text))
    a, b, c = [await id_of(club, text) for text in ("a", "b", "c")]
    edit = {"data": {"metadata": {"is": "read"}}}
    await club.put(f"/messages/{a}", edit, as_="dora")
    await club.put(f"/messages/{b}", edit, as_="dora")
    await replace_dora(club)
    await club.put(f"{HIKERS}/members/dora", {"scope": "moderator"}, as_="anna")
    await club.put(f"/messages/{b}", edit, as_="dora")
    await club.delete(f"/messages/{a}", as_="dora")
    await club.delete(f"/messages/{c}", as_="dora")
    await erase_all(node.runtime)

    first, second, third = [await club.get(f"/messages/{id_}") for id_ in (a, b, c)]
    assert (first["editedBy"], first["deletedBy"]) == ("app_system", "dora")
    assert (second["editedBy"], third["deletedBy"]) == ("dora", "dora")


async def test_only_existing_messages_become_unread(node: Node, club: World) -> None:
    """Marking as unread, and reading part of it again, counts only existing messages."""
    one = await id_of(club, "one")
    await say(club, "anna", to_group("hikers", "three"))
    for text in ("four", "five"):
        await say(club, "dora", to_group("hikers", text))
    await say(club, "anna", to_group("hikers", "six"))
    gone = (await say(club, "anna", to_group("hikers", "seven")))["id"]
    read = f"{HIKERS}/conversation/read"
    await club.post(read, as_="ben")
    await delete_dora(club)
    await club.delete(f"/messages/{gone}", {"permanent": True}, as_="anna")
    for after, left in (({"messageId": one}, "2"), (None, "1")):
        await club.delete(read, after, as_="ben")
        assert (await group_conversation(club))["unreadMessageCount"] == left
        await club.post(read, as_="ben")

    await erase_all(node.runtime)
    await club.delete(read, {"messageId": one}, as_="ben")
    assert (await group_conversation(club))["unreadMessageCount"] == "2"
    assert await texts(club, "/messages?unread=true&category=message", as_="ben") == [
        "three",
        "six",
    ]
    await club.post(read, {"messageId": await id_of(club, "three")}, as_="ben")
    assert (await group_conversation(club))["unreadMessageCount"] == "1"
    await club.post(read, as_="ben")
    assert (await group_conversation(club))["unreadMessageCount"] == "0"
