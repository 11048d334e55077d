"""Permissions of a role limit what its users find in lists, whatever they request."""

import pytest
from tests.api.access.town import Town, allow, forget, make_town, message, new_group, others
from tests.api.groups.clubs import guids
from tests.api.messages.talk import say, texts, to_user
from tests.world import CallOptions, Json, World

MESSAGE_LISTS = ("/messages", "/users/ben/messages", "/groups/club/messages")


@pytest.fixture
async def town(world: World) -> Town:
    """Anna is a guest, in the club with all the others."""
    return await make_town(world)


@pytest.mark.parametrize(
    ("query", "listed"),
    [
        ("", {"gina", "greta"}),
        ("?roles=guest,default", {"gina", "greta"}),
        ("?role=default", set()),
        ("?searchKey=g", {"gina", "greta"}),
        ("?searchKey=ben", set()),
    ],
)
async def test_users_of_allowed_roles_are_listed(town: Town, query: str, listed: set[str]) -> None:
    """`listUsers.allowedRoles` limits lists to users of these roles, whatever is requested."""
    await allow(town.world, "listUsers.allowedRoles", ["guest"])

    for how in town.ways:
        assert await others(town.world, query, how) == listed
    assert "ben" in await others(town.world, "", {"as_": "paula"})
    assert "ben" in await others(town.world, "", {})
    await forget(town.world, "listUsers.allowedRoles")
    assert "ben" in await others(town.world, "", town.ways[0])


async def test_friends_of_allowed_roles_are_listed(town: Town) -> None:
    """With `.mode` and `.allowedRoles` lists show friends of these roles."""
    await allow(town.world, "listUsers.mode", "friends")
    await allow(town.world, "listUsers.allowedRoles", ["guest"])

    for how in town.ways:
        assert await others(town.world, "", how) == {"gina"}


@pytest.mark.parametrize(
    ("allowed", "query", "listed"),
    [
        (["public"], "", {"club", "a-public"}),
        (["password"], "", {"a-password"}),
        (["public", "private"], "", {"club", "a-public", "a-private"}),
        (["public"], "?type=password", set()),
        (["public"], "?types=password,public", {"club", "a-public"}),
        (["private"], "?hasJoined=true", {"a-private"}),
        (["password"], "?hasJoined=true", set()),
        (["password"], "?searchKey=a-p", {"a-password"}),
        ([], "", {"club", "a-public", "a-password", "a-private"}),
    ],
)
async def test_groups_of_allowed_types_are_listed(
    town: Town, allowed: list[str], query: str, listed: set[str]
) -> None:
    """`listGroups.allowedGroupTypes` limits lists to these types, whatever is requested."""
    for type_ in ("public", "password", "private"):
        await town.world.post("/groups", new_group(f"a-{type_}", type_))
    await town.world.post("/groups/a-private/members", {"participants": ["anna"]})
    await allow(town.world, "listGroups.allowedGroupTypes", allowed)

    for how in town.ways:
        assert set(await guids(town.world, f"/groups{query}", **how)) == listed
        assert town.world.answer.meta["pagination"]["total"] == len(listed)
    assert len(await guids(town.world, "/groups")) == 4
    await forget(town.world, "listGroups.allowedGroupTypes")
    assert len(await guids(town.world, "/groups", **town.ways[0])) == 4


async def kinds(world: World, path: str, how: CallOptions) -> set[str]:
    """Return the kinds of the messages in a list."""
    return {f"{row['category']}/{row['type']}" for row in await world.get(path, **how)}


@pytest.mark.parametrize(
    ("permission", "allowed", "query", "listed"),
    [
        ("Categories", ["message"], "", {"message/text", "message/image"}),
        ("Categories", ["custom"], "", {"custom/place"}),
        ("Categories", ["custom", "interactive"], "", {"custom/place", "interactive/form"}),
        ("Categories", ["message"], "?category=custom", set()),
        ("Categories", ["message"], "?type=text", {"message/text"}),
        ("Categories", ["message"], "?categories=custom,interactive", set()),
        ("Types", ["text"], "?category=message", {"message/text"}),
        ("Types", ["image", "video"], "?category=message", {"message/image"}),
        ("Types", ["text"], "?type=image", set()),
        ("Types", ["text"], "?types=image,text", {"message/text"}),
    ],
)
async def test_messages_of_allowed_kinds_are_listed(
    town: Town, permission: str, allowed: list[str], query: str, listed: set[str]
) -> None:
    """`listMessages.allowedMessage…` limits lists to these kinds, whatever is requested."""
    for what in ("text", "photo", "place", "form"):
        for receiver in ("anna", "club"):
            await town.world.post("/messages", message(what, receiver), as_="ben")
    await allow(town.world, f"listMessages.allowedMessage{permission}", allowed)

    for path in MESSAGE_LISTS:
        for how in town.ways:
            assert await kinds(town.world, path + query, how) == listed, path
    assert len(await kinds(town.world, "/messages", {})) == 4
    assert len(await kinds(town.world, "/groups/club/messages", {"as_": "ben"})) == 4
    await forget(town.world, f"listMessages.allowedMessage{permission}")
    assert len(await kinds(town.world, "/messages", town.ways[0])) == 4


