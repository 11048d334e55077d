"""Marks: delivered, read and unread, up to a message or for all; and receipts."""

import json

import pytest
from tests.api.messages.talk import events, group, import_past, join, past, say, to_group, to_user
from tests.clock import ManualClock
from tests.engines import one_engine
from tests.world import Json, Node, World

NO_MESSAGE = "ERR_MESSAGE_ID_NOT_FOUND"


@pytest.fixture
async def town(world: World) -> World:
    """Anna, Ben and Chiara, all members of Anna's group."""
    await world.users("anna", "ben", "chiara")
    members = {"participants": ["ben", "chiara"]}
    group = {"guid": "hikers", "name": "Hikers", "type": "public", "members": members}
    await world.post("/groups", group, as_="anna")
    return world


async def unread(world: World, uid: str, path: str) -> str:
    """Return the number of a user's unread messages."""
    row: Json = await world.get(path, as_=uid)
    count: str = row["unreadMessageCount"]
    return count


async def times(world: World, message: Json) -> tuple[int | None, int | None]:
    """Return when a message was delivered and read, as the app sees it."""
    row = await world.get(f"/messages/{message['id']}")
    return row.get("deliveredAt"), row.get("readAt")


async def test_reading_up_to_a_message(town: World) -> None:
    """Messages after the read one are still unread; own messages never count."""
    first = await say(town, "anna", to_user("ben", "1"))
    await say(town, "ben", to_user("anna", "2"))
    await say(town, "anna", to_user("ben", "3"))
    assert await unread(town, "ben", "/users/anna/conversation") == "2"

    await town.post("/users/anna/conversation/read", {"messageId": int(first["id"])}, as_="ben")

    assert await unread(town, "ben", "/users/anna/conversation") == "1"
    assert await unread(town, "anna", "/users/ben/conversation") == "1"
    await town.post("/users/anna/conversation/read", as_="ben")
    assert await unread(town, "ben", "/users/anna/conversation") == "0"


async def test_times_of_delivery_and_reading(town: World, clock: ManualClock) -> None:
    """A message shows when it was delivered and when it was read; reading includes delivery."""
    message = await say(town, "anna", to_user("ben", "1"))
    assert await times(town, message) == (None, None)
    clock.advance(5)
    await town.post("/users/anna/conversation/delivered", as_="ben")
    delivered = clock.now()
    clock.advance(5)
    await town.post("/users/anna/conversation/read", as_="ben")

    assert await times(town, message) == (delivered, clock.now())
    later = await say(town, "anna", to_user("ben", "2"))
    clock.advance(5)
    await town.post("/users/anna/conversation/read", as_="ben")
    assert await times(town, later) == (clock.now(), clock.now())
    assert (await times(town, message))[0] == delivered


async def test_unread_again(town: World) -> None:
    """Messages after a given one can be made unread; receipts are kept."""
    first = await say(town, "anna", to_user("ben", "1"))
    last = await say(town, "anna", to_user("ben", "2"))
    await town.post("/users/anna/conversation/read", as_="ben")
    path = "/users/anna/conversation/read"

    done = await town.delete(path, {"messageId": first["id"]}, as_="ben")

    assert f"after the message id {first['id']} " in done["message"]
    assert await unread(town, "ben", "/users/anna/conversation") == "1"
    assert (await times(town, last))[1] is not None
    await town.post(path, as_="ben")
    await town.delete(path, as_="ben")
    assert await unread(town, "ben", "/users/anna/conversation") == "1"


async def test_in_a_group_all_must_have_read_it(town: World, clock: ManualClock) -> None:
    """A group's message was read when the last member but its sender has read it."""
    message = await say(town, "anna", to_group("hikers", "Hi"))
    await town.post("/groups/hikers/conversation/read", as_="ben")
    assert await times(town, message) == (None, None)
    clock.advance(3)
    await town.post("/groups/hikers/conversation/read", as_="chiara")

    assert await times(town, message) == (clock.now(), clock.now())
    receipts = await town.get(f"/messages/{message['id']}/receipts", as_="anna")
    assert [(row["uid"], row["readAt"]) for row in receipts] == [
        ("ben", clock.now() - 3),
        ("chiara", clock.now()),
    ]


