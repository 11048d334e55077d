"""Conversations: lists, filters, tags, pins, resets, and deletion for all."""

import pytest
from tests.api.messages.talk import group, import_past, past, say, texts, to_group, to_user
from tests.clock import ManualClock
from tests.engines import one_engine
from tests.world import Json, Node, World

from hubbub.domain.erasure.erase import erase_all

NOT_YOURS = "ERR_CONVERSATION_NOT_ACCESSIBLE"


@pytest.fixture
async def town(world: World, clock: ManualClock) -> World:
    """Anna, Ben and Chiara; a group of all three; each has written to Anna."""
    await world.users("anna", "ben", "chiara")
    members = {"participants": ["ben", "chiara"]}
    group = {"guid": "hikers", "name": "Hikers", "type": "public", "members": members}
    await world.post("/groups", {**group, "tags": ["outdoors"]}, as_="anna")
    for sender, body in (
        ("ben", to_user("anna", "Hi")),
        ("chiara", to_user("anna", "Hello")),
        ("anna", to_group("hikers", "When?")),
    ):
        clock.advance(1)
        await say(world, sender, body)
    return world


async def ids(world: World, uid: str, query: str = "") -> list[str]:
    """Return the ids of a user's conversations, in the order of the list."""
    rows: list[Json] = await world.get(f"/conversations{query}", as_=uid)
    return [row["conversationId"] for row in rows]


async def test_newest_first(town: World) -> None:
    """The conversation with the latest message comes first."""
    assert await ids(town, "anna") == ["group_hikers", "anna_user_chiara", "anna_user_ben"]

    await say(town, "anna", to_user("ben", "Hi, Ben"))
    assert await ids(town, "anna") == ["anna_user_ben", "group_hikers", "anna_user_chiara"]
    assert town.answer.meta["pagination"]["total"] == 3


async def test_conversations_of_all_users(town: World) -> None:
    """Without an acting user the list has all users' conversations, by uid, then newest first."""
    rows = await town.get("/conversations")

    assert [row["conversationId"] for row in rows] == [
        *("group_hikers", "anna_user_chiara", "anna_user_ben"),
        *("group_hikers", "anna_user_ben"),
        *("group_hikers", "anna_user_chiara"),
    ]


async def test_every_page_has_the_total(town: World) -> None:
    """The total is the number of all conversations, also on the last page and behind it."""
    totals, listed = [], []
    for page in (1, 2, 3):
        listed.append(await ids(town, "anna", f"?perPage=2&page={page}"))
        totals.append(town.answer.meta["pagination"]["total"])

    assert listed == [["group_hikers", "anna_user_chiara"], ["anna_user_ben"], []]
    assert totals == [3, 3, 3]


async def test_pins_show_their_times(town: World, clock: ManualClock) -> None:
    """Pinned conversations come first, each with the time of its pin."""
    clock.advance(1)
    await town.post("/users/ben/conversation/pin", as_="anna")
    clock.advance(1)
    await town.post("/groups/hikers/conversation/pin", as_="anna")
    rows = await town.get("/conversations", as_="anna")
    listed = ["group_hikers", "anna_user_ben", "anna_user_chiara"]
    now = clock.now()

    assert [row["conversationId"] for row in rows] == listed
    assert [row.get("pinnedAt") for row in rows] == [now, now - 1, None]


async def test_conversations_of_one_second(world: World) -> None:
    """Conversations of the same second are sorted by the other user or group."""
    await world.users("anna", "ben", "cleo", "dora")
    await group(world, "chess", "anna")
    for other in ("cleo", "dora", "ben"):
        await say(world, "anna", to_user(other))
    await say(world, "anna", to_group("chess"))

    listed = ["anna_user_ben", "group_chess", "anna_user_cleo", "anna_user_dora"]
    assert await ids(world, "anna") == listed
    rows = await world.get("/conversations")
    assert [row["conversationId"] for row in rows][: len(listed)] == listed


async def test_no_conversation_is_updated_before_it_is_created(
    world: World, clock: ManualClock
) -> None:
    """Permanently deleting its last message does not move a conversation in the list."""
    await world.users("anna", "ben")
    await say(world, "anna", to_user("ben", updateConversation=False))
    await import_past(world, old=past("anna", to_user("ben"), clock.now() - 1000))
    before = await world.get("/users/ben/conversation", as_="anna")
    said = await say(world, "anna", to_user("ben"))
    await world.delete(f"/messages/{said['id']}", {"permanent": True}, as_="anna")

    after = await world.get("/users/ben/conversation", as_="anna")
    assert before["updatedAt"] == after["updatedAt"] == after["createdAt"]


