"""The immediate effects of leaving, resetting or deleting a conversation."""

import pytest
from tests.api.access.town import allow
from tests.api.messages.talk import group, import_past, past, say, texts, to_group, to_user
from tests.clock import START
from tests.world import CallOptions, Json, Node, World

from hubbub.domain.erasure.erase import erase_all

NO_MESSAGE = "ERR_MESSAGE_ID_NOT_FOUND"
OF_TEA = "/groups/tea/messages?category=message"
PIN_OF_BEN = "/users/ben/conversation/pin"


async def change_settings(world: World, **settings: bool | int) -> None:
    """Change settings of the app; `_` stands for the dot in a key."""
    given = {name.replace("_", "."): value for name, value in settings.items()}
    await world.put("/settings", {"settings": given})


@pytest.fixture
async def tea(world: World) -> World:
    """A group with Anna and Ben, where Anna has written a message; Cleo is not in it."""
    await world.users("anna", "ben", "cleo")
    await group(world, "tea", "anna", "ben")
    await say(world, "anna", to_group("tea", "A secret", muid="m"))
    return world


async def secret(world: World) -> str:
    """Return the id of Anna's message."""
    (row,) = await world.get(OF_TEA)
    id_: str = row["id"]
    return id_


# Joining and leaving ----------------------------------------------------------------------------


async def test_a_new_member_reads_earlier_messages(tea: World) -> None:
    """By default, new members see the history of a group."""
    await tea.post("/groups/tea/members", as_="cleo")

    assert await texts(tea, OF_TEA, as_="cleo") == ["A secret"]


async def test_history_may_begin_with_the_membership(tea: World) -> None:
    """With the setting off, users who join, are added or come back see no earlier messages."""
    await change_settings(tea, groups_historyForNewMembers=False)
    await tea.delete("/groups/tea/members/ben", as_="ben")
    await tea.post("/groups/tea/members", as_="ben")
    await tea.post("/groups/tea/members", {"participants": ["cleo"]})

    for uid in ("ben", "cleo"):
        assert await texts(tea, OF_TEA, as_=uid) == []
        path = f"/messages/{await secret(tea)}"
        await tea.refused("GET", path, as_=uid, status=404, code=NO_MESSAGE)
    await say(tea, "anna", to_group("tea", "Welcome"))
    assert await texts(tea, OF_TEA, as_="cleo") == ["Welcome"]
    assert await texts(tea, OF_TEA, as_="anna") == ["A secret", "Welcome"]


async def test_former_tags_find_nothing_after_rejoining(tea: World) -> None:
    """The tags of a conversation end with the membership, in lists as well."""
    await tea.put("/groups/tea/conversation", {"tags": ["work"]}, as_="anna")
    await tea.delete("/groups/tea/members/anna", as_="anna")
    await tea.post("/groups/tea/members", as_="anna")

    assert "tags" not in await tea.get("/groups/tea/conversation", as_="anna")
    assert await tea.get("/conversations?tags=work", as_="anna") == []


async def test_the_pin_of_a_left_group_does_not_count(tea: World) -> None:
    """A user who left a pinned group may pin another conversation instead."""
    await change_settings(tea, limits_pinnedConversations=1)
    await say(tea, "anna", to_user("ben"))
    await tea.post("/groups/tea/conversation/pin", as_="anna")
    await tea.delete("/groups/tea/members/anna", as_="anna")

    assert "pinnedAt" in await tea.post(PIN_OF_BEN, as_="anna")
    await tea.post("/groups/tea/members", as_="anna")
    assert "pinnedAt" not in await tea.get("/groups/tea/conversation", as_="anna")


# Resetting --------------------------------------------------------------------------------------


async def test_the_pin_of_a_reset_conversation_does_not_count(world: World) -> None:
    """A user who reset a pinned conversation may pin another one instead."""
    await world.users("anna", "ben", "cleo")
    await change_settings(world, limits_pinnedConversations=1)
    for other in ("ben", "cleo"):
        await say(world, "anna", to_user(other))
    await world.post("/users/cleo/conversation/pin", as_="anna")
    await world.delete("/users/cleo/conversation", as_="anna")

    assert "pinnedAt" in await world.post(PIN_OF_BEN, as_="anna")
    await say(world, "cleo", to_user("anna", "Back"))
    assert "pinnedAt" not in await world.get("/users/cleo/conversation", as_="anna")


async def test_a_reset_leaves_the_others_pins(tea: World) -> None:
    """Participants who have not reset the conversation keep their pins of it."""
    for uid in ("anna", "ben"):
        await tea.post("/groups/tea/conversation/pin", as_=uid)
    await tea.delete("/groups/tea/conversation", as_="anna")

    assert "pinnedAt" in await tea.get("/groups/tea/conversation", as_="ben")


