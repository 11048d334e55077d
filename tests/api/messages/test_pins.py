"""Messages that are pinned for a whole conversation, and saved by one user."""

import asyncio
import json

import pytest
from tests.api.groups.clubs import make_hikers
from tests.api.messages.talk import events, group, say, stored, texts, to_group, to_user
from tests.api.people.erasing import rows_of, tables_with_value
from tests.clock import ManualClock
from tests.engines import one_engine
from tests.world import Json, Node, World

from hubbub.domain.erasure.erase import erase_all

BAD = "ERR_BAD_REQUEST"
NOT_FOUND = "ERR_MESSAGE_ID_NOT_FOUND"
NOT_ALLOWED = "ERR_MESSAGE_ACTION_NOT_ALLOWED"
TOO_MANY_PINS = "ERR_PINNED_MESSAGES_LIMIT_EXCEEDED"
TOO_MANY_SAVES = "ERR_SAVED_MESSAGES_LIMIT_EXCEEDED"


@pytest.fixture
async def pair(world: World) -> World:
    """Anna has sent 1 to 3 to Ben, and 4 to Clara."""
    await world.users("anna", "ben", "clara")
    for text in ("One", "Two", "Three"):
        await say(world, "anna", to_user("ben", text))
    await say(world, "anna", to_user("clara", "Four"))
    return world


async def pin(world: World, id_: int | str, by: str | None = "ben") -> Json:
    """Pin a message; return the answer."""
    message: Json = await world.post(f"/messages/{id_}/pin", as_=by)
    return message


async def save(world: World, id_: int | str, by: str = "ben") -> Json:
    """Save a message; return the answer."""
    message: Json = await world.post(f"/messages/{id_}/save", as_=by)
    return message


async def saved(world: World, uid: str) -> list[str]:
    """Return the ids of the messages that a user has saved."""
    return [row["id"] for row in await world.get("/messages?saved=true", as_=uid)]


# Pins


@pytest.mark.parametrize("by", [None, "anna", "ben"])
async def test_a_message_is_pinned(pair: World, clock: ManualClock, by: str | None) -> None:
    """Either user, or the app, pins a message; all see the time, and nothing else changes."""
    before = await pair.get("/messages/2")
    clock.advance(60)

    message = await pin(pair, 2, by)

    assert message.pop("pinnedAt") == clock.now()
    assert message == before
    for uid in (None, "anna", "ben"):
        rows = await pair.get("/messages", as_=uid)
        pinned = [row["pinnedAt"] for row in rows if "pinnedAt" in row]
        assert pinned == [clock.now()] == [(await pair.get("/messages/2", as_=uid))["pinnedAt"]]


@pytest.mark.parametrize("by", [None, "anna", "ben"])
async def test_a_message_is_unpinned(pair: World, by: str | None) -> None:
    """Any participant, or the app, unpins a message, whoever pinned it."""
    for pinner in (None, "ben"):
        await pin(pair, 2, pinner)
        assert "pinnedAt" not in await pair.delete("/messages/2/pin", as_=by)
        assert await pair.get("/messages?pinned=true") == []


async def test_pinning_twice_changes_nothing(node: Node, pair: World, clock: ManualClock) -> None:
    """Pinning again keeps the first time; unpinning what is not pinned changes nothing."""
    first = await pin(pair, 2)
    log = await events(node, pair)
    clock.advance(5)

    assert await pin(pair, 2, "anna") == first
    await pair.delete("/messages/3/pin", as_="anna")
    assert await events(node, pair) == log


async def test_pins_are_events(node: Node, pair: World) -> None:
    """Each event names the message, and the actor."""
    await pin(pair, 2)
    await pair.delete("/messages/2/pin")

    pinned, unpinned = (await events(node, pair))[-2:]
    assert (pinned[2], unpinned[2]) == ("message_pinned", "message_unpinned")
    assert json.loads(pinned[4]) == {"message": 2, "conversation": 1, "by": "ben", "at": pinned[3]}
    assert json.loads(unpinned[4])["by"] == "app_system"


async def test_lists_of_pinned_messages(pair: World) -> None:
    """`pinned=true` limits any list of messages to pinned ones."""
    for id_ in (3, 1):
        await pin(pair, id_)
    await pin(pair, 4, "clara")
    await group(pair, "hikers", "anna")
    id_ = (await say(pair, "anna", to_group("hikers", "Up")))["id"]
    await pin(pair, id_, "anna")

    for path, uid, found in (
        ("/messages", None, ["One", "Three", "Four", "Up"]),
        ("/messages", "anna", ["One", "Three", "Four", "Up"]),
        ("/messages", "ben", ["One", "Three"]),
        ("/messages", "clara", ["Four"]),
        ("/users/ben/messages", "anna", ["One", "Three"]),
        ("/users/anna/messages", None, ["One", "Three", "Four"]),
        ("/users/clara/messages", "anna", ["Four"]),
        ("/groups/hikers/messages", "anna", ["Up"]),
        ("/messages?conversationId=anna_user_clara", "anna", ["Four"]),
    ):
        query = f"{path}{'&' if '?' in path else '?'}pinned=true"
        assert await texts(pair, query, as_=uid) == found
        newest = await texts(pair, f"{query}&affix=prepend&limit=1", as_=uid)
        assert newest == found[-1:]
    assert await texts(pair, "/messages?pinned=false", as_="ben") == ["One", "Two", "Three"]