async def test_a_leaving_member_is_not_waited_for(town: World, clock: ManualClock) -> None:
    """When the only member who had not read a message leaves, all have read it."""
    message = await say(town, "anna", to_group("hikers", "Hi"))
    await town.post("/groups/hikers/conversation/read", as_="ben")
    clock.advance(3)
    await town.delete("/groups/hikers/members/chiara", as_="chiara")

    assert await times(town, message) == (clock.now(), clock.now())


async def test_a_reset_counts_as_reading(town: World, clock: ManualClock) -> None:
    """A user who resets a group's conversation has had all of it, perhaps as the last member."""
    message = await say(town, "anna", to_group("hikers", "Hi"))
    await town.post("/groups/hikers/conversation/read", as_="ben")
    clock.advance(10)
    await town.delete("/groups/hikers/conversation", as_="chiara")

    assert await times(town, message) == (clock.now(), clock.now())


async def test_a_reset_with_messages_counts_as_reading(town: World, clock: ManualClock) -> None:
    """The same applies when the reset deletes the user's own messages permanently."""
    message = await say(town, "anna", to_group("hikers", "Hi"))
    await town.post("/groups/hikers/conversation/read", as_="ben")
    clock.advance(10)
    token = await town.token("chiara")
    asked = {"deleteMessagesPermanently": True}
    await town.delete("/groups/hikers/conversation", asked, token=token)

    assert await times(town, message) == (clock.now(), clock.now())


async def test_a_reset_that_completes_reading_is_announced(node: Node, town: World) -> None:
    """The log announces that all have had the messages when a reset makes this true."""
    message = await say(town, "anna", to_group("hikers", "Hi"))
    await town.post("/groups/hikers/conversation/read", as_="ben")
    await town.delete("/groups/hikers/conversation", as_="chiara")

    names = ["conversation_reset", "message_delivery_receipt", "message_read_receipt"]
    logged = (await events(node, town))[-3:]
    assert [row[2] for row in logged] == names
    assert all(f'"upto":{message["id"]}' in row[-1] for row in logged)


async def test_a_deletion_that_completes_reading_is_announced(
    node: Node, town: World, clock: ManualClock
) -> None:
    """When the last unread member is deleted, the log announces it, for the sender alone."""
    message = await say(town, "anna", to_group("hikers", "Hi"))
    await town.post("/groups/hikers/conversation/read", as_="ben")
    before = len(await events(node, town))
    await town.delete("/users/chiara")

    logged = (await events(node, town))[before:]
    names = ("message_delivery_receipt", "message_read_receipt")
    receipts = {row[2]: json.loads(row[-1]) for row in logged if row[2] in names}
    body = {
        "conversation": 1,
        "receiver_type": "group",
        "receiver": "hikers",
        "uid": "app_system",
        "after": 0,
        "upto": int(message["id"]),
        "of": "anna",
        "at": clock.now(),
    }
    assert receipts == dict.fromkeys(names, body)


async def test_the_only_member_reads_for_all(world: World, clock: ManualClock) -> None:
    """A message of the app to a group of one is read when its member has read it."""
    await world.users("anna")
    await group(world, "tea", "anna")
    said = await world.post("/messages", to_group("tea"))
    await world.post("/groups/tea/conversation/read", as_="anna")

    assert await times(world, said) == (clock.now(), clock.now())


async def test_messages_of_the_only_member_are_not_read(world: World) -> None:
    """A message of a group's only member is read by nobody, not even by later members."""
    await world.users("anna", "ben")
    await group(world, "tea", "anna")
    said = await say(world, "anna", to_group("tea"))
    await world.post("/groups/tea/conversation/read", as_="anna")
    assert await times(world, said) == (None, None)

    await join(world, "tea", "ben")
    after = await say(world, "anna", to_group("tea"))
    await world.post("/groups/tea/conversation/read", as_="ben")
    assert await times(world, said) == (None, None)
    assert None not in await times(world, after)