# Deletion for all -------------------------------------------------------------------------------


@pytest.fixture
async def ended(tea: World) -> World:
    """The group after its conversation was deleted for all, before the erasure."""
    await tea.delete("/conversations/group_tea", as_="anna")
    return tea


async def test_messages_to_be_erased_are_not_found(tea: World) -> None:
    """Messages from before the deletion are found nowhere, at once."""
    id_ = await secret(tea)
    await tea.delete("/conversations/group_tea", as_="anna")

    for path in (OF_TEA, "/messages", "/messages?conversationId=group_tea"):
        assert await texts(tea, path) == []
    for path in (f"/messages/{id_}", f"/messages/{id_}/receipts", f"/messages/{id_}/thread"):
        await tea.refused("GET", path, status=404, code=NO_MESSAGE)
    await tea.refused("POST", f"/messages/{id_}/pin", status=404, code=NO_MESSAGE)
    place = f"{OF_TEA}&id={id_}"
    assert list(await tea.refused("GET", place, status=400, code="ERR_BAD_REQUEST")) == ["id"]


async def test_messages_to_be_erased_cannot_be_quoted(tea: World) -> None:
    """Nobody, not even the app, can quote deleted messages or reply to them."""
    id_ = await secret(tea)
    await tea.delete("/conversations/group_tea", as_="anna")

    quoting = to_group("tea", "As she said", quotedMessageId=id_)
    await tea.refused("POST", "/messages", quoting, status=404, code=NO_MESSAGE)
    reply = {"data": {"text": "Well"}}
    path = f"/messages/{id_}/thread"
    await tea.refused("POST", path, reply, as_="anna", status=404, code=NO_MESSAGE)


async def test_new_members_find_nothing_of_a_deleted_conversation(ended: World) -> None:
    """New members do not see messages from before the deletion either."""
    await ended.post("/groups/tea/members", as_="cleo")

    assert await texts(ended, OF_TEA, as_="cleo") == []
    await say(ended, "anna", to_group("tea", "Anew"))
    assert await texts(ended, OF_TEA, as_="cleo") == ["Anew"]


async def test_no_deleted_conversation_shows_a_message(ended: World, node: Node) -> None:
    """Deleting the only later message does not bring back earlier ones."""
    await change_settings(ended, core_conversations_updateOnGroupActions=False)
    said = await say(ended, "anna", to_group("tea", "Something new"))
    await ended.delete(f"/messages/{said['id']}", {"permanent": True}, as_="anna")
    await ended.post("/groups/tea/members", as_="cleo")
    for _ in range(2):
        shown = await ended.get("/groups/tea/conversation", as_="cleo")
        assert "lastMessage" not in shown
        assert shown["updatedAt"] == shown["createdAt"]
        await erase_all(node.runtime)


async def test_pins_of_users_are_removed_and_the_app_pin_stays(tea: World) -> None:
    """The deletion removes pins of members, but not the app's pin."""
    await change_settings(tea, limits_pinnedConversations=1)
    await tea.post("/groups/tea/conversation/pin", as_="anna")
    await tea.post("/groups/tea/conversation/pin")
    await tea.delete("/conversations/group_tea", as_="anna")
    await say(tea, "anna", to_user("ben"))

    assert "pinnedAt" in await tea.post(PIN_OF_BEN, as_="anna")
    await say(tea, "anna", to_group("tea", "Anew"))
    assert "pinnedAt" in await tea.get("/groups/tea/conversation", as_="anna")
    await tea.delete("/groups/tea/conversation/pin")
    assert "pinnedAt" not in await tea.get("/groups/tea/conversation", as_="anna")


async def test_deleted_pinned_messages_do_not_count(tea: World) -> None:
    """Pinned messages that were deleted with their conversation no longer count."""
    await change_settings(tea, limits_pinnedMessages=1)
    await tea.post(f"/messages/{await secret(tea)}/pin", as_="anna")
    await tea.delete("/conversations/group_tea", as_="anna")
    said = await say(tea, "anna", to_group("tea", "Anew"))

    assert "pinnedAt" in await tea.post(f"/messages/{said['id']}/pin", as_="anna")
    pinned = "/groups/tea/messages?pinned=true"
    assert await texts(tea, pinned) == await texts(tea, pinned, as_="ben") == ["Anew"]


ENDINGS: list[tuple[str, Json | None]] = [
    ("/conversations/group_tea", None),
    ("/groups/tea/conversation", {"deleteMessagesPermanently": True}),
    ("/conversations/anna_user_ben", None),
    ("/users/ben/conversation", {"deleteMessagesPermanently": True}),
]