async def test_the_row_of_a_conversation(town: World) -> None:
    """A conversation shows the other user or group, the last message, and the unread count."""
    row = await town.get("/users/ben/conversation", as_="anna")

    assert row["conversationId"] == "anna_user_ben"
    assert row["conversationType"] == "user"
    assert row["conversationWith"]["uid"] == "ben"
    assert row["conversationWith"]["conversationId"] == "anna_user_ben"
    assert row["lastMessage"]["data"]["text"] == "Hi"
    assert row["unreadMessageCount"] == "1"
    group = await town.get("/groups/hikers/conversation", as_="ben")
    assert (group["conversationType"], group["conversationWith"]["guid"]) == ("group", "hikers")
    assert group["conversationWith"]["scope"] == "participant"


async def test_no_conversation_without_a_message(town: World) -> None:
    """There is no conversation before the first message."""
    await town.refused("GET", "/users/chiara/conversation", as_="ben", status=404, code=NOT_YOURS)
    await town.refused(
        "GET", "/users/nobody/conversation", as_="ben", status=404, code="ERR_UID_NOT_FOUND"
    )
    await town.refused(
        "GET", "/groups/nowhere/conversation", as_="ben", status=404, code="ERR_GUID_NOT_FOUND"
    )


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?conversationType=user", ["anna_user_chiara", "anna_user_ben"]),
        ("?conversationType=group", ["group_hikers"]),
        ("?unread=true", ["anna_user_chiara", "anna_user_ben"]),
        ("?searchKey=BE", ["anna_user_ben"]),
        ("?searchKey=hik", ["group_hikers"]),
        ("?searchKey=anna", []),
        ("?groupTags=outdoors", ["group_hikers"]),
        ("?userTags=cook", ["anna_user_ben"]),
        ("?userTags=cook&groupTags=outdoors", ["group_hikers", "anna_user_ben"]),
        ("?tags=work", []),
        ("?perPage=1&page=2", ["anna_user_chiara"]),
    ],
)
async def test_filters(town: World, query: str, found: list[str]) -> None:
    """Each filter returns exactly what it says."""
    await town.put("/users/ben", {"tags": ["cook"]})

    assert await ids(town, "anna", query) == found


async def test_tags_are_private(town: World) -> None:
    """A user's tags of a conversation are not visible to others."""
    row = await town.put("/users/ben/conversation", {"tags": ["work", "x", "work"]}, as_="anna")

    assert row["tags"] == ["work", "x"]
    assert await ids(town, "anna", "?tags=work") == ["anna_user_ben"]
    assert await ids(town, "ben", "?tags=work") == []
    await town.put("/users/ben/conversation", {"tags": []}, as_="anna")
    assert await ids(town, "anna", "?tags=work") == []


async def test_conversations_with_blocked_users_are_left_out(town: World) -> None:
    """Conversations with users blocked by the reader are listed on request only."""
    await town.post("/users/anna/blockedusers", {"blockedUids": ["ben"]})

    assert await ids(town, "anna") == ["group_hikers", "anna_user_chiara"]
    assert "anna_user_ben" in await ids(town, "anna", "?includeBlockedUsers=true")
    assert "anna_user_ben" in await ids(town, "ben")


async def test_a_reset_hides_messages(town: World) -> None:
    """A reset hides a conversation for its user until the next message; the other keeps it."""
    done = await town.delete("/users/ben/conversation", {}, as_="anna")

    assert done["message"].endswith("has been deleted successfully for UID anna.")
    assert "anna_user_ben" not in await ids(town, "anna")
    assert await texts(town, "/users/ben/messages", as_="anna") == []
    assert await texts(town, "/users/anna/messages", as_="ben") == ["Hi"]
    await say(town, "ben", to_user("anna", "Again"))
    row = await town.get("/users/ben/conversation", as_="anna")
    assert row["unreadMessageCount"] == "1"
    assert await texts(town, "/users/ben/messages", as_="anna") == ["Again"]


async def test_a_reset_with_messages(node: Node, town: World) -> None:
    """With an API key a reset deletes the messages permanently; with a token the user's own."""
    await say(town, "anna", to_user("ben", "Mine"))
    token = await town.token("anna")
    asked = {"deleteMessagesPermanently": True}
    await town.delete("/users/ben/conversation", asked, token=token)
    await erase_all(node.runtime)

    assert await texts(town, "/users/anna/messages", as_="ben") == ["Hi"]
    await town.delete("/users/anna/conversation", asked, as_="ben")
    await erase_all(node.runtime)
    assert await texts(town, "/users/anna/messages", as_="ben") == []