async def test_a_hundred_pins(pair: World) -> None:
    """A conversation has at most 100 pinned messages, of all users; others are not affected."""
    ids = [(await say(pair, "anna", to_user("ben", "x")))["id"] for _ in range(101)]
    for id_, by in zip(ids[:100], ["anna", None] * 50, strict=True):
        await pin(pair, id_, by)

    for by in (None, "ben"):
        path = f"/messages/{ids[100]}/pin"
        details = await pair.refused("POST", path, as_=by, status=400, code=TOO_MANY_PINS)
        assert "100" in str(details)
    assert await pin(pair, ids[0])
    assert await pin(pair, 4, "clara")
    await pair.delete(f"/messages/{ids[0]}/pin")
    assert await pin(pair, ids[100])


async def test_the_limits_are_settings(pair: World) -> None:
    """The app's settings limit pinned and saved messages."""
    limits = {"limits.pinnedMessages": 1, "limits.savedMessages": 2}
    await pair.put("/settings", {"settings": limits})
    await pin(pair, 1)
    for id_ in (1, 2):
        await save(pair, id_)

    path = "/messages/2/pin"
    await pair.refused("POST", path, as_="ben", status=400, code=TOO_MANY_PINS)
    path = "/messages/3/save"
    await pair.refused("POST", path, as_="ben", status=400, code=TOO_MANY_SAVES)
    await pair.delete("/settings", {"keys": list(limits)})
    assert await pin(pair, 2)
    assert await save(pair, 3)


# Saved messages


async def test_a_message_is_saved(node: Node, pair: World, clock: ManualClock) -> None:
    """A message that a user saves is not visible to the other user, nor in the log."""
    before = await pair.get("/messages/2")
    log = await events(node, pair)
    clock.advance(60)

    message = await save(pair, 2)

    assert message.pop("savedAt") == clock.now()
    assert message == before
    assert (await pair.get("/messages/2", as_="ben"))["savedAt"] == clock.now()
    for uid in (None, "anna"):
        assert "savedAt" not in str(await pair.get("/messages", as_=uid))
    assert await events(node, pair) == log


async def test_saving_twice_changes_nothing(pair: World, clock: ManualClock) -> None:
    """Saving again keeps the first time; removing what is not saved changes nothing."""
    first = await save(pair, 2)
    clock.advance(5)

    assert await save(pair, 2) == first
    assert "savedAt" not in await pair.delete("/messages/3/save", as_="ben")
    assert await saved(pair, "ben") == ["2"]


async def test_lists_of_saved_messages(pair: World) -> None:
    """A user's list has their saved messages of all conversations, in the order of messages."""
    for id_, uid in ((4, "anna"), (3, "anna"), (1, "anna"), (1, "ben")):
        await save(pair, id_, uid)

    assert await saved(pair, "anna") == ["1", "3", "4"]
    assert await saved(pair, "ben") == ["1"]
    assert await saved(pair, "clara") == []
    await pair.delete("/messages/3/save", token=await pair.token("anna"))
    assert await saved(pair, "anna") == ["1", "4"]
    rows = await pair.get("/messages?saved=true&conversationId=anna_user_ben", as_="anna")
    assert [row["id"] for row in rows] == ["1"]


async def test_the_app_saves_nothing(pair: World) -> None:
    """Saving, and listing saved messages, needs an acting user."""
    for method in ("POST", "DELETE"):
        details = await pair.refused(method, "/messages/1/save", status=400, code=BAD)
        assert list(details) == ["onBehalfOf"]
    details = await pair.refused("GET", "/messages?saved=true", status=400, code=BAD)
    assert list(details) == ["saved"]


async def test_a_hundred_saved_messages(pair: World) -> None:
    """A user saves at most 100 messages; those that are no longer visible do not count."""
    await group(pair, "hikers", "anna", "ben")
    ids = [(await say(pair, "anna", to_group("hikers", "x")))["id"] for _ in range(100)]
    for id_ in ids:
        await save(pair, id_)

    path = "/messages/1/save"
    details = await pair.refused("POST", path, as_="ben", status=400, code=TOO_MANY_SAVES)
    assert "100" in str(details)
    assert await save(pair, ids[0])
    assert await save(pair, 1, "anna")
    await pair.delete("/groups/hikers/members/ben", as_="ben")
    assert await saved(pair, "ben") == []
    assert await save(pair, 1)


