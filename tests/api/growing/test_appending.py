"""Messages that grow: what is appended, in which order, and by whom."""

from typing import Any

import pytest
from tests.api.growing.stream import append, begin, finish, shown
from tests.world import World

CALLS: tuple[tuple[str, Any], ...] = (
    ("append", {"text": "!", "sequence": 1}),
    ("finish", {}),
    ("stop", None),
)


@pytest.fixture(autouse=True)
async def people(world: World) -> None:
    """Create Anna, who writes, and Ben, who reads."""
    await world.users("anna", "ben", "cora")


async def test_a_message_grows(world: World) -> None:
    """A message has at once what is appended, with the sequence of the last append."""
    message = await begin(world, "Once")
    assert message["data"]["growing"] == {"sequence": 0}
    assert message["data"]["text"] == "Once"

    first = await append(world, message, " upon", 1)
    second = await append(world, message, " a time", 2)

    assert first == {"id": message["id"], "sequence": 1, "length": 9}
    assert second == {"id": message["id"], "sequence": 2, "length": 16}
    assert await shown(world, message) == {"text": "Once upon a time", "growing": {"sequence": 2}}


async def test_every_list_shows_the_text_so_far(world: World) -> None:
    """Histories, conversations, quotes and replies show what there is of a text."""
    message = await begin(world)
    await append(world, message, "Hello", 1)
    quoting = {"receiver": "anna", "receiverType": "user", "data": {"text": "Yes?"}}
    await world.post("/messages", {**quoting, "quotedMessageId": message["id"]}, as_="ben")

    [listed, quote] = await world.get("/users/anna/messages", as_="ben")
    [of_app, _] = await world.get("/messages")
    [conversation] = await world.get("/conversations", as_="anna")

    assert listed["data"]["text"] == of_app["data"]["text"] == "Hello"
    assert listed["data"]["growing"] == {"sequence": 1}
    assert quote["quotedMessage"]["data"]["text"] == "Hello"
    assert conversation["lastMessage"]["quotedMessage"]["data"]["growing"] == {"sequence": 1}


async def test_it_counts_from_its_beginning(world: World) -> None:
    """A message that grows is unread and the lastMessage once it begins, and once only."""
    message = await begin(world, "Wait")
    [before] = await world.get("/conversations", as_="ben")
    await append(world, message, "…", 1)
    await finish(world, message)
    [after] = await world.get("/conversations", as_="ben")

    assert before["unreadMessageCount"] == after["unreadMessageCount"] == "1"
    assert before["lastMessage"]["id"] == after["lastMessage"]["id"] == message["id"]


async def test_an_append_that_comes_again(world: World) -> None:
    """An append that was taken before changes nothing, and is answered as it was."""
    message = await begin(world)
    first = await append(world, message, "one", 1)
    await append(world, message, " two", 2)

    again = await append(world, message, "one", 1)

    assert again == first
    assert world.answer.headers["idempotent-replayed"] == "true"
    assert (await shown(world, message))["text"] == "one two"


async def test_a_gap(world: World) -> None:
    """An append that leaves a gap is refused, and told which one is next."""
    message = await begin(world)
    await append(world, message, "one", 1)

    details = await world.refused(
        "POST",
        f"/messages/{message['id']}/append",
        {"text": "three", "sequence": 3},
        as_="anna",
        status=409,
        code="ERR_SEQUENCE_GAP",
    )

    assert details == {"sequence": ["2"]}
    assert (await shown(world, message))["text"] == "one"


async def test_lengths_are_code_points_and_limits_are_bytes(world: World) -> None:
    """Lengths count code points; the limit counts the bytes of UTF-8, those of the start too."""
    await world.put("/settings", {"settings": {"limits.growingText": 10}})
    message = await begin(world, "äö")

    taken = await append(world, message, "🌱", 1)
    details = await world.refused(
        "POST",
        f"/messages/{message['id']}/append",
        {"text": "äöü", "sequence": 2},
        as_="anna",
        status=400,
        code="ERR_INVALID_MESSAGE_DATA",
    )

    assert taken["length"] == 3
    assert "limits.growingText is 10" in details["text"][0]
    assert (await append(world, message, "ä", 2))["length"] == 4
    await world.refused(
        "POST",
        "/messages",
        {"receiver": "ben", "receiverType": "user", "growing": True, "data": {"text": "x" * 11}},
        as_="anna",
        status=400,
        code="ERR_INVALID_MESSAGE_DATA",
    )


async def test_a_text_longer_than_other_data(world: World) -> None:
    """A text may grow beyond what a message may have that is sent at once."""
    message = await begin(world)
    for sequence in range(1, 6):
        await append(world, message, "0123456789" * 1000, sequence)

    ended = await finish(world, message)

    assert len(ended["data"]["text"]) == 50_000


async def test_who_may_append(world: World) -> None:
    """The sender and the app append; a participant is refused, and others find no message."""
    message = await begin(world)
    path, body = f"/messages/{message['id']}", {"text": "!", "sequence": 1}
    other = await world.user("dora")
    assert other["uid"] == "dora"

    for call, given in (("append", body), ("finish", {})):
        for uid, status, code in (
            ("ben", 403, "ERR_MESSAGE_NOT_A_SENDER"),
            ("dora", 404, "ERR_MESSAGE_ID_NOT_FOUND"),
        ):
            await world.refused("POST", f"{path}/{call}", given, as_=uid, status=status, code=code)
    await append(world, message, "by Anna", 1)
    for uid, status, code in (
        ("ben", 403, "ERR_MESSAGE_NOT_A_SENDER"),
        ("dora", 404, "ERR_MESSAGE_ID_NOT_FOUND"),
    ):
        await world.refused("POST", f"{path}/append", body, as_=uid, status=status, code=code)

    assert (await world.post(f"{path}/append", {"text": ", by the app", "sequence": 2}))["length"]
    assert (await shown(world, message))["text"] == "by Anna, by the app"


