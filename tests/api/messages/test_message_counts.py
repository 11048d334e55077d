"""Counts of messages by user and group: `count` instead of messages."""

from typing import Any, Unpack

import pytest
from tests.api.messages.talk import group, import_past, past, say, to_group, to_user
from tests.world import CallOptions, World

THREE_LISTS = ("/messages", "/users/ben/messages", "/groups/hikers/messages")


@pytest.fixture
async def talk(world: World) -> World:
    """Anna has three messages from Ben, one to Ben, one of Clara; hikers have two, one by her."""
    await world.users("anna", "ben", "clara")
    await group(world, "hikers", "anna", "ben", "clara")
    for text in ("1", "2"):
        await say(world, "ben", to_user("anna", text, tags=["a"]))
    await say(world, "anna", to_user("ben", "3"))
    custom = {"category": "custom", "type": "x", "data": {"customData": {}}}
    await say(world, "ben", {**to_user("anna"), **custom})
    await say(world, "clara", to_user("anna", "5"))
    await say(world, "anna", to_group("hikers", "6"))
    await say(world, "clara", to_group("hikers", "7"))
    return world


async def counts(world: World, path: str, **how: Unpack[CallOptions]) -> dict[str, int]:
    """Return the counts of a list, by kind and id."""
    rows = await world.get(path, **how)
    assert world.answer.paging == {"current": {"limit": 10_000, "count": len(rows)}}
    found = {f"{row['entityType']} {row['entityId']}": row["count"] for row in rows}
    assert len(found) == len(rows)
    return found


async def unread(world: World, uid: str) -> dict[str, int]:
    """Return the unread counts of a user's conversations, where they are shown."""
    rows = await world.get("/conversations?unread=true&includeBlockedUsers=true", as_=uid)
    return {
        f"{row['conversationType']} {_id(row['conversationWith'])}": int(row["unreadMessageCount"])
        for row in rows
    }


def _id(other: dict[str, Any]) -> str:
    return str(other.get("uid") or other.get("guid"))


async def test_messages_are_counted_by_conversation(talk: World) -> None:
    """A user's messages are counted by the other user or the group, whoever sent them."""
    everything = {"group hikers": 2, "user ben": 4, "user clara": 1}
    assert await counts(talk, "/messages?count=true", as_="anna") == everything
    assert await counts(talk, "/messages?count=1", token=await talk.token("anna")) == everything
    assert await counts(talk, "/messages?count=1", as_="clara") == {
        "group hikers": 2,
        "user anna": 1,
    }
    assert await counts(talk, "/users/ben/messages?count=1", as_="anna") == {"user ben": 4}
    assert await counts(talk, "/groups/hikers/messages?count=1", as_="ben") == {"group hikers": 2}


async def test_the_app_counts_by_receiver(talk: World) -> None:
    """Without an acting user, counts are by receiver; for one user, by conversation."""
    assert await counts(talk, "/messages?count=1") == {
        "group hikers": 2,
        "user anna": 4,
        "user ben": 1,
    }
    assert await counts(talk, "/users/anna/messages?count=1") == {"user ben": 4, "user clara": 1}
    assert await counts(talk, "/groups/hikers/messages?count=1") == {"group hikers": 2}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("sender=anna", {"group hikers": 1, "user ben": 1}),
        ("category=custom", {"user ben": 1}),
        ("tags=a", {"user ben": 2}),
        ("receiverType=group", {"group hikers": 2}),
        ("conversationId=anna_user_clara", {"user clara": 1}),
        ("sender=nobody", {}),
        ("limit=1&affix=prepend&sentAt=1", {"group hikers": 2, "user ben": 4, "user clara": 1}),
        ("unread=1&sender=clara", {"group hikers": 1, "user clara": 1}),
        ("unread=1&category=message", {"group hikers": 1, "user ben": 2, "user clara": 1}),
        ("unread=1&conversationId=anna_user_ben&category=custom", {"user ben": 1}),
        ("unread=1&receiverType=user", {"user ben": 3, "user clara": 1}),
        ("unread=1&conversationId=group_hikers", {"group hikers": 1}),
    ],
)
async def test_filters_apply_to_counts(talk: World, query: str, expected: dict[str, int]) -> None:
    """All messages that match the filters are counted, and no others, with any cursor."""
    assert await counts(talk, f"/messages?count=1&{query}", as_="anna") == expected