@pytest.mark.parametrize(("path", "body"), ENDINGS)
@pytest.mark.parametrize("is_erased", [False, True])
async def test_a_repeated_muid_brings_nothing_back(
    tea: World, node: Node, path: str, body: Json | None, *, is_erased: bool
) -> None:
    """The muid of a message deleted with its conversation is still used, except for imports."""
    said = to_group("tea", muid="n") if "tea" in path else to_user("ben", muid="n")
    await say(tea, "anna", said)
    await tea.delete(path, body, as_="anna")
    if is_erased:
        await erase_all(node.runtime)

    for muid in ("n0", "n1"):
        await tea.refused("POST", "/messages", said, status=404, code=NO_MESSAGE, as_="anna")
        await say(tea, "anna", {**said, "muid": muid})
    row = {"muid": "n", **past("anna", said, START)}
    outcome = (await import_past(tea, n=row))["n"]
    assert outcome["success"], outcome
    assert (await say(tea, "anna", said))["id"] == outcome["data"]["id"]
    muids = {row["muid"] for row in await tea.get("/messages")} - {"m"}
    assert muids == {"n", "n0", "n1"}


@pytest.mark.parametrize("is_erased", [False, True])
@pytest.mark.parametrize("path", ["/users/anna", "/users/ben", "/groups/tea"])
async def test_muids_are_free_when_ids_change_hands(
    tea: World, node: Node, path: str, *, is_erased: bool
) -> None:
    """To or from a new user, or in a new group, an earlier muid is free."""
    body = to_group("tea", "Anew", muid="m") if "tea" in path else to_user("ben", "Anew", muid="n")
    if "tea" not in path:
        await say(tea, "anna", {**body, "data": {"text": "Old"}})
    if "anna" in path:
        await tea.delete("/conversations/anna_user_ben", as_="anna")
    await tea.delete(path, {"permanent": True} if "users" in path else None)
    if is_erased:
        await erase_all(node.runtime)
    if "tea" in path:
        await group(tea, "tea", "anna", "ben")
    else:
        await tea.user(path.removeprefix("/users/"))

    assert (await say(tea, "anna", body))["data"]["text"] == "Anew"
    await erase_all(node.runtime)
    assert (await say(tea, "anna", body))["data"]["text"] == "Anew"


async def test_a_reset_with_messages_ends_them_at_once(tea: World) -> None:
    """With an API key a reset that deletes the messages hides them from everyone at once."""
    await tea.delete("/groups/tea/conversation", {"deleteMessagesPermanently": True}, as_="ben")
    await tea.post("/groups/tea/members", as_="cleo")

    assert await texts(tea, OF_TEA) == await texts(tea, OF_TEA, as_="cleo") == []


# Permissions ------------------------------------------------------------------------------------

FOR_GOOD = {"deleteMessagesPermanently": True}
OF_CLEO = "/users/cleo/conversation"
IN_TEA = "/groups/tea/conversation"
ENDS: list[tuple[str, object]] = [
    (OF_CLEO, FOR_GOOD),
    (IN_TEA, FOR_GOOD),
    ("/conversations/group_tea", None),
]


@pytest.mark.parametrize(("path", "body"), ENDS)
async def test_a_role_that_may_not_delete_ends_no_history(
    tea: World, path: str, body: object
) -> None:
    """A role that may not delete messages cannot delete a history with its conversation either."""
    await say(tea, "anna", to_user("cleo", "Another secret"))
    token = await tea.token("anna")
    ways: list[CallOptions] = [{"as_": "anna"}, {"token": token}]
    await allow(tea, "deleteMessage", "deny", "/roles/default")

    for how in ways:
        code = "ERR_PERMISSION_DENIED"
        assert list(await tea.refused("DELETE", path, body, status=403, code=code, **how)) == [
            "deleteMessage"
        ]
    assert await texts(tea, OF_TEA) == ["A secret"]
    assert await texts(tea, "/users/cleo/messages") == ["Another secret"]
    await tea.delete(OF_CLEO, {}, as_="anna")


@pytest.mark.parametrize(("path", "body"), ENDS[1:])
async def test_a_scope_that_may_delete_no_messages(tea: World, path: str, body: object) -> None:
    """In a scope in which a role may not delete messages, it cannot delete the history."""
    scopes = ["admin", "participant"]
    await allow(tea, "deleteMessage.denyForScopes", scopes, "/roles/default")
    ways: list[CallOptions] = [{"as_": "ben"}, {"token": await tea.token("ben")}]

    for how in ways:
        await tea.refused("DELETE", path, body, status=403, code="ERR_PERMISSION_DENIED", **how)
    assert await texts(tea, OF_TEA) == ["A secret"]