async def test_a_repeated_muid_answers_with_the_receipts(world: World, clock: ManualClock) -> None:
    """The first message is returned with its current receipts: delivered and read."""
    await world.users("anna", "ben")
    await say(world, "anna", to_user("ben", muid="m"))
    await world.post("/users/anna/conversation/read", as_="ben")
    clock.advance(5)
    again = await say(world, "anna", to_user("ben", muid="m"))

    assert again["deliveredAt"] == again["readAt"] == clock.now() - 5


async def test_receipts_come_in_pages(town: World) -> None:
    """The next page of a message's receipts begins at the cursor."""
    message = await say(town, "anna", to_group("hikers", "Hi"))
    for uid in ("ben", "chiara"):
        await town.post("/groups/hikers/conversation/delivered", as_=uid)
    path = f"/messages/{message['id']}/receipts?limit=1"

    assert await town.uids(path, as_="ben") == ["ben"]
    following = town.answer.meta["next"]
    assert await town.uids(f"{path}&id={following['id']}", as_="ben") == ["chiara"]
    assert "next" not in town.answer.meta


async def test_receipt_times_of_an_import(town: World) -> None:
    """Receipt times in an import are stored; without them a message is unread."""
    row = past("ben", to_user("anna", "Old"), 1_000, readAt=1_200, deliveredAt=1_100)
    done = await import_past(town, m1=row, m2=past("ben", to_user("anna", "Older"), 900))

    assert await times(town, done["m1"]["data"]) == (1_100, 1_200)
    assert await times(town, done["m2"]["data"]) == (None, None)
    assert await unread(town, "anna", "/users/ben/conversation") == "1"


async def test_a_mark_that_advances_nothing(node: Node, town: World) -> None:
    """A mark that repeats an earlier one writes nothing into the log."""
    await say(town, "anna", to_user("ben", "1"))
    await town.post("/users/anna/conversation/read", as_="ben")
    before = await events(node, town)
    names = [row[2] for row in before][-2:]
    assert names == ["message_read_receipt", "message_delivery_receipt"]

    for verb in ("read", "delivered"):
        await town.post(f"/users/anna/conversation/{verb}", as_="ben")

    assert await events(node, town) == before


async def test_a_message_of_another_conversation(town: World) -> None:
    """A message of another conversation, or a missing one, cannot be marked up to."""
    await say(town, "anna", to_user("ben", "1"))
    foreign = await say(town, "anna", to_user("chiara", "2"))

    for wrong in (foreign["id"], "999"):
        await town.refused(
            "POST",
            "/users/anna/conversation/read",
            {"messageId": wrong},
            as_="ben",
            status=404,
            code=NO_MESSAGE,
        )


@pytest.mark.parametrize("message_id", ["x", -1, 0, True, [], "9" * 30])
@one_engine
async def test_a_malformed_message_id(town: World, message_id: object) -> None:
    """A malformed message id is refused with its field named."""
    await say(town, "anna", to_user("ben", "1"))

    details = await town.refused(
        "POST",
        "/users/anna/conversation/read",
        {"messageId": message_id},
        as_="ben",
        status=400,
        code="ERR_BAD_REQUEST",
    )
    assert list(details) == ["messageId"]


async def test_strangers_mark_nothing(town: World) -> None:
    """Users who are no members, or have no conversation, cannot mark; nor can the app."""
    await town.user("dai")
    await town.refused(
        "POST",
        "/groups/hikers/conversation/read",
        as_="dai",
        status=403,
        code="ERR_GROUP_NOT_JOINED",
    )
    await town.refused(
        "POST",
        "/users/anna/conversation/read",
        as_="dai",
        status=404,
        code="ERR_CONVERSATION_NOT_ACCESSIBLE",
    )
    await town.refused("POST", "/users/anna/conversation/read", status=400, code="ERR_BAD_REQUEST")