async def test_action_messages_can_be_listed(town: Town) -> None:
    """With the category `action` lists show joins and edits; without it they do not."""
    text = await say(town.world, "ben", message("text", "club"))
    await town.world.put(f"/messages/{text['id']}", {"data": {"text": "Bye"}}, as_="ben")
    await town.world.user("nora")
    await town.world.post("/groups/club/members", {}, as_="nora")
    action_kinds = {"action/message", "action/groupMember"}
    for categories, listed in ((["message"], set()), (["message", "action"], action_kinds)):
        await allow(town.world, "listMessages.allowedMessageCategories", categories)

        for how in town.ways:
            for path in ("/messages", "/groups/club/messages"):
                assert await kinds(town.world, path, how) == {"message/text", *listed}


async def test_messages_of_other_kinds_are_not_seen_elsewhere(town: Town) -> None:
    """Others' messages of a kind that is not listed are neither found by id nor shown elsewhere."""
    place = await say(town.world, "ben", message("place", "anna"))
    quoting = await say(town.world, "ben", to_user("anna", quotedMessageId=place["id"]))
    reply = await town.world.post(
        f"/messages/{place['id']}/thread", {"data": {"text": "A reply"}}, as_="ben"
    )
    await allow(town.world, "listMessages.allowedMessageCategories", ["message"])

    path = f"/messages/{place['id']}"
    for how in town.ways:
        for method, rest in HIDDEN:
            body = {"data": {"text": "Hi"}} if rest == "/thread" else {}
            asked = None if method == "GET" else body
            call = (method, path + rest, asked)
            await town.world.refused(*call, status=404, code="ERR_MESSAGE_ID_NOT_FOUND", **how)
        rows = await town.world.get("/messages?withParent=1", **how)
        assert [row["id"] for row in rows] == [quoting["id"], reply["id"]]
        assert all({"quotedMessage", "parentMessage"}.isdisjoint(row) for row in rows)
    everybody_else: list[CallOptions] = [{}, {"as_": "ben"}]
    for seeing in everybody_else:
        shown = await town.world.get("/messages?withParent=1&type=text", **seeing)
        assert shown[0]["quotedMessage"]["id"] == shown[1]["parentMessage"]["id"] == place["id"]
        assert (await town.world.get(path, **seeing))["id"] == place["id"]


HIDDEN = [
    ("GET", ""),
    ("GET", "/thread"),
    ("GET", "/reactions"),
    ("GET", "/receipts"),
    ("POST", "/thread"),
    ("POST", "/pin"),
    ("POST", "/save"),
    ("POST", "/reactions/wave"),
    ("DELETE", "/reactions/wave"),
]


async def test_own_messages_of_other_kinds(town: Town) -> None:
    """A user finds their own messages by id and may change them, of any kind."""
    await allow(town.world, "listMessages.allowedMessageCategories", ["message"])
    for how in town.ways:
        place = await town.world.post("/messages", message("place", "ben"), **how)
        path = f"/messages/{place['id']}"

        assert (await town.world.get(path, **how))["id"] == place["id"]
        await town.world.put(path, {"tags": ["a"]}, **how)
        await town.world.delete(path, {"permanent": True}, **how)


@pytest.mark.parametrize("receiver", ["anna", "club"])
async def test_a_last_message_of_another_kind(town: Town, receiver: str) -> None:
    """A conversation has no `lastMessage` for users whose role may not list its kind."""
    world = town.world
    await world.post("/messages", message("place", receiver), as_="ben")
    await allow(world, "listMessages.allowedMessageCategories", ["message"])
    path = "/groups/club/conversation" if receiver == "club" else "/users/ben/conversation"
    id_ = (await world.get(path, as_="anna"))["conversationId"]

    for how in town.ways:
        told = [
            await world.get(path, **how),
            await world.get(f"/conversations/{id_}", **how),
            *await world.get("/conversations", **how),
            await world.put(path, {"tags": ["a"]}, **how),
            await world.post(f"{path}/pin", **how),
        ]
        assert len(told) == 5
        assert all("lastMessage" not in each for each in told)
        assert {each["unreadMessageCount"] for each in told} == {"1"}
    for row in (*await world.get("/conversations"), *await world.get("/conversations", as_="ben")):
        assert row["lastMessage"]["type"] == "place"
    await world.post("/messages", message("text", receiver), as_="ben")
    for how in town.ways:
        assert (await world.get(path, **how))["lastMessage"]["type"] == "text"