async def test_messages_that_do_not_grow(world: World) -> None:
    """Nothing is appended to a usual message, to one that has ended, or to one of another app."""
    usual = await world.post(
        "/messages", {"receiver": "ben", "receiverType": "user", "data": {"text": "Hi"}}, as_="anna"
    )
    ended = await begin(world)
    await finish(world, ended)
    for message in (usual, ended):
        for call, body in (
            ("append", {"text": "!", "sequence": 1}),
            ("finish", {}),
            ("stop", None),
        ):
            await world.refused(
                "POST",
                f"/messages/{message['id']}/{call}",
                body,
                as_="anna",
                status=409,
                code="ERR_MESSAGE_NOT_GROWING",
            )
    await world.refused(
        "POST",
        "/messages/999999/append",
        {"text": "!", "sequence": 1},
        status=404,
        code="ERR_MESSAGE_ID_NOT_FOUND",
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"category": "custom", "type": "x", "data": {"customData": {}}},
        {"type": "image", "data": {"attachments": [{"url": "https://a.example/b.png"}]}},
        {"data": {"text": 5}},
        {"data": {"text": "a", "metadata": []}},
        {"data": "text"},
        {"growing": False, "notify": "finished", "data": {"text": "a"}},
        {"notify": "later"},
        {"growing": 1},
        {"data": {"text": "a", "filler": "x" * 11_000}},
    ],
)
async def test_beginnings_that_are_refused(world: World, fields: dict[str, Any]) -> None:
    """Only a text to one receiver grows, with data that could be sent."""
    body = {"receiver": "ben", "receiverType": "user", "growing": True, **fields}
    answer = await world.ask("POST", "/messages", body, as_="anna")

    assert answer.status == 400, answer


async def test_several_receivers(world: World) -> None:
    """A message to several receivers does not grow."""
    body = {"multipleReceivers": {"uids": ["ben"]}, "growing": True, "data": {"text": "a"}}
    details = await world.refused(
        "POST", "/messages", body, as_="anna", status=400, code="ERR_BAD_REQUEST"
    )

    assert list(details) == ["growing"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": "a"},
        {"sequence": 1},
        {"text": 1, "sequence": 1},
        {"text": None, "sequence": 1},
        {"text": "a", "sequence": 0},
        {"text": "a", "sequence": -1},
        {"text": "a", "sequence": 1.5},
        {"text": "a", "sequence": "1"},
        {"text": "a", "sequence": True},
        {"text": "a", "sequence": 2**70},
        {"text": "a", "sequence": 1, "durable": "yes"},
        {"text": "a", "sequence": 1, "more": 1},
        [],
        b"{",
        b'{"text": "\\ud800", "sequence": 1}',
        b'{"text": "\xff", "sequence": 1}',
    ],
)
async def test_appends_that_are_refused(world: World, body: Any) -> None:
    """An append that is not as it must be is refused, and changes nothing."""
    message = await begin(world, "a")
    answer = await world.ask("POST", f"/messages/{message['id']}/append", body, as_="anna")

    assert answer.status == 400, answer
    assert await shown(world, message) == {"text": "a", "growing": {"sequence": 0}}


async def test_any_text(world: World) -> None:
    """Any text is kept as it was sent, also one that no column of a database could hold."""
    text = 'A NUL \0, "quotes", \\ and \u2028 🌱'
    message = await begin(world, text[:8])
    await append(world, message, text[8:], 1, durable=True)
    await append(world, message, "", 2)

    ended = await finish(world, message)

    assert ended["data"]["text"] == text
    assert ended["data"]["grown"] == {"status": "done", "appends": 2}


async def test_no_client_writes_what_the_server_says_of_growth(world: World) -> None:
    """Neither a send nor an end can claim that a message grows, or has grown."""
    body = {"receiver": "ben", "receiverType": "user"}
    forged = {"text": "a", "growing": {"sequence": 9}, "grown": {"status": "done"}}
    sent = await world.post("/messages", {**body, "data": forged}, as_="anna")
    message = await begin(world, data=forged)
    ended = await finish(world, message, data={"growing": 1, "grown": 2, "note": 3})

    assert not {"growing", "grown"} & set(sent["data"])
    assert message["data"]["growing"] == {"sequence": 0}
    assert ended["data"]["grown"] == {"status": "done", "appends": 0}
    assert ended["data"]["note"] == 3
    assert "growing" not in ended["data"]


async def test_appends_do_not_use_up_sends(world: World) -> None:
    """Appends of a user have a limit of their own, and count towards no other."""
    await world.put(
        "/settings",
        {"settings": {"limits.userSendsPerMinute": 1, "limits.userAppendsPerMinute": 2}},
    )
    token = await world.token("anna")
    body = {"receiver": "ben", "receiverType": "user", "growing": True}
    message = await world.post("/messages", body, token=token)
    path = f"/messages/{message['id']}/append"
    for sequence in (1, 2):
        await world.post(path, {"text": "a", "sequence": sequence}, token=token)

    await world.refused(
        "POST",
        path,
        {"text": "a", "sequence": 3},
        token=token,
        status=429,
        code="ERR_TOO_MANY_REQUESTS",
    )
    await world.get("/conversations", token=token)