# Both


@pytest.mark.parametrize("way", ["pin", "save"])
async def test_rights_to_pin_and_save(pair: World, way: str) -> None:
    """For users who take no part, or are missing, the message does not exist."""
    for method in ("POST", "DELETE"):
        path = f"/messages/1/{way}"
        await pair.refused(method, path, as_="clara", status=404, code=NOT_FOUND)
        token = await pair.token("clara")
        await pair.refused(method, path, token=token, status=404, code=NOT_FOUND)
        await pair.refused(method, path, as_="eve", status=404, code="ERR_UID_NOT_FOUND")
        path = f"/messages/999/{way}"
        await pair.refused(method, path, as_="ben", status=404, code=NOT_FOUND)
    await pair.post(f"/messages/1/{way}", token=await pair.token("ben"))


@pytest.mark.parametrize("way", ["pin", "save"])
async def test_messages_that_cannot_be_pinned_or_saved(pair: World, way: str) -> None:
    """Action messages and deleted messages can be neither pinned nor saved."""
    await pair.post(f"/messages/2/{way}", as_="ben")
    for id_ in ("1", "2"):
        action = await pair.delete(f"/messages/{id_}", as_="anna")

    for id_ in ("1", action["id"]):
        path = f"/messages/{id_}/{way}"
        await pair.refused("POST", path, as_="ben", status=403, code=NOT_ALLOWED)
    rows = await pair.get(f"/messages?{way}{'ned' if way == 'pin' else 'd'}=true", as_="ben")
    assert [row["id"] for row in rows] == ["2"]
    assert "text" not in rows[0]["data"]
    message = await pair.delete(f"/messages/2/{way}", as_="ben")
    assert not {"pinnedAt", "savedAt"} & set(message)


@pytest.mark.parametrize("way", ["pin", "save"])
async def test_concurrent_calls(node: Node, pair: World, way: str) -> None:
    """Of concurrent calls each is done once, and no more than the limit allows."""
    limits = {"limits.pinnedMessages": 2, "limits.savedMessages": 2}
    await pair.put("/settings", {"settings": limits})

    answers = await asyncio.gather(
        *(pair.ask("POST", f"/messages/{id_}/{way}", as_="ben") for id_ in (1, 2, 3) * 3)
    )

    assert sorted(answer.status for answer in answers) == [200] * 6 + [400] * 3
    table = "message_pins" if way == "pin" else "saved_messages"
    rows = await stored(node, pair, f"SELECT * FROM {table} WHERE app_id = :app_id")
    assert len(rows) == 2


@pytest.mark.parametrize("query", ["pinned=yes", "pinned=2", "saved=on"])
@one_engine
async def test_a_malformed_filter(pair: World, query: str) -> None:
    """A filter that is neither true nor false is refused by its name."""
    details = await pair.refused("GET", f"/messages?{query}", as_="ben", status=400, code=BAD)
    assert list(details) == [query.partition("=")[0]]


async def test_pins_of_a_deleted_user_are_removed(node: Node, world: World) -> None:
    """Pins in groups by a permanently deleted user are removed."""
    await make_hikers(world)
    first, second = [(await say(world, "olga", to_group("hikers")))["id"] for _ in range(2)]
    await pin(world, first, "paul")
    await pin(world, second, "mona")
    for uid in ("paul", "mona"):
        await save(world, first, uid)
    await world.delete("/users/paul", {"permanent": True})
    await erase_all(node.runtime)

    rows = await world.get("/messages?pinned=true")
    assert [row["id"] for row in rows] == [second]
    after = await rows_of(node, world, ["message_pins", "saved_messages"])
    assert tables_with_value(after, "paul") == []
    traits = "SELECT id, traits FROM messages WHERE app_id = :app_id AND traits > 0 ORDER BY id"
    assert await stored(node, world, traits) == [(int(first), 4), (int(second), 2)]
    await world.delete(f"/messages/{first}/save", as_="mona")
    assert await stored(node, world, traits) == [(int(second), 2)]


async def test_a_uid_that_has_a_new_holder(node: Node, world: World) -> None:
    """A new holder of a uid has saved nothing, even before the erasure of the former one."""
    await make_hikers(world)
    first, second = [(await say(world, "olga", to_group("hikers")))["id"] for _ in range(2)]
    for id_ in (first, second):
        await save(world, id_, "paul")
    await world.delete("/users/paul", {"permanent": True})
    await world.user("paul")
    await world.post("/groups/hikers/members", {"participants": ["paul"]})

    assert await saved(world, "paul") == []
    assert "savedAt" not in await world.get(f"/messages/{first}", as_="paul")
    await save(world, first, "paul")
    await erase_all(node.runtime)
    assert await saved(world, "paul") == [first]