async def test_numbers_of_messages_of_allowed_kinds(town: Town) -> None:
    """Only messages that may be listed are counted, unread or not."""
    for what in ("text", "place", "place"):
        await town.world.post("/messages", message(what, "anna"), as_="ben")
    await allow(town.world, "listMessages.allowedMessageCategories", ["message"])

    for how in town.ways:
        for query in ("count=1", "count=1&unread=1"):
            (row,) = await town.world.get(f"/messages?{query}", **how)
            assert row == {"entityType": "user", "entityId": "ben", "count": 1}


async def test_pages_of_messages_of_allowed_kinds(town: Town) -> None:
    """Messages that may not be listed leave no gaps: a page has as many rows as requested."""
    for number in range(6):
        await say(town.world, "ben", to_user("anna", str(number)))
        await say(town.world, "ben", message("place", "anna"))
    await allow(town.world, "listMessages.allowedMessageCategories", ["message"])

    path = "/users/ben/messages?limit=4&affix=append"
    assert await texts(town.world, path, **town.ways[0]) == ["0", "1", "2", "3"]
    next_ = town.world.answer.meta["next"]
    rest = f"{path}&id={next_['id']}&sentAt={next_['sentAt']}"
    assert await texts(town.world, rest, **town.ways[0]) == ["4", "5"]
    assert "next" not in town.world.answer.meta


QUOTING = {"data": {"text": "As he said"}}


async def test_unlisted_messages_cannot_be_quoted(town: Town) -> None:
    """A quote of a message whose kind is not listed is answered like that of a missing one."""
    texts_ = {to: await say(town.world, "ben", message("text", to)) for to in ("anna", "club")}
    places = {to: await say(town.world, "ben", message("place", to)) for to in ("anna", "club")}
    await allow(town.world, "listMessages.allowedMessageCategories", ["message"])

    for how in town.ways:
        for quoted in (places["anna"]["id"], "999999"):
            calls = [
                ("/messages", to_user("ben", quotedMessageId=quoted)),
                ("/messages", to_user("fred", quotedMessageId=quoted)),
                (
                    f"/messages/{texts_['anna']['id']}/thread",
                    {**QUOTING, "quotedMessageId": quoted},
                ),
            ]
            for path, body in calls:
                call = ("POST", path, body)
                await town.world.refused(*call, status=404, code="ERR_MESSAGE_ID_NOT_FOUND", **how)
        many = {"multipleReceivers": {"uids": ["ben"], "guids": ["club"]}, **QUOTING}
        body = {**many, "quotedMessageId": places["club"]["id"]}
        sent = await town.world.post("/messages", body, **how)
        for outcome in (sent["users"]["ben"], sent["groups"]["club"]):
            assert outcome["error"]["code"] == "ERR_MESSAGE_ID_NOT_FOUND"
        said = await town.world.post(
            "/messages", to_user("ben", quotedMessageId=texts_["anna"]["id"]), **how
        )
        assert said["quotedMessage"]["data"]["text"] == "Hello"


async def test_own_messages_can_be_quoted(town: Town) -> None:
    """Anna may quote her own messages, of any kind."""
    place = await say(town.world, "anna", message("place", "ben"))
    await allow(town.world, "listMessages.allowedMessageCategories", ["message"])

    for how in town.ways:
        body = to_user("ben", quotedMessageId=place["id"])
        assert (await town.world.post("/messages", body, **how))["quotedMessage"]["id"] == place[
            "id"
        ]


@pytest.mark.parametrize("call", ["mark", "unmark", "list"])
async def test_unlisted_messages_look_missing(town: Town, call: str) -> None:
    """Marking up to an unlisted message, or listing from it, is answered as if there were none."""
    place = await say(town.world, "ben", message("place", "anna"))
    await say(town.world, "ben", message("text", "anna"))
    await allow(town.world, "listMessages.allowedMessageCategories", ["message"])
    answers, read = [], "/users/ben/conversation/read"
    for id_ in (place["id"], "999999"):
        asked: dict[str, tuple[str, str, Json | None]] = {
            "mark": ("POST", read, {"messageId": id_}),
            "unmark": ("DELETE", read, {"messageId": id_}),
            "list": ("GET", f"/users/ben/messages?id={id_}", None),
        }
        found = [await town.world.ask(*asked[call], **how) for how in town.ways]
        answers.append([(each.status, str(each.error).replace(id_, "…")) for each in found])

    assert answers[0] == answers[1]
    assert {status for status, _ in answers[0]} <= {400, 404}
    await forget(town.world, "listMessages.allowedMessageCategories")
    if call == "mark":
        await town.world.post(read, {"messageId": place["id"]}, as_="anna")