async def test_a_conversation_is_deleted_for_all(node: Node, town: World) -> None:
    """Neither user finds a conversation that was deleted for all; the next message starts anew."""
    await town.delete("/conversations/anna_user_ben", as_="anna")

    assert "anna_user_ben" not in await ids(town, "anna")
    assert "anna_user_ben" not in await ids(town, "ben")
    await say(town, "ben", to_user("anna", "Anew"))
    await erase_all(node.runtime)
    assert await texts(town, "/users/ben/messages", as_="anna") == ["Anew"]


async def test_a_group_conversation_is_deleted_for_all(node: Node, town: World) -> None:
    """The group itself remains without its messages; with a token only its admins may do so."""
    ben, anna = await town.token("ben"), await town.token("anna")
    path = "/conversations/group_hikers"
    await town.refused("DELETE", path, token=ben, status=403, code="ERR_GROUP_NO_ADMIN_SCOPE")
    await town.delete(path, token=anna)
    await erase_all(node.runtime)

    assert await ids(town, "ben") == ["anna_user_ben"]
    assert await town.get("/groups/hikers/messages") == []
    await say(town, "ben", to_group("hikers", "Still here"))
    assert await texts(town, "/groups/hikers/messages", as_="chiara") == ["Still here"]


async def test_a_token_deletes_no_conversation_for_the_other(town: World) -> None:
    """With a token a user cannot delete a conversation for the other user."""
    token = await town.token("anna")

    await town.refused(
        "DELETE",
        "/conversations/anna_user_ben",
        token=token,
        status=403,
        code="ERR_MESSAGE_NO_ACCESS",
    )


async def test_pins_come_first(town: World) -> None:
    """The app's pins come first for all, then the user's pins, then the rest."""
    row = await town.post("/users/ben/conversation/pin", as_="anna")

    assert "pinnedAt" in row
    assert await ids(town, "anna") == ["anna_user_ben", "group_hikers", "anna_user_chiara"]
    await town.post("/groups/hikers/conversation/pin")
    assert await ids(town, "anna") == ["group_hikers", "anna_user_ben", "anna_user_chiara"]
    assert await ids(town, "anna", "?pinned=true") == ["group_hikers", "anna_user_ben"]
    await town.refused(
        "DELETE",
        "/groups/hikers/conversation/pin",
        as_="anna",
        status=403,
        code="ERR_SYSTEM_PINNED_CONVERSATION",
    )
    await town.delete("/groups/hikers/conversation/pin")
    await town.delete("/users/ben/conversation/pin", as_="anna")
    assert await ids(town, "anna", "?pinned=true") == []


async def test_the_limit_of_pins(town: World) -> None:
    """A user may pin as many conversations as the setting allows, and so may the app."""
    await town.put("/settings", {"settings": {"limits.pinnedConversations": 1}})
    await town.post("/users/ben/conversation/pin", as_="anna")

    await town.post("/users/ben/conversation/pin", as_="anna")
    await town.refused(
        "POST",
        "/users/chiara/conversation/pin",
        as_="anna",
        status=400,
        code="ERR_PINNED_CONVERSATIONS_LIMIT_EXCEEDED",
    )


async def test_an_old_message_moves_nothing_up(town: World, clock: ManualClock) -> None:
    """An imported message counts as unread, but changes neither order nor last message."""
    await import_past(town, m1=past("ben", to_user("anna", "Long ago"), 1_000))

    assert (await ids(town, "anna"))[-1] == "anna_user_ben"
    row = await town.get("/users/ben/conversation", as_="anna")
    assert (row["lastMessage"]["data"]["text"], row["unreadMessageCount"]) == ("Hi", "2")


@pytest.mark.parametrize("tags", [["x"] * 26, [""], ["x" * 101], [1], "x"])
@one_engine
async def test_invalid_tags(town: World, tags: object) -> None:
    """Too many tags, or empty or long ones, are refused, and nothing changes."""
    if tags == ["x"] * 26:
        tags = [f"x{number}" for number in range(26)]
    await town.refused(
        "PUT",
        "/users/ben/conversation",
        {"tags": tags},
        as_="anna",
        status=400,
        code="ERR_BAD_REQUEST",
    )