async def test_a_list_that_is_not_counted_has_messages(talk: World) -> None:
    """`count=false` is a list of messages."""
    assert len(await talk.get("/messages?count=false", as_="anna")) == 7


async def test_unread_counts_are_those_of_the_conversations(talk: World) -> None:
    """After marks, replies, edits, deletions and resets both return the same numbers."""
    steps = [
        ("POST", "/users/ben/conversation/read", {"messageId": 1}, "anna"),
        ("POST", "/messages/2/thread", {"data": {"text": "A reply"}}, "ben"),
        ("PUT", "/messages/2", {"data": {"text": "Edited"}}, "ben"),
        ("DELETE", "/messages/2", {"permanent": True}, "ben"),
        ("DELETE", "/messages/4", {}, "ben"),
        ("DELETE", "/users/clara/conversation", None, "anna"),
        ("POST", "/messages", to_user("anna", "Again"), "clara"),
        ("POST", "/groups/hikers/conversation/read", None, "anna"),
        ("DELETE", "/groups/hikers/conversation/read", None, "anna"),
        ("POST", "/users/anna/blockedusers", {"blockedUids": ["clara"]}, None),
    ]
    seen = []
    for method, path, body, by in steps:
        await talk.call(method, path, body, as_=by)
        seen.append(await unread(talk, "anna"))
        for uid in ("anna", "ben", "clara"):
            assert await counts(talk, "/messages?unread=1&count=1", as_=uid) == await unread(
                talk, uid
            )
        every = "unread=1&count=1&fromTimestamp=0"  # no filter, but the messages are read
        assert await counts(talk, f"/messages?{every}", as_="anna") == seen[-1]

    assert seen[0] == {"group hikers": 1, "user ben": 2, "user clara": 1}
    assert seen[-1] == {"group hikers": 1, "user ben": 2, "user clara": 1}
    assert await counts(talk, "/users/ben/messages?unread=1&count=1", as_="anna") == {"user ben": 2}
    shown = await counts(
        talk, "/messages?unread=1&count=1&hideMessagesFromBlockedUsers=1", as_="anna"
    )
    assert shown == {"user ben": 2}


async def test_an_import_that_came_later_is_counted(talk: World) -> None:
    """A message imported after the last mark is unread, however old it is."""
    await talk.post("/users/ben/conversation/read", as_="anna")
    await import_past(talk, old=past("ben", to_user("anna", "Long ago"), 10))

    for query in ("", "&category=message"):
        path = f"/users/ben/messages?unread=1&count=1{query}"
        assert await counts(talk, path, as_="anna") == {"user ben": 1}


async def test_a_thread_is_counted(talk: World) -> None:
    """The replies to a message are counted under its conversation."""
    for text in ("One", "Two"):
        await talk.post("/messages/1/thread", {"data": {"text": text}}, as_="anna")

    assert await counts(talk, "/messages/1/thread?count=1", as_="anna") == {"user ben": 2}
    assert await counts(talk, "/messages/1/thread?count=1&sender=ben", as_="anna") == {}
    assert await counts(talk, "/messages?count=1&hideReplies=1", as_="anna") == {
        "group hikers": 2,
        "user ben": 4,
        "user clara": 1,
    }


async def test_others_are_not_counted(talk: World) -> None:
    """A list that a user may not read cannot be counted; invisible messages are not counted."""
    await talk.user("dora")

    assert await counts(talk, "/messages?count=1", as_="dora") == {}
    assert await counts(talk, "/messages?count=1&unread=1", as_="dora") == {}
    assert await counts(talk, "/users/ben/messages?count=1", as_="clara") == {}
    await talk.refused(
        "GET",
        "/groups/hikers/messages?count=1",
        as_="dora",
        status=403,
        code="ERR_GROUP_NOT_JOINED",
    )


@pytest.mark.parametrize("path", THREE_LISTS)
async def test_a_count_is_yes_or_no(talk: World, path: str) -> None:
    """Any other value is refused by name."""
    details = await talk.refused(
        "GET", f"{path}?count=many", as_="anna", status=400, code="ERR_BAD_REQUEST"
    )

    assert list(details) == ["count"]
